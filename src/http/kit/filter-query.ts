import type { TSchema } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import type { Party } from '../../domain/ids.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { ageMs } from './duration.ts';
import { invalid } from './invalid.ts';
import type { Raw } from './list-query.ts';
import { given, isInstant, readLicenseNum, readOneOf, readParty, textOf } from './list-query.ts';
import { words } from './schema.ts';

/* Members of filters in a query string or a body, and their descriptions in the API document. */

export const several = (names: readonly string[], description: string) =>
  Type.Optional(
    Type.Array(words(names), {
      description,
      maxItems: names.length,
    }),
  );

export const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description, examples: [example], maxLength: HTTP_LIMITS.pathIdCharsMax }),
  );

/** Reads one value that can be stored; `undefined` when absent or empty. @throws ProblemError `REQUEST_INVALID` */
export function one(raw: Raw, name: string): string | undefined {
  const value = textOf(raw, name);
  if (value === undefined || value.length <= HTTP_LIMITS.pathIdCharsMax) return value;
  return invalid(name, 'is too long');
}

export function anyOf<T extends string>(
  raw: Raw,
  name: string,
  known: readonly T[],
): readonly T[] | undefined {
  const value = raw[name];
  if (value === undefined || value === '') return undefined;
  const given = (Array.isArray(value) ? value : [value]).flatMap((part) => String(part).split(','));
  const read = given.map((part) => known.find((word) => word === part));
  const found = read.flatMap((word) => word ?? []);
  if (found.length === 0 || found.length < read.length) {
    return invalid(name, `must be of ${known.join(', ')}`);
  }
  return [...new Set(found)];
}

/** Reads a time, or a duration that is subtracted from now. @returns ISO 8601 */
export function instantOrAge(raw: Raw, name: string, nowMs: number): string | undefined {
  const given = one(raw, name);
  if (given === undefined || isInstant(given)) return given;
  return new Date(nowMs - ageMs({ name, given })).toISOString();
}

/** One member of a list's filter. */
export interface Member<Value> {
  readonly name: string;
  /** The parameter's schema in the API document. */
  readonly schema: TSchema;
  /** Reads the parameter's value. @throws ProblemError `REQUEST_INVALID` */
  readonly read: (raw: Raw, name: string, nowMs: number) => Value | undefined;
}

/** All members of a list's filter by their names in the filter, in the order of the API document. */
export type Members = Readonly<Record<string, Member<unknown>>>;

/** The members of a filter for which a type `Filter` exists. */
export type MembersOf<Filter> = {
  readonly [Name in keyof Filter]-?: Member<NonNullable<Filter[Name]>>;
};

/** The type of the filter that is read with these members. */
export type FilterOf<All extends Members> = {
  readonly [Name in keyof All]?: All[Name] extends Member<infer Value> ? Value : never;
};

export const member = <Value>(
  name: string,
  schema: TSchema,
  read: Member<Value>['read'],
): Member<Value> => ({ name, schema, read });

/** Returns the member of a filter whose value is one of a few words. */
export const wordOf = <Word extends string>(
  name: string,
  words: readonly Word[],
  more: { readonly description?: string; readonly default?: Word } = {},
): Member<Word> =>
  member(
    name,
    Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...words], ...more })),
    (raw) => readOneOf(raw, name, words),
  );

/** Returns the member of a filter whose value is several of a few words. */
export const wordsOf = <Word extends string>(
  name: string,
  words: readonly Word[],
  description: string,
): Member<readonly Word[]> =>
  member(name, several(words, description), (raw) => anyOf(raw, name, words));

/** Returns the member of a filter whose value is the complete ID of a party. */
const partyOf = (name: 'party' | 'user' | 'provider', description: string): Member<Party> =>
  member(name, text(description, 'app_user_quickstart-root-1::1220aa01'), readParty);

/** The parameters that select by party, for lists of entries that have a provider and a user. */
export const SIDES = {
  party: partyOf('party', 'Only those of this party, as their user or their provider'),
  user: partyOf('user', 'Only those of this user'),
  provider: partyOf('provider', 'Only those of this provider'),
} as const;

export const LICENSE_NUM: Member<bigint> = member(
  'licenseNum',
  Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only those of licences with this number' }),
  ),
  readLicenseNum,
);

/** Returns the member that sets the order of a list; the first word is the default. A minus means descending. */
export function sortOf<Word extends string>(usual: Word, ...others: readonly Word[]): Member<Word> {
  const orders = [usual, ...others];
  const { schema } = wordOf('sort', orders, { default: usual });
  return member('sort', schema, (raw) => readOneOf(raw, 'sort', orders) ?? usual);
}

/** Returns the parameters of a filter as the API document shows them. */
export const parametersOf = (members: Members): Record<string, TSchema> =>
  Object.fromEntries(Object.values(members).map(({ name, schema }) => [name, schema]));

/**
 * Reads a filter from a query string or an object of a body. Unknown members are ignored here.
 *
 * @param nowMs the time from which ages are subtracted
 * @throws ProblemError `REQUEST_INVALID` that names the parameter
 */
export const readFilter = <All extends Members>(
  members: All,
  raw: Raw,
  nowMs: number,
): FilterOf<All> =>
  given(
    Object.fromEntries(
      Object.entries(members).map(([to, { name, read }]) => [to, read(raw, name, nowMs)]),
    ),
  ) as FilterOf<All>;
