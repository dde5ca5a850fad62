import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord, recordAt, textAt } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import { feeMistake, normalFee } from '../../domain/renewal.ts';
import { isUtcInstant } from '../../domain/time.ts';
import type { Meaning } from '../contract/operation.ts';
import type { MetaBody, RestMetadata } from './values.ts';

/*
 * Reads choice arguments in the query store's encoding. Each function converts an argument to the body that the
 * operation's own route would record, so a request repeated in the other form is the same change.
 *
 * A caller may omit values that Tenure fills in. A given value that differs from Tenure's is refused: Tenure never
 * exercises anything other than what was requested.
 */

export const invalid = (field: string, message: string): never =>
  fail('ARGUMENT_INVALID', `${field} ${message}`, { extra: { field } });

/** Requires a record that has no other fields than these. */
export function recordWith(
  value: Json | undefined,
  at: string,
  fields: readonly string[],
): JsonRecord {
  if (!isJsonRecord(value)) return invalid(at, 'must be an object');
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    return invalid(
      `${at}.${unknown}`,
      `is not known: ${at} has ${fields.join(', ') || 'no fields'}`,
    );
  }
  return value;
}

export function text(value: Json | undefined, at: string): string {
  if (value === undefined) return invalid(at, 'is required');
  if (typeof value !== 'string') return invalid(at, 'must be a string');
  if (value.length <= LIMITS.metadataTextCharsMax) return value;
  return invalid(at, `must have at most ${LIMITS.metadataTextCharsMax} characters`);
}

/** Requires a nonempty string, which a field of a lifecycle's contract must be. */
export const filled = (value: Json | undefined, at: string): string =>
  text(value, at) || invalid(at, 'must not be empty');

/** Converts ledger metadata `{values}` to REST's `{data}`; absent metadata is read as empty, as in REST. */
export function metadata(value: Json | undefined, at: string): RestMetadata {
  if (value === undefined) return { data: {} };
  const { values = {} } = recordWith(value, at, ['values']);
  if (!isJsonRecord(values)) return invalid(`${at}.values`, 'must be an object');
  const entries = Object.entries(values);
  if (entries.length > LIMITS.metadataEntriesMax) {
    return invalid(`${at}.values`, `must have at most ${LIMITS.metadataEntriesMax} entries`);
  }
  const read = entries.map(([key, entry]) => [
    text(key, `${at}.values`),
    text(entry, `${at}.values.${key}`),
  ]);
  return { data: Object.fromEntries(read) as Readonly<Record<string, string>> };
}

/** Requires the provider as the actor: the provider signs for both parties, whichever side makes the request. */
function checkActor(value: Json | undefined, { provider }: Lifecycle): void {
  if (value === undefined || value === provider) return;
  invalid(
    'argument.actor',
    `must be ${provider}, or left out: the provider signs for both parties`,
  );
}

export const metaOnly = (argument: Json): Meaning<MetaBody> => {
  const { meta } = recordWith(argument, 'argument', ['meta']);
  return { body: { meta: metadata(meta, 'argument.meta') } };
};

export const actorAndMeta = (argument: Json, lifecycle: Lifecycle): Meaning<MetaBody> => {
  const { actor, meta } = recordWith(argument, 'argument', ['actor', 'meta']);
  checkActor(actor, lifecycle);
  return { body: { meta: metadata(meta, 'argument.meta') } };
};

/** Requires that the token standard's extra arguments are empty: each attempt fetches them from the registry. */
export function checkExtraArgs(value: Json | undefined): void {
  if (value === undefined) return;
  const { context, meta } = recordWith(value, 'argument.extraArgs', ['context', 'meta']);
  for (const [part, name] of [
    [context, 'context'],
    [meta, 'meta'],
  ] as const) {
    const { values = {} } = recordWith(part ?? {}, `argument.extraArgs.${name}`, ['values']);
    if (isJsonRecord(values) && Object.keys(values).length === 0) continue;
    invalid(
      `argument.extraArgs.${name}.values`,
      'must be empty: Tenure fills it in for each attempt',
    );
  }
}

export function instant(value: Json | undefined, at: string): string {
  const given = text(value, at);
  return isUtcInstant(given)
    ? given
    : invalid(at, 'must be a UTC time such as 2030-01-31T12:00:00.000000Z');
}

const MICROS = /^[1-9]\d{0,18}$/u;

export function micros(value: Json | undefined, at: string): string {
  const { microseconds } = recordWith(value, at, ['microseconds']);
  const given = text(microseconds, `${at}.microseconds`);
  const isWithin = MICROS.test(given) && BigInt(given) <= BigInt(LIMITS.durationMsMax) * 1_000n;
  return isWithin
    ? given
    : invalid(`${at}.microseconds`, 'must be a number above zero, written as a string');
}

export function fee(value: Json | undefined, at: string): string {
  const given = text(value, at);
  const mistake = feeMistake(given);
  return mistake === null ? normalFee(given) : invalid(at, mistake);
}

/** The metadata keys under which a reason can be: the application's and the token standard's. */
const REASONS = ['reason', 'splice.lfdecentralizedtrust.org/reason'];

/** Returns the reason in a choice's metadata, cut to the length that callers may write. */
export function reasonIn(argument: Json): string | null {
  if (!isJsonRecord(argument)) return null;
  const values = [argument, recordAt(argument, 'extraArgs')].map((of) =>
    recordAt(recordAt(of, 'meta'), 'values'),
  );
  const found = values.flatMap((of) => REASONS.map((name) => textAt(of, name)));
  const reason = found.find((text) => text !== undefined && text.trim() !== '');
  return reason?.slice(0, LIMITS.metadataTextCharsMax) ?? null;
}
