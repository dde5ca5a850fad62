import type { OpsScope } from '../../app/ports/ops-scope.ts';

/* What an operator sees, as conditions: the same rule as `app/ports/ops-scope.ts`, and held to it by a test. */

/** Gathers the values of a statement while its text is written. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns how the text names the value */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** @param change what the table goes by in the statement */
export const changesInScope = (
  { of, party }: OpsScope,
  change: string,
  parameters: Parameters,
): string =>
  `${change}.${of === 'provider' ? 'provider' : 'caller_party'} = ${parameters.add(party)}`;

/**
 * The same of finished ones, as an index has them: whoever is not the deployment's provider has asked as a user, and not as
 * the provider of what it is about.
 */
export const finishedInScope = (scope: OpsScope, change: string, parameters: Parameters): string =>
  scope.of === 'provider'
    ? changesInScope(scope, change, parameters)
    : `${changesInScope(scope, change, parameters)} and ${change}.caller_party <> ${change}.provider`;
