import { Cursor, VARINT } from '../../lf/cursor.ts';
import { parseError } from '../../lf/errors.ts';
import { readFields } from '../../lf/fields.ts';
import type { Span } from '../../lf/fields.ts';
import type { LfPackage } from '../../lf/package.ts';
import { Numeric } from './values.ts';
import type { Value } from './values.ts';

const LITERAL = { int64: 1, timestamp: 2, numeric: 3, text: 4, date: 5, category: 6 } as const;
/** Numbers of the categories that a failure may have. */
const CATEGORIES = [8n, 9n] as const;

/** Reads the value of a literal. */
export function literalOf({ payload, tables }: LfPackage, span: Span): Value {
  const { start, end } = span;
  const cursor = new Cursor(payload, start);
  const tag = cursor.varint(end);
  const number = tag >>> 3;
  if (number === LITERAL.timestamp) {
    const view = new DataView(payload.buffer, payload.byteOffset + cursor.position, 8);
    return view.getBigInt64(0, true);
  }
  if ((tag & 7) !== VARINT) throw parseError('BuiltinLit.SUM_NOT_SET');
  if (number === LITERAL.int64) return zigzag(varint64(payload, cursor.position));
  const value = readFields(payload, span).number(number);
  switch (number) {
    case LITERAL.numeric:
      return numericOf(tables.string(value));
    case LITERAL.text:
      return tables.string(value);
    case LITERAL.date:
      return value | 0;
    case LITERAL.category:
      return CATEGORIES[value] ?? 9n;
    default:
      throw parseError('BuiltinLit.SUM_NOT_SET');
  }
}

function varint64(bytes: Uint8Array, at: number): bigint {
  let value = 0n;
  let shift = 0n;
  for (let position = at; ; position += 1) {
    const byte = bytes[position] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
}

const zigzag = (value: bigint): bigint => (value >> 1n) ^ -(value & 1n);

/** Parses a numeric literal. Its scale is the number of its digits after the point. */
function numericOf(text: string): Numeric {
  const [, decimals = ''] = text.split('.');
  return new Numeric(BigInt(text.replace('.', '')), decimals.length);
}
