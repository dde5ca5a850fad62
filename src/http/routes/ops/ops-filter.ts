import { Type } from '@fastify/type-provider-typebox';
import type { ChangeFilter, FilterField } from '../../../domain/change-filter.ts';
import { CHANGE_FILTER } from '../../../domain/change-filter.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import { invalid } from '../../kit/invalid.ts';
import { anyOf, given, instantOrAge, one, several, text } from '../../kit/filter-query.ts';
import { readOneOf } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';

/*
 * The filter of operations in requests: in a query string, where several values of one name are repeated or separated
 * by commas, or as an object in a body, where they are an array. Both forms are read here, so they mean the same.
 */

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

/** The filter in a body. */
export const OpsFilterBody = Type.Object(OPS_FILTER, { additionalProperties: false });

/** @throws ProblemError `REQUEST_INVALID` */
export const readCode = (raw: Raw): string | undefined =>
  readField(CHANGE_FILTER.code, raw, 0) as string | undefined;

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
 * Reads a filter of operations from a query string or a body's object. Unknown members are ignored here.
 *
 * @param nowMs wall time, from which ages are subtracted
 * @throws ProblemError `REQUEST_INVALID` that names the member
 */
export const readOpsFilter = (raw: Raw, nowMs: number): ChangeFilter =>
  given(
    Object.fromEntries(
      Object.entries(CHANGE_FILTER).map(([to, field]) => [to, readField(field, raw, nowMs)]),
    ),
  ) as ChangeFilter;
