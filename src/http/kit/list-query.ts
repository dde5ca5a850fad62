import type { ListKey, ListQuery, Order } from '../../app/ports/views.ts';
import type { LicensingKind } from '../../domain/licensing.ts';
import type { Party } from '../../domain/ids.ts';
import { isPartyString } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { describe } from '../../../machines/registry.ts';
import { ageMs } from './duration.ts';
import { invalid } from './invalid.ts';
import { isStorable } from './json-body.ts';
import { INT64_MAX, readCursor } from './cursor.ts';

/** The filters of a list. Its kind of lifecycle and its caller are given separately. */
export interface ListFilters extends Pick<
  ListQuery,
  | 'other'
  | 'provider'
  | 'appUser'
  | 'state'
  | 'endedAs'
  | 'listNo'
  | 'expiresAfter'
  | 'expiresBefore'
  | 'among'
  | 'order'
> {
  readonly after?: ListKey;
  /** `null`: the complete list. */
  readonly limit: number | null;
}

export type Raw = Readonly<Record<string, unknown>>;

/** Returns one value that can be stored; `undefined` when absent or empty. @throws ProblemError `REQUEST_INVALID` */
export function textOf(raw: Raw, name: string): string | undefined {
  const value = raw[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') return invalid(name, 'is given more than once');
  return isStorable(value) ? value : invalid(name, 'holds characters that cannot be stored');
}

export function readParty(raw: Raw, name: string): Party | undefined {
  const text = textOf(raw, name);
  if (text === undefined || isPartyString(text)) return text;
  return invalid(name, 'must be a whole party, such as hint::fingerprint');
}

export function readLimit(raw: Raw): number | null {
  const text = textOf(raw, 'limit');
  if (text === undefined) return null;
  const limit = /^\d{1,5}$/u.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LIMITS.pageSizeMax
    ? limit
    : invalid('limit', `must be a whole number from 1 to ${LIMITS.pageSizeMax}`);
}

/** Reads which part of a list the caller requests. A `limit` of `null` means the complete list. */
export function readPaging<Key>(
  raw: Raw,
  readKey: (cursor: string) => Key,
): { readonly limit: number | null; readonly after?: Key } {
  const cursor = textOf(raw, 'cursor');
  return { limit: readLimit(raw), ...(cursor === undefined ? {} : { after: readKey(cursor) }) };
}

/** The orders of lists of lifecycles. Entries of one user are in the order of their numbers. */
export const LIFECYCLE_SORTS = ['user', '-user'] as const;

/** Returns the direction of a `sort` parameter. A minus means descending. */
export const orderOf = (sort?: string): Order =>
  sort?.startsWith('-') === true ? 'descending' : 'ascending';

/** Reads a parameter whose value is one of several words. */
export function readOneOf<Word extends string>(
  raw: Raw,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = textOf(raw, name);
  const word = words.find((each) => each === text);
  if (text === undefined || word !== undefined) return word;
  return invalid(name, `must be one of ${words.join(', ')}`);
}

/** Reads which states are selected: by default those of active lifecycles, unless `ended` or a final state is given. */
function readStates(raw: Raw, kind: LicensingKind): Pick<ListFilters, 'state' | 'endedAs'> {
  const nodes = Object.values<{ readonly key: string; readonly type: string }>(
    describe(kind).machine.states,
  );
  const state = readOneOf(
    raw,
    'state',
    nodes.map(({ key }) => key),
  );
  const ends = nodes.filter(({ type }) => type === 'final').map(({ key }) => key);
  const meant = state === undefined ? ends : ends.filter((end) => end === state);
  const asked = readOneOf(raw, 'ended', ['true', 'false']);
  const isEnded = asked === undefined ? state !== undefined && meant.length > 0 : asked === 'true';
  if (isEnded) return { endedAs: meant };
  return state === undefined ? {} : { state };
}

export function readLicenseNum(raw: Raw): bigint | undefined {
  const text = textOf(raw, 'licenseNum');
  if (text === undefined) return undefined;
  const found = /^\d{1,19}$/u.test(text) ? BigInt(text) : -1n;
  return found >= 0n && found <= INT64_MAX
    ? found
    : invalid('licenseNum', 'must be the number of a licence');
}

const INSTANT =
  /^(?!0000)(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/u;

/** Whether the date exists. `Date` would silently turn the 30th of February into a day in March. */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (INSTANT.exec(text) ?? []).slice(1, 4).map(Number);
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Reads a time, or a duration that is added to now. @returns ISO 8601 */
function readInstantToCome(raw: Raw, name: string, nowMs: number): string | undefined {
  const text = textOf(raw, name);
  if (text === undefined || isInstant(text)) return text;
  return new Date(nowMs + ageMs({ name, given: text })).toISOString();
}

/** Removes absent members, so that a filter has only the given ones. */
export const given = <T extends object>(all: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never;

/** Reads the parties of a filter, for entries that have a provider and a user. */
export const readSides = (raw: Raw): Pick<ListQuery, 'other' | 'provider' | 'appUser'> =>
  given({
    other: readParty(raw, 'party'),
    provider: readParty(raw, 'provider'),
    appUser: readParty(raw, 'user'),
  });

/**
 * Reads a list's query. Unknown parameters are ignored.
 *
 * @param nowMs the time to which a given duration is added
 * @throws ProblemError `REQUEST_INVALID` that names the parameter
 */
export function readListFilters(raw: Raw, kind: LicensingKind, nowMs: number): ListFilters {
  const end = (name: string): string | undefined =>
    kind === 'license' ? readInstantToCome(raw, name, nowMs) : undefined;
  const sort = readOneOf(raw, 'sort', LIFECYCLE_SORTS);
  return {
    ...readPaging(raw, readCursor),
    ...readSides(raw),
    ...readStates(raw, kind),
    ...given({
      order: sort === undefined ? undefined : orderOf(sort),
      listNo: kind === 'renewal' ? readLicenseNum(raw) : undefined,
      expiresAfter: end('expiresAfter'),
      expiresBefore: end('expiresBefore'),
    }),
  };
}
