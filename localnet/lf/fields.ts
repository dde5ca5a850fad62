import { Cursor } from './cursor.ts';
import { wireError } from './errors.ts';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
/** No field that is read here has a higher number. */
const FIELD_MAX = 31;

/** Bytes of a message inside a larger one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A field of a message as it stands there: a number, or the span of what has a length. */
export type FieldVisitor = (field: number, value: number, span: Span | undefined) => void;

/**
 * Visits the fields of a message that are numbers or have a length, in order. DAR_PARSE_ERROR for what is no message.
 */
export function visitFields(bytes: Uint8Array, { start, end }: Span, visit: FieldVisitor): void {
  const cursor = new Cursor(bytes, start);
  while (cursor.position < end) {
    const tag = cursor.varint(end);
    switch (tag & 7) {
      case VARINT:
        visit(tag >>> 3, cursor.varint(end), undefined);
        break;
      case LENGTH_DELIMITED: {
        const to = cursor.length(end);
        visit(tag >>> 3, 0, { start: cursor.position, end: to });
        cursor.position = to;
        break;
      }
      case FIXED64:
        cursor.skip(8, end);
        break;
      default:
        throw wireError('Protocol message tag had invalid wire type.');
    }
  }
}

/** The fields of a small message, each with what it holds last; absent numbers are 0. */
export interface Fields {
  number(field: number): number;
  /** Whether a number is there, 0 included. */
  has(field: number): boolean;
  span(field: number): Span | undefined;
  spans(field: number): readonly Span[];
}

const NONE: readonly Span[] = [];

/** @param without a field that may be there very often, and that is not asked for */
export function readFields(bytes: Uint8Array, span: Span | undefined, without?: number): Fields {
  const numbers: (number | undefined)[] = [];
  const spans: (Span[] | undefined)[] = [];
  if (span !== undefined) {
    visitFields(bytes, span, (field, value, of) => {
      if (field > FIELD_MAX || field === without) return;
      if (of === undefined) numbers[field] = value;
      else {
        const known = spans[field];
        if (known === undefined) spans[field] = [of];
        else known.push(of);
      }
    });
  }
  return {
    number: (field) => numbers[field] ?? 0,
    has: (field) => numbers[field] !== undefined,
    span: (field) => spans[field]?.at(-1),
    spans: (field) => spans[field] ?? NONE,
  };
}

/** Numbers of a repeated field, whether they came as one list or one by one. */
export function readNumbers(bytes: Uint8Array, span: Span, field: number): readonly number[] {
  const numbers: number[] = [];
  visitFields(bytes, span, (of, value, list) => {
    if (of !== field) return;
    if (list === undefined) {
      numbers.push(value);
      return;
    }
    const cursor = new Cursor(bytes, list.start);
    while (cursor.position < list.end) numbers.push(cursor.varint(list.end));
  });
  return numbers;
}
