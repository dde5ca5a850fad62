import { contractIdsIn } from './lf-parts.ts';
import { sortedGenMap } from './lf-order.ts';
import type { LfType, RecordField } from './lf-types.ts';
import {
  INT64_MAX,
  INT64_MIN,
  VALUE_NESTING_MAX,
  dateText,
  isContractId,
  isNumeric,
  isParty,
  numericOf,
  parseDate,
  parseTimestamp,
  preprocessingFailed,
  sortedTextMap,
  suffixedContractId,
  textOf,
  timestampText,
} from './lf-values.ts';
import type { ValueSource } from './submission.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/**
 * Returns an LF value as JSON, in the encoding that the JSON Ledger API and the query store share: 64-bit integers and
 * numerics are strings, an optional is `null` or the bare value (nested optionals are arrays), a variant is `{tag,
 * value}`.
 */
export function toJson(type: LfType, value: unknown): Json {
  switch (type.kind) {
    case 'bool':
      return value as boolean;
    case 'int64':
      return (value as bigint).toString();
    case 'date':
      return dateText(value as number);
    case 'timestamp':
      return timestampText(value as bigint);
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
    case 'enum':
      return value as string;
    case 'unit':
      return {};
    case 'optional':
      return optionalToJson(type.of, value as { some: unknown } | null);
    case 'list':
      return (value as unknown[]).map((item) => toJson(type.of, item));
    case 'textMap':
      return textMapToJson(type.of, value as ReadonlyMap<string, unknown>);
    case 'genMap':
      return (value as [unknown, unknown][]).map(([key, item]) => [
        toJson(type.key, key),
        toJson(type.value, item),
      ]);
    case 'record':
      return recordToJson(type.fields, value as Record<string, unknown>);
    case 'variant': {
      const { tag, value: inner } = value as { tag: string; value: unknown };
      const found = type.constructors.find(({ name }) => name === tag);
      return { tag, value: found === undefined ? null : toJson(found.type, inner) };
    }
    default:
      return unreachable(type);
  }
}

function optionalToJson(of: LfType, value: { some: unknown } | null): Json {
  if (of.kind !== 'optional') return value === null ? null : toJson(of, value.some);
  return value === null ? null : value.some === null ? [] : [toJson(of, value.some)];
}

function textMapToJson(of: LfType, value: ReadonlyMap<string, unknown>): Json {
  const out: Record<string, Json> = Object.create(null) as Record<string, Json>;
  for (const [key, item] of value) out[key] = toJson(of, item);
  return out;
}

function recordToJson(fields: readonly RecordField[], value: Record<string, unknown>): Json {
  const out: Record<string, Json> = {};
  for (const { name, type } of fields) out[name] = toJson(type, value[name]);
  return out;
}

const SHOWN_CHARS_MAX = 200;

/**
 * Returns the beginning of a JSON value as text, for errors. A value that is nested too deeply to be serialised is not
 * shown.
 */
export function beginningOf(json: Json): string {
  try {
    return JSON.stringify(json).slice(0, SHOWN_CHARS_MAX);
  } catch {
    return Array.isArray(json) ? '[…]' : '{…}';
  }
}

const mismatch = (type: LfType, json: Json | undefined) =>
  preprocessingFailed(
    `mismatching type: ${type.kind} and value: ${json === undefined ? 'nothing' : beginningOf(json)}`,
  );

/**
 * Converts JSON in the encoding of {@link toJson} to a value. A number is accepted where a string is expected, and
 * `null` stands for a missing optional.
 */
export function fromJson(type: LfType, json: Json | undefined): unknown {
  switch (type.kind) {
    case 'unit':
      return {};
    case 'bool':
      if (typeof json !== 'boolean') throw mismatch(type, json);
      return json;
    case 'int64':
      return int64FromJson(type, json);
    case 'numeric':
      return numericFromJson(type, type.scale, json);
    case 'date':
      return orMismatch(type, json, typeof json === 'string' ? parseDate(json) : undefined);
    case 'timestamp':
      return orMismatch(type, json, typeof json === 'string' ? parseTimestamp(json) : undefined);
    case 'party':
      if (typeof json !== 'string' || !isParty(json)) throw mismatch(type, json);
      return json;
    case 'text':
      if (typeof json !== 'string') throw mismatch(type, json);
      return textOf(json);
    case 'contractId':
      if (typeof json !== 'string' || !isContractId(json)) throw mismatch(type, json);
      return json;
    case 'enum':
      if (typeof json !== 'string' || !type.constructors.includes(json)) throw mismatch(type, json);
      return json;
    case 'optional':
      return optionalFromJson(type, type.of, json);
    case 'list':
      return arrayOf(type, json).map((item) => fromJson(type.of, item));
    case 'genMap':
      return sortedGenMap(
        type.key,
        arrayOf(type, json).map((entry) => {
          const [key, value] = arrayOf(type, entry);
          return [fromJson(type.key, key), fromJson(type.value, value)];
        }),
      );
    case 'textMap':
      return sortedTextMap(
        Object.entries(objectOf(type, json)).map(([key, item]) => [
          textOf(key),
          fromJson(type.of, item),
        ]),
      );
    case 'record':
      return recordFromJson(type, type.fields, json);
    case 'variant':
      return variantFromJson(type, type.constructors, json);
    default:
      return unreachable(type);
  }
}

/**
 * The maximum nesting of JSON. Deeper JSON cannot contain a valid value, because a level of a value takes at most two
 * levels of JSON, as in a map's entry.
 */
const JSON_NESTING_MAX = 2 * VALUE_NESTING_MAX;

const nestsDeeper = (json: Json | undefined, levels: number): boolean =>
  typeof json === 'object' &&
  json !== null &&
  (levels === 0 || Object.values(json).some((item) => nestsDeeper(item, levels - 1)));

/** Returns a source from which a command's value is read, for a value that is given as JSON. */
export const jsonSource =
  (json: Json | undefined): ValueSource =>
  <T>(type: LfType<T>) => {
    if (nestsDeeper(json, JSON_NESTING_MAX)) {
      throw preprocessingFailed(
        `Provided value exceeds maximum nesting level of ${VALUE_NESTING_MAX}`,
      );
    }
    const value = fromJson(type, json);
    for (const contractId of contractIdsIn(type, value)) suffixedContractId(contractId);
    return value as T;
  };

function orMismatch<T>(type: LfType, json: Json | undefined, value: T | undefined): T {
  if (value === undefined) throw mismatch(type, json);
  return value;
}

function int64FromJson(type: LfType, json: Json | undefined): bigint {
  const isInteger =
    (typeof json === 'string' && /^[+-]?\d{1,19}$/.test(json)) || Number.isSafeInteger(json);
  if (!isInteger) throw mismatch(type, json);
  const value = BigInt(json as string | number);
  if (value < INT64_MIN || value > INT64_MAX) throw mismatch(type, json);
  return value;
}

function numericFromJson(type: LfType, scale: number, json: Json | undefined): string {
  if (typeof json !== 'string' && typeof json !== 'number') throw mismatch(type, json);
  const text = String(json);
  if (!isNumeric(text)) throw mismatch(type, json);
  return numericOf(text, scale);
}

function optionalFromJson(type: LfType, of: LfType, json: Json | undefined): unknown {
  if (json === null || json === undefined) return null;
  if (of.kind !== 'optional') return { some: fromJson(of, json) };
  const items = arrayOf(type, json);
  return { some: items.length === 0 ? null : fromJson(of, items[0]) };
}

function recordFromJson(
  type: LfType,
  fields: readonly RecordField[],
  json: Json | undefined,
): unknown {
  const source = objectOf(type, json);
  const out: Record<string, unknown> = {};
  for (const field of fields) {
    const item = Object.hasOwn(source, field.name) ? source[field.name] : undefined;
    if (item === undefined && field.type.kind !== 'optional') {
      throw preprocessingFailed(`Missing non-optional field: ${field.name}`);
    }
    out[field.name] = fromJson(field.type, item);
  }
  for (const name of Object.keys(source)) {
    if (!Object.hasOwn(out, name)) throw preprocessingFailed(`Unexpected field: ${name}`);
  }
  return out;
}

function variantFromJson(
  type: LfType,
  constructors: readonly RecordField[],
  json: Json | undefined,
): unknown {
  const { tag, value } = objectOf(type, json);
  const found = constructors.find(({ name }) => name === tag);
  if (found === undefined) throw mismatch(type, json);
  return { tag: found.name, value: fromJson(found.type, value) };
}

function arrayOf(type: LfType, json: Json | undefined): readonly Json[] {
  if (!Array.isArray(json)) throw mismatch(type, json);
  return json as readonly Json[];
}

function objectOf(type: LfType, json: Json | undefined): Readonly<Record<string, Json>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw mismatch(type, json);
  return json as Readonly<Record<string, Json>>;
}

function unreachable(type: never): never {
  throw new TypeError(`no such LF type: ${JSON.stringify(type)}`);
}
