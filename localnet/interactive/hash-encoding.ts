import type { Identifier, Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { int32 } from '../topology/canton-hash.ts';

/*
 * Encodes values for the hash of a prepared transaction. Numbers are big-endian. A value of variable size has its
 * length before it, and every Daml value has a tag before it.
 */

export const bool = (given: boolean): Buffer => Buffer.from([given ? 1 : 0]);

export function int64(given: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt.asIntN(64, given));
  return bytes;
}

const sized = (bytes: Buffer): Buffer => Buffer.concat([int32(bytes.length), bytes]);

export const string = (text: string): Buffer => sized(Buffer.from(text));

export const hexString = (hex: string): Buffer => sized(Buffer.from(hex, 'hex'));

export const optional = <T>(given: T | undefined, encode: (given: T) => Buffer): Buffer =>
  given === undefined ? bool(false) : Buffer.concat([bool(true), encode(given)]);

export const repeated = <T>(given: readonly T[], encode: (given: T) => Buffer): Buffer =>
  Buffer.concat([int32(given.length), ...given.map(encode)]);

const dotted = (name: string): Buffer => repeated(name.split('.'), string);

export const identifier = (id: Identifier | undefined): Buffer =>
  Buffer.concat([
    string(id?.packageId ?? ''),
    dotted(id?.moduleName ?? ''),
    dotted(id?.entityName ?? ''),
  ]);

const TAG = {
  unit: 0,
  bool: 1,
  int64: 2,
  numeric: 3,
  timestamp: 4,
  date: 5,
  party: 6,
  text: 7,
  contractId: 8,
  optional: 9,
  list: 10,
  textMap: 11,
  record: 12,
  variant: 13,
  enum: 14,
  genMap: 15,
} as const;

/** Encodes a value with its tag. A missing value is encoded as nothing. */
export function value(given: Value | undefined): Buffer {
  const sum = given?.sum;
  if (sum === undefined) return Buffer.alloc(0);
  return Buffer.concat([Buffer.from([TAG[sum.$case]]), content(sum)]);
}

function content(sum: NonNullable<Value['sum']>): Buffer {
  switch (sum.$case) {
    case 'unit':
      return Buffer.alloc(0);
    case 'bool':
      return bool(sum.value);
    case 'int64':
    case 'timestamp':
      return int64(sum.value);
    case 'date':
      return int32(sum.value);
    case 'numeric':
    case 'party':
    case 'text':
      return string(sum.value);
    case 'contractId':
      return hexString(sum.value);
    case 'optional':
      return optional(sum.value.value, value);
    case 'list':
      return repeated(sum.value.elements, value);
    case 'textMap':
      return repeated(sum.value.entries, (entry) =>
        Buffer.concat([string(entry.key), value(entry.value)]),
      );
    case 'genMap':
      return repeated(sum.value.entries, (entry) =>
        Buffer.concat([value(entry.key), value(entry.value)]),
      );
    case 'record':
      return Buffer.concat([
        optional(sum.value.recordId, identifier),
        repeated(sum.value.fields, (field) =>
          Buffer.concat([optional(field.label, string), value(field.value)]),
        ),
      ]);
    case 'variant':
      return Buffer.concat([
        optional(sum.value.variantId, identifier),
        string(sum.value.constructor),
        value(sum.value.value),
      ]);
    case 'enum':
      return Buffer.concat([optional(sum.value.enumId, identifier), string(sum.value.constructor)]);
    default:
      throw new TypeError(`no such value: ${JSON.stringify(sum satisfies never)}`);
  }
}
