import type { Record as LfRecord, Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';

/*
 * Functions that create Daml-LF values, one for each type, and a function that converts values to a form that `expect`
 * can compare.
 */

export type Fields = Readonly<Record<string, Value>>;

export const text = (value: string): Value => ({ sum: { $case: 'text', value } });
export const party = (value: string): Value => ({ sum: { $case: 'party', value } });
export const int64 = (value: bigint): Value => ({ sum: { $case: 'int64', value } });
export const numeric = (value: string): Value => ({ sum: { $case: 'numeric', value } });
/** Microseconds since the epoch. */
export const timestamp = (value: bigint): Value => ({ sum: { $case: 'timestamp', value } });
export const contractId = (value: string): Value => ({ sum: { $case: 'contractId', value } });

export const bool = (value: boolean): Value => ({ sum: { $case: 'bool', value } });
export const none: Value = { sum: { $case: 'optional', value: { value: undefined } } };
export const some = (value: Value): Value => ({ sum: { $case: 'optional', value: { value } } });
export const genMapOf = (entries: readonly (readonly [Value, Value])[]): Value => ({
  sum: {
    $case: 'genMap',
    value: { entries: entries.map(([key, value]) => ({ key, value })) },
  },
});
export const list = (elements: readonly Value[]): Value => ({
  sum: { $case: 'list', value: { elements: [...elements] } },
});
export const variant = (constructor: string, value: Value): Value => ({
  sum: { $case: 'variant', value: { variantId: undefined, constructor, value } },
});

/** Returns a record with labels. */
export const record = (fields: Fields): LfRecord => ({
  recordId: undefined,
  fields: Object.entries(fields).map(([label, value]) => ({ label, value })),
});

/** Removes the labels of a record, because participants also accept fields by position. */
export const unlabelled = ({ recordId, fields }: LfRecord): LfRecord => ({
  recordId,
  fields: fields.map(({ value }) => ({ label: '', value })),
});

export const recordValue = (fields: Fields): Value => ({
  sum: { $case: 'record', value: record(fields) },
});

export const textMapOf = (entries: Fields): Value => ({
  sum: {
    $case: 'textMap',
    value: { entries: Object.entries(entries).map(([key, value]) => ({ key, value })) },
  },
});

export const textMap = (entries: Readonly<Record<string, string>>): Value =>
  textMapOf(Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, text(value)])));

/**
 * Converts a record to an object by label, or to a list by position if labels are missing. Nested values are converted
 * in the same way.
 */
export function readRecord(source: LfRecord | undefined): unknown {
  const fields = source?.fields ?? [];
  if (fields.every(({ label }) => label === '')) return fields.map(({ value }) => readValue(value));
  return Object.fromEntries(fields.map(({ label, value }) => [label, readValue(value)]));
}

/**
 * Converts a value: scalars stay the same (int64 and timestamp are bigint), unit becomes `{}`, a map an object, and
 * None `null`.
 */
export function readValue(value: Value | undefined): unknown {
  return value?.sum && readSum(value.sum);
}

function readSum(sum: NonNullable<Value['sum']>): unknown {
  switch (sum.$case) {
    case 'unit':
      return {};
    case 'record':
      return readRecord(sum.value);
    case 'optional':
      return sum.value.value === undefined ? null : { some: readValue(sum.value.value) };
    case 'list':
      return sum.value.elements.map(readValue);
    case 'textMap':
      return Object.fromEntries(sum.value.entries.map(({ key, value }) => [key, readValue(value)]));
    case 'genMap':
      return sum.value.entries.map(({ key, value }) => [readValue(key), readValue(value)]);
    case 'variant':
      return { tag: sum.value.constructor, value: readValue(sum.value.value) };
    case 'enum':
      return sum.value.constructor;
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
      return sum.value;
    default:
      throw new Error(`value of unknown kind: ${JSON.stringify(sum satisfies never)}`);
  }
}
