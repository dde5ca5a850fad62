import { Type } from '@fastify/type-provider-typebox';
import { Duration } from '@js-joda/core';
import type { ChangeFilter, FilterField } from '../../../domain/change-filter.ts';
import { CHANGE_FILTER } from '../../../domain/change-filter.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import { invalid } from '../../kit/invalid.ts';
import { isStorable } from '../../kit/json-body.ts';
import { isInstant, readOneOf, textOf } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';

/*
 * The filter of operations as operators write it: in a query string, where several values of one name are repeated or
 * separated by commas, or as an object of a body, where they are an array. Both are read here, so both mean the same.
 */

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

function schemaOf(field: FilterField) {
  switch (field.kind) {
    case 'several':
      return several(field.values, field.description);
    case 'one':
      return Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: [...field.values],
          description: field.description,
        }),
      );
    case 'text':
    case 'age':
      return text(field.description, field.example);
    default:
      return unreachable(field);
  }
}

/** Members of a query string, and of the object `filter` in a body. */
export const OPS_FILTER = Object.fromEntries(
  Object.values(CHANGE_FILTER).map((field) => [field.name, schemaOf(field)]),
);

/** In a body. */
export const OpsFilterBody = Type.Object(OPS_FILTER, { additionalProperties: false });

/** One value, `undefined` when absent or empty; something that can be stored. @throws ProblemError `REQUEST_INVALID` */
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

function ageMs(name: string, given: string): number {
  try {
    const age = Duration.parse(given.slice(0, HTTP_LIMITS.ageCharsMax)).toMillis();
    if (age >= 0 && age <= LIMITS.durationMsMax) return age;
  } catch {
    // The library's words are not for callers.
  }
  return invalid(
    name,
    'must be an ISO 8601 duration of days and time such as PT1H or P30D, or an instant such as 2030-01-31T12:00:00Z',
  );
}

/** An instant, or how long ago it was. @returns ISO 8601 */
export function instantOrAge(raw: Raw, name: string, nowMs: number): string | undefined {
  const given = one(raw, name);
  if (given === undefined || isInstant(given)) return given;
  return new Date(nowMs - ageMs(name, given)).toISOString();
}

/** @throws ProblemError `REQUEST_INVALID` */
export const readCode = (raw: Raw): string | undefined =>
  readField(CHANGE_FILTER.code, raw, 0) as string | undefined;

/** Without the members that are not there: a filter says what it says. */
export const given = <T extends object>(all: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never;

function readField(field: FilterField, raw: Raw, nowMs: number): unknown {
  const { name } = field;
  switch (field.kind) {
    case 'several':
      return anyOf(raw, name, field.values);
    case 'one':
      return readOneOf(raw, name, field.values);
    case 'age':
      return instantOrAge(raw, name, nowMs);
    case 'text': {
      const given = one(raw, name);
      if (given === undefined) return undefined;
      return field.read(given) ?? invalid(name, `must be ${field.what ?? 'a text'}`);
    }
    default:
      return unreachable(field);
  }
}

/**
 * Reads a filter of operations from a query string or a body's object. Unknown members do not count here.
 *
 * @param nowMs wall time: ages are from now
 * @throws ProblemError `REQUEST_INVALID` that names the member
 */
export const readOpsFilter = (raw: Raw, nowMs: number): ChangeFilter =>
  given(
    Object.fromEntries(
      Object.entries(CHANGE_FILTER).map(([to, field]) => [to, readField(field, raw, nowMs)]),
    ),
  ) as ChangeFilter;
