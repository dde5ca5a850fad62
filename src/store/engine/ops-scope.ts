import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { ofChange } from '../sql/query.ts';

/* What an operator sees, as conditions: the same rule as `app/ports/ops-scope.ts`, and held to it by a test. */

export const changesInScope = ({ of, party }: OpsScope) =>
  ofChange(of === 'provider' ? 'c.provider' : 'c.caller_party', '=', party);

/**
 * The same of finished ones, as an index has them: who is not the deployment's provider has asked as a user, and not as
 * the provider of what it is about.
 */
export const finishedInScope = (scope: OpsScope) =>
  scope.of === 'provider'
    ? changesInScope(scope)
    : changesInScope(scope).and('c.caller_party', '<>', ofChange.ref('c.provider'));
