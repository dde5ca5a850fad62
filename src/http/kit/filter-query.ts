import { Type } from '@fastify/type-provider-typebox';
import { HTTP_LIMITS } from '../limits.ts';
import { ageMs } from './duration.ts';
import { invalid } from './invalid.ts';
import { isStorable } from './json-body.ts';
import type { Raw } from './list-query.ts';
import { isInstant, textOf } from './list-query.ts';

/* Members of filters in a query string or a body, and their descriptions in the API document. */

export const several = (names: readonly string[], description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...names] }), {
      description,
      maxItems: names.length,
    }),
  );

export const text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description, examples: [example], maxLength: HTTP_LIMITS.pathIdCharsMax }),
  );

/** One storable value, `undefined` when absent or empty. @throws ProblemError `REQUEST_INVALID` */
export function one(raw: Raw, name: string): string | undefined {
  const value = textOf(raw, name);
  if (value === undefined) return undefined;
  if (value.length > HTTP_LIMITS.pathIdCharsMax) return invalid(name, 'is too long');
  return isStorable(value) ? value : invalid(name, 'holds characters that cannot be stored');
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

/** An instant, or a duration before now. @returns ISO 8601 */
export function instantOrAge(raw: Raw, name: string, nowMs: number): string | undefined {
  const given = one(raw, name);
  if (given === undefined || isInstant(given)) return given;
  return new Date(nowMs - ageMs({ name, given })).toISOString();
}

/** Removes absent members, so that a filter has only the given ones. */
export const given = <T extends object>(all: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never;
