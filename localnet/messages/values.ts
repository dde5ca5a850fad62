import type {
  Identifier,
  Record as RecordMessage,
  Value,
} from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { contractIdDefect, nameDefect, partyDefect } from '../ledger/identifiers.ts';
import { sortedGenMap } from '../ledger/lf-order.ts';
import type { LfType, RecordField, TypeName } from '../ledger/lf-types.ts';
import {
  VALUE_NESTING_MAX,
  isDate,
  isNumeric,
  isTimestamp,
  numericOf,
  preprocessingFailed,
  sortedTextMap,
  suffixedContractId,
  textOf,
} from '../ledger/lf-values.ts';
import {
  checkArgument,
  checkTypeId as checkIdentified,
  invalidArgument,
  missingField,
} from '../ledger/submission-checks.ts';
import type { TypeReference, ValueSource } from '../ledger/submission.ts';
import { matchFields } from './record-fields.ts';

/**
 * Converts a caller's type name. A missing name is converted to an empty one, which a later check of the fields
 * refuses.
 */
export const typeReference = (id: Identifier | undefined): TypeReference => ({
  packageId: id?.packageId ?? '',
  module: id?.moduleName ?? '',
  entity: id?.entityName ?? '',
});

/*
 * A value is read in two passes, as in a participant: first the checks that need no type (INVALID_ARGUMENT,
 * MISSING_FIELD), then those that need the type (COMMAND_PREPROCESSING_FAILED).
 */

/**
 * Does the checks that need no type. The depth of an argument as a whole is 0; each nested value is one level deeper.
 */
function checkValue(value: Value | undefined, depth: number): void {
  if (depth > VALUE_NESTING_MAX) {
    throw preprocessingFailed(
      `Provided value exceeds maximum nesting level of ${VALUE_NESTING_MAX}`,
    );
  }
  const sum = value?.sum;
  if (sum === undefined) throw missingField('value');
  switch (sum.$case) {
    case 'unit':
    case 'bool':
    case 'int64':
      return;
    case 'enum':
      checkIdentifier(sum.value.enumId);
      return;
    case 'text':
      return;
    case 'date':
      if (!isDate(sum.value)) throw invalidArgument(`out of bound Date ${sum.value}`);
      return;
    case 'timestamp':
      if (!isTimestamp(sum.value)) throw invalidArgument(`out of bound Timestamp ${sum.value}`);
      return;
    case 'numeric':
      if (!isNumeric(sum.value)) {
        throw invalidArgument(`Could not read Numeric string "${sum.value.slice(0, 100)}"`);
      }
      return;
    case 'party':
      checkArgument(sum.value, partyDefect);
      return;
    case 'contractId':
      checkArgument(sum.value, contractIdDefect);
      return;
    case 'optional':
      if (sum.value.value !== undefined) checkValue(sum.value.value, depth + 1);
      return;
    case 'list':
      for (const element of sum.value.elements) checkValue(element, depth + 1);
      return;
    case 'textMap':
      checkTextMap(sum.value.entries, depth);
      return;
    case 'genMap':
      for (const { key, value: item } of sum.value.entries) {
        checkValue(key, depth + 1);
        checkValue(item, depth + 1);
      }
      return;
    case 'record':
      checkRecord(sum.value, depth);
      return;
    case 'variant':
      checkIdentifier(sum.value.variantId);
      checkValue(sum.value.value, depth + 1);
      return;
    default:
      throw new TypeError(`no such value: ${JSON.stringify(sum satisfies never)}`);
  }
}

/** Checks a type name, which may be omitted. If present, it must name its package by ID. */
function checkIdentifier(id: Identifier | undefined): void {
  if (id === undefined) return;
  checkIdentified({ packageId: id.packageId, module: id.moduleName, entity: id.entityName });
}

function checkRecord(message: RecordMessage, depth: number): void {
  checkIdentifier(message.recordId);
  for (const { label, value } of message.fields) {
    if (label !== '') checkArgument(label, nameDefect);
    checkValue(value, depth + 1);
  }
}

function checkTextMap(
  entries: readonly { readonly key: string; readonly value: Value | undefined }[],
  depth: number,
): void {
  const keys = new Set<string>();
  for (const { key, value } of entries) {
    if (keys.has(key)) throw invalidArgument(`key ${key.slice(0, 100)} duplicated in map`);
    keys.add(key);
    checkValue(value, depth + 1);
  }
}

/**
 * Returns a source from which a command's value is read, for a value that is given as protobuf. Throws INVALID_ARGUMENT
 * or MISSING_FIELD at once.
 */
export function valueSource(value: Value | undefined, fieldName: string): ValueSource {
  if (value === undefined) throw missingField(fieldName);
  checkValue(value, 0);
  return <T>(type: LfType<T>) => decode(type, value) as T;
}

/** Like {@link valueSource}, but for the bare record of a create command. */
export function recordSource(message: RecordMessage | undefined, fieldName: string): ValueSource {
  if (message === undefined) throw missingField(fieldName);
  checkRecord(message, 0);
  const value: Value = { sum: { $case: 'record', value: message } };
  return <T>(type: LfType<T>) => decode(type, value) as T;
}

const mismatch = (type: LfType, value: Value | undefined) =>
  preprocessingFailed(
    `mismatching type: ${'name' in type ? `${type.name.module}:${type.name.entity}` : type.kind} and value: ${value?.sum?.$case ?? 'nothing'}`,
  );

function decode(type: LfType, value: Value | undefined): unknown {
  const sum = value?.sum;
  switch (type.kind) {
    case 'unit':
      if (sum?.$case === 'unit') return {};
      break;
    case 'numeric':
      if (sum?.$case === 'numeric') return numericOf(sum.value, type.scale);
      break;
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'party':
      if (sum?.$case === type.kind) return sum.value;
      break;
    case 'text':
      if (sum?.$case === 'text') return textOf(sum.value);
      break;
    case 'contractId':
      if (sum?.$case === 'contractId') return suffixedContractId(sum.value);
      break;
    case 'optional':
      if (sum?.$case !== 'optional') break;
      return sum.value.value === undefined ? null : { some: decode(type.of, sum.value.value) };
    case 'list':
      if (sum?.$case !== 'list') break;
      return sum.value.elements.map((element) => decode(type.of, element));
    case 'textMap':
      if (sum?.$case !== 'textMap') break;
      return sortedTextMap(
        sum.value.entries.map(({ key, value: item }) => [textOf(key), decode(type.of, item)]),
      );
    case 'genMap':
      if (sum?.$case !== 'genMap') break;
      return sortedGenMap(
        type.key,
        sum.value.entries.map((entry) => [
          decode(type.key, entry.key),
          decode(type.value, entry.value),
        ]),
      );
    case 'record':
      if (sum?.$case !== 'record') break;
      checkExpected(type.name, sum.value.recordId);
      return decodeRecord(type.fields, sum.value, type.name);
    case 'variant':
      return decodeVariant(type, value);
    case 'enum':
      if (sum?.$case !== 'enum' || !type.constructors.includes(sum.value.constructor)) break;
      checkExpected(type.name, sum.value.enumId);
      return sum.value.constructor;
    default:
      throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
  }
  throw mismatch(type, value);
}

function decodeVariant(
  type: LfType & { readonly kind: 'variant' },
  value: Value | undefined,
): unknown {
  const sum = value?.sum;
  if (sum?.$case !== 'variant') throw mismatch(type, value);
  checkExpected(type.name, sum.value.variantId);
  const found = type.constructors.find(({ name }) => name === sum.value.constructor);
  if (found === undefined) throw mismatch(type, value);
  return { tag: found.name, value: decode(found.type, sum.value.value) };
}

/** Checks a type name, which may be omitted. If present, it must be the expected one. */
function checkExpected(expected: TypeName, given: Identifier | undefined): void {
  if (given === undefined || (given.moduleName === '' && given.entityName === '')) return;
  if (given.moduleName === expected.module && given.entityName === expected.entity) return;
  throw preprocessingFailed(
    `Mismatching variant id, the type tells us ${expected.module}:${expected.entity}, but the value tells us ${given.moduleName}:${given.entityName}`,
  );
}

function decodeRecord(
  fields: readonly RecordField[],
  message: RecordMessage,
  name: TypeName,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [field, given] of matchFields(fields, message, name)) {
    record[field.name] = given === undefined ? null : decode(field.type, given.value);
  }
  return record;
}

/** Options for encoding values: `verbose`, and a function that returns the package IDs for type names. */
export interface ValueEncoding {
  readonly verbose: boolean;
  packageIdOf(packageName: string): string;
}

export const identifier = (packageId: string, name: TypeName): Identifier => ({
  packageId,
  moduleName: name.module,
  entityName: name.entity,
});

const typeId = (how: ValueEncoding, name: TypeName) =>
  how.verbose ? identifier(how.packageIdOf(name.packageName), name) : undefined;

export function encodeValue(type: LfType, value: unknown, how: ValueEncoding): Value {
  switch (type.kind) {
    case 'unit':
      return { sum: { $case: 'unit', value: {} } };
    case 'bool':
      return { sum: { $case: 'bool', value: value as boolean } };
    case 'int64':
      return { sum: { $case: 'int64', value: value as bigint } };
    case 'date':
      return { sum: { $case: 'date', value: value as number } };
    case 'timestamp':
      return { sum: { $case: 'timestamp', value: value as bigint } };
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
      return { sum: { $case: type.kind, value: value as string } };
    case 'optional': {
      const some = value as { some: unknown } | null;
      const inner = some === null ? undefined : encodeValue(type.of, some.some, how);
      return { sum: { $case: 'optional', value: { value: inner } } };
    }
    case 'list': {
      const elements = (value as unknown[]).map((item) => encodeValue(type.of, item, how));
      return { sum: { $case: 'list', value: { elements } } };
    }
    case 'textMap': {
      const entries = Array.from(value as ReadonlyMap<string, unknown>, ([key, item]) => ({
        key,
        value: encodeValue(type.of, item, how),
      }));
      return { sum: { $case: 'textMap', value: { entries } } };
    }
    case 'genMap': {
      const entries = (value as [unknown, unknown][]).map(([key, item]) => ({
        key: encodeValue(type.key, key, how),
        value: encodeValue(type.value, item, how),
      }));
      return { sum: { $case: 'genMap', value: { entries } } };
    }
    case 'record':
      return { sum: { $case: 'record', value: encodeRecord(type, value, how) } };
    case 'variant':
      return encodeVariant(type, value as { tag: string; value: unknown }, how);
    case 'enum':
      return {
        sum: {
          $case: 'enum',
          value: { enumId: typeId(how, type.name), constructor: value as string },
        },
      };
    default:
      throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
  }
}

function encodeVariant(
  type: LfType & { readonly kind: 'variant' },
  { tag, value }: { readonly tag: string; readonly value: unknown },
  how: ValueEncoding,
): Value {
  const found = type.constructors.find(({ name }) => name === tag);
  const inner = found === undefined ? undefined : encodeValue(found.type, value, how);
  return {
    sum: {
      $case: 'variant',
      value: { variantId: typeId(how, type.name), constructor: tag, value: inner },
    },
  };
}

/**
 * Encodes a record. Labels are included only with `verbose`. Trailing optional fields that are None are always omitted.
 */
export function encodeRecord(
  type: LfType & { readonly kind: 'record' },
  value: unknown,
  how: ValueEncoding,
): RecordMessage {
  const record = value as Readonly<Record<string, unknown>>;
  let count = type.fields.length;
  for (; count > 0; count -= 1) {
    const last = type.fields[count - 1];
    if (last === undefined || last.type.kind !== 'optional' || record[last.name] !== null) break;
  }
  return {
    recordId: typeId(how, type.name),
    fields: type.fields.slice(0, count).map((field) => ({
      label: how.verbose ? field.name : '',
      value: encodeValue(field.type, record[field.name], how),
    })),
  };
}
