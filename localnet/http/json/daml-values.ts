import type {
  RecordField as FieldMessage,
  Value,
} from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { beginningOf } from '../../ledger/lf-json.ts';
import type { Json } from '../../ledger/lf-json.ts';
import type { LfType, RecordField } from '../../ledger/lf-types.ts';
import {
  dateText,
  parseDate,
  parseTimestamp,
  preprocessingFailed,
  timestampText,
  VALUE_NESTING_MAX,
} from '../../ledger/lf-values.ts';
import { invalidArgument } from '../../ledger/submission-checks.ts';

/*
 * The JSON API's encoding of Daml values. Decoding checks only JSON types; the called service checks ranges and names.
 * For a wrong JSON type, a participant returns an internal error that names the expected type.
 */

type JsonKind = 'Str' | 'Bool' | 'Obj' | 'Arr';

const unexpected = (json: Json | undefined, expected: JsonKind) =>
  jsonFailure(`Expected ujson.${expected} (data: ${beginningOf(json ?? null)})`);

const jsonFailure = (cause: string) => new UnexpectedJson(cause);

/**
 * Thrown for JSON that is not an encoding of the type. A participant answers it with an internal error that contains
 * the reason.
 */
export class UnexpectedJson extends Error {
  override readonly name = 'UnexpectedJson';
}

function textOf(json: Json | undefined): string {
  if (typeof json !== 'string') throw unexpected(json, 'Str');
  return json;
}

function itemsOf(json: Json | undefined): readonly Json[] {
  if (!Array.isArray(json)) throw unexpected(json, 'Arr');
  return json as readonly Json[];
}

function fieldsOf(json: Json | undefined): Readonly<Record<string, Json>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unexpected(json, 'Obj');
  }
  return json as Readonly<Record<string, Json>>;
}

/** Converts a JSON value to the protobuf value for a service. Labels are omitted, because the fields are in order. */
export function valueOfJson(type: LfType, json: Json | undefined, depth = 1): Value {
  // Each level may take several stack frames, so reading stops at the depth from which on a service would refuse the
  // value anyway.
  if (depth > VALUE_NESTING_MAX + 1) {
    throw preprocessingFailed(
      `Provided value exceeds maximum nesting level of ${VALUE_NESTING_MAX}`,
    );
  }
  const read = (of: LfType, item: Json | undefined) => valueOfJson(of, item, depth + 1);
  switch (type.kind) {
    case 'unit':
      return { sum: { $case: 'unit', value: {} } };
    case 'bool':
      if (typeof json !== 'boolean') throw unexpected(json, 'Bool');
      return { sum: { $case: 'bool', value: json } };
    case 'int64':
      return { sum: { $case: 'int64', value: int64Of(textOf(json)) } };
    case 'numeric':
      return { sum: { $case: 'numeric', value: numericOf(json) } };
    case 'date':
      return { sum: { $case: 'date', value: timeOf(textOf(json), parseDate) } };
    case 'timestamp':
      return { sum: { $case: 'timestamp', value: timeOf(textOf(json), parseTimestamp) } };
    case 'party':
    case 'text':
    case 'contractId':
      return { sum: { $case: type.kind, value: textOf(json) } };
    case 'enum': {
      const constructor = textOf(json);
      if (!type.constructors.includes(constructor))
        throw jsonFailure(`Unexpected case: ${constructor}`);
      return { sum: { $case: 'enum', value: { enumId: undefined, constructor } } };
    }
    case 'optional':
      return { sum: { $case: 'optional', value: { value: someOf(type.of, json, read) } } };
    case 'list':
      return {
        sum: {
          $case: 'list',
          value: { elements: itemsOf(json).map((item) => read(type.of, item)) },
        },
      };
    case 'textMap': {
      const entries = Object.entries(fieldsOf(json)).map(([key, item]) => ({
        key,
        value: read(type.of, item),
      }));
      return { sum: { $case: 'textMap', value: { entries } } };
    }
    case 'genMap': {
      const entries = itemsOf(json).map((entry) => {
        const [key, value] = itemsOf(entry);
        return { key: read(type.key, key), value: read(type.value, value) };
      });
      return { sum: { $case: 'genMap', value: { entries } } };
    }
    case 'record': {
      const fields = recordFieldsOf(type.fields, fieldsOf(json), read);
      return { sum: { $case: 'record', value: { recordId: undefined, fields } } };
    }
    case 'variant':
      return variantOf(type.constructors, json, read);
    default:
      throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
  }
}

type ReadItem = (type: LfType, json: Json | undefined) => Value;

function int64Of(text: string): bigint {
  const isNumber = /^[+-]?\d{1,19}$/.test(text);
  const value = isNumber ? BigInt(text.replace('+', '')) : 0n;
  if (!isNumber || BigInt.asIntN(64, value) !== value) {
    throw invalidArgument(`For input string: "${text.slice(0, 100)}"`);
  }
  return value;
}

function numericOf(json: Json | undefined): string {
  if (typeof json === 'string') return json;
  if (typeof json !== 'number') {
    throw invalidArgument(`${beginningOf(json ?? null)} is not a valid numeric value`);
  }
  // A participant reads a number as a double and writes it with a double's digits.
  const digits = json.toString();
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

function timeOf<T>(text: string, parse: (text: string) => T | undefined): T {
  const value = parse(text);
  if (value === undefined) {
    throw jsonFailure(`Text '${text.slice(0, 100)}' could not be parsed at index 0`);
  }
  return value;
}

/**
 * Reads an optional that is not nested: `undefined` for `null`, which is None. A nested optional is an array with at
 * most one item.
 */
function someOf(of: LfType, json: Json | undefined, read: ReadItem): Value | undefined {
  if (of.kind !== 'optional') {
    return json === null || json === undefined ? undefined : read(of, json);
  }
  const [item] = itemsOf(json);
  return item === undefined ? undefined : nestedOf(of, item, read);
}

/** Reads an optional that is an array: None is an empty array. */
function nestedOf(of: LfType, json: Json, read: ReadItem): Value {
  if (of.kind !== 'optional') return read(of, json);
  const [item] = itemsOf(json);
  const value = item === undefined ? undefined : nestedOf(of.of, item, read);
  return { sum: { $case: 'optional', value: { value } } };
}

const isNone = ({ value }: FieldMessage): boolean =>
  value?.sum?.$case === 'optional' && value.sum.value.value === undefined;

function recordFieldsOf(
  fields: readonly RecordField[],
  json: Readonly<Record<string, Json>>,
  read: ReadItem,
): FieldMessage[] {
  const missing = fields.filter(
    ({ name, type }) => type.kind !== 'optional' && !Object.hasOwn(json, name),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw preprocessingFailed(`Missing non-optional fields: Set(${names})`);
  }
  const known = new Set(fields.map(({ name }) => name));
  const extra = Object.keys(json).filter((name) => json[name] !== null && !known.has(name));
  if (extra.length > 0) throw invalidArgument(`Unexpected fields: ${extra.join('')}`);
  const values = fields.map(({ name, type }) => ({
    label: '',
    value: read(type, Object.hasOwn(json, name) ? json[name] : null),
  }));
  const last = values.findLastIndex((field) => !isNone(field));
  return values.slice(0, last + 1);
}

function variantOf(
  constructors: readonly RecordField[],
  json: Json | undefined,
  read: ReadItem,
): Value {
  const fields = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  const { tag, value } = fields as Readonly<Record<string, Json>>;
  if (tag === undefined || value === undefined) {
    throw invalidArgument("Variant type json must have 'tag' and 'value' fields.");
  }
  const constructor = textOf(tag);
  const found = constructors.find(({ name }) => name === constructor);
  if (found === undefined) throw invalidArgument(`Unexpected variant tag: ${constructor}`);
  return {
    sum: {
      $case: 'variant',
      value: { variantId: undefined, constructor, value: read(found.type, value) },
    },
  };
}

const broken = (type: LfType): LedgerError =>
  new LedgerError('LEDGER_API_INTERNAL_ERROR', `a service answered no ${type.kind}`);

/** Converts a service's value to JSON. Trailing fields of a record that are None are omitted. */
export function jsonOfValue(type: LfType, message: Value | undefined): Json {
  const sum = message?.sum;
  switch (type.kind) {
    case 'unit':
      return {};
    case 'int64':
      if (sum?.$case !== 'int64') throw broken(type);
      return sum.value.toString();
    case 'date':
      if (sum?.$case !== 'date') throw broken(type);
      return dateText(sum.value);
    case 'timestamp':
      if (sum?.$case !== 'timestamp') throw broken(type);
      return shortest(timestampText(sum.value));
    case 'bool':
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
      if (sum?.$case !== type.kind) throw broken(type);
      return sum.value;
    case 'enum':
      if (sum?.$case !== 'enum') throw broken(type);
      return sum.value.constructor;
    case 'optional':
      if (sum?.$case !== 'optional') throw broken(type);
      return someJson(type.of, sum.value.value);
    case 'list':
      if (sum?.$case !== 'list') throw broken(type);
      return sum.value.elements.map((element) => jsonOfValue(type.of, element));
    case 'textMap':
      if (sum?.$case !== 'textMap') throw broken(type);
      return Object.fromEntries(
        sum.value.entries.map(({ key, value }) => [key, jsonOfValue(type.of, value)]),
      );
    case 'genMap':
      if (sum?.$case !== 'genMap') throw broken(type);
      return sum.value.entries.map(({ key, value }) => [
        jsonOfValue(type.key, key),
        jsonOfValue(type.value, value),
      ]);
    case 'record':
      if (sum?.$case !== 'record') throw broken(type);
      return recordJson(type.fields, sum.value.fields);
    case 'variant': {
      if (sum?.$case !== 'variant') throw broken(type);
      const { constructor: tag, value } = sum.value;
      const found = type.constructors.find(({ name }) => name === tag);
      if (found === undefined) throw broken(type);
      return { tag, value: jsonOfValue(found.type, value) };
    }
    default:
      throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
  }
}

/** Removes trailing zeros from fractions of a second, because Daml shows none. */
const shortest = (instant: string): string => instant.replace(/(\.\d*[1-9])0+Z$/, '$1Z');

function someJson(of: LfType, value: Value | undefined): Json {
  if (of.kind !== 'optional') return value === undefined ? null : jsonOfValue(of, value);
  return value === undefined ? [] : [nestedJson(of, value)];
}

function nestedJson(of: LfType, value: Value): Json {
  if (of.kind !== 'optional') return jsonOfValue(of, value);
  const inner = value.sum?.$case === 'optional' ? value.sum.value.value : undefined;
  return inner === undefined ? [] : [nestedJson(of.of, inner)];
}

function recordJson(fields: readonly RecordField[], given: readonly FieldMessage[]): Json {
  const entries = fields.map(({ name, type }, index): [string, Json] => {
    const value = given[index]?.value;
    return [name, value === undefined ? null : jsonOfValue(type, value)];
  });
  while (entries.length > 0 && entries.at(-1)?.[1] === null) entries.pop();
  return Object.fromEntries(entries);
}
