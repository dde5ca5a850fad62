import { Cursor, LENGTH_DELIMITED, VARINT } from './cursor.ts';
import { validationError } from './errors.ts';

/** The position of a message within the bytes of a larger one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans within the same bytes, stored as plain numbers, because a package has very many spans. */
export class Spans {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  add(start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
  }

  at(index: number): Span | undefined {
    const [start, end] = [this.#starts[index], this.#ends[index]];
    return start === undefined || end === undefined ? undefined : { start, end };
  }
}

/**
 * How many numbers are stored for each field in {@link Fields}: the field's number, its value, and the start and end of
 * its content.
 */
const STRIDE = 4;
const NO_LENGTH = -1;

/**
 * The fields of a small message, in order. A missing number counts as 0. If a field is repeated, the last one counts.
 */
export class Fields {
  readonly entries: readonly number[];

  constructor(entries: readonly number[]) {
    this.entries = entries;
  }

  number(field: number): number {
    const { entries } = this;
    for (let at = entries.length - STRIDE; at >= 0; at -= STRIDE) {
      if (entries[at] === field && entries[at + 3] === NO_LENGTH) return entries[at + 1] ?? 0;
    }
    return 0;
  }

  /** Returns whether the message contains the numeric field, even with the value 0. */
  has(field: number): boolean {
    const { entries } = this;
    for (let at = 0; at < entries.length; at += STRIDE) {
      if (entries[at] === field && entries[at + 3] === NO_LENGTH) return true;
    }
    return false;
  }

  span(field: number): Span | undefined {
    const { entries } = this;
    for (let at = entries.length - STRIDE; at >= 0; at -= STRIDE) {
      const end = entries[at + 3] ?? NO_LENGTH;
      if (entries[at] === field && end !== NO_LENGTH) return { start: entries[at + 2] ?? 0, end };
    }
    return undefined;
  }

  spans(field: number): readonly Span[] {
    const { entries } = this;
    let found: Span[] | undefined;
    for (let at = 0; at < entries.length; at += STRIDE) {
      const end = entries[at + 3] ?? NO_LENGTH;
      if (entries[at] !== field || end === NO_LENGTH) continue;
      const span = { start: entries[at + 2] ?? 0, end };
      if (found === undefined) found = [span];
      else found.push(span);
    }
    return found ?? NONE;
  }
}

const NONE: readonly Span[] = [];
const NO_FIELDS = new Fields([]);

/**
 * The maximum number of fields of one message, and of numbers in one list, that are read together. Every published
 * package has less than a thousandth of this.
 */
const READ_MAX = 2_000_000;
const tooMany = () => validationError('a part of it has too many fields');

/**
 * Reads the fields of a message.
 *
 * @param without a field that may occur very often and is not needed
 * @throws LedgerError DAR_PARSE_ERROR for malformed bytes, DAR_VALIDATION_ERROR for a message that is too large
 */
export function readFields(bytes: Uint8Array, span: Span | undefined, without?: number): Fields {
  if (span === undefined) return NO_FIELDS;
  const { start, end } = span;
  const cursor = new Cursor(bytes, start);
  const entries: number[] = [];
  while (cursor.position < end) {
    const tag = cursor.varint(end);
    const field = tag >>> 3;
    if (entries.length > READ_MAX * STRIDE) throw tooMany();
    switch (tag & 7) {
      case VARINT:
        entries.push(field, cursor.varint(end), 0, NO_LENGTH);
        break;
      case LENGTH_DELIMITED: {
        const to = cursor.length(end);
        if (field !== without) entries.push(field, 0, cursor.position, to);
        cursor.position = to;
        break;
      }
      default:
        cursor.skipField(tag, end);
    }
  }
  return new Fields(entries);
}

/**
 * Reads the numbers of a repeated field, packed or not.
 *
 * @throws LedgerError DAR_PARSE_ERROR for malformed bytes, DAR_VALIDATION_ERROR for too many numbers
 */
export function readNumbers(bytes: Uint8Array, span: Span, field: number): readonly number[] {
  const numbers: number[] = [];
  const { end } = span;
  const cursor = new Cursor(bytes, span.start);
  while (cursor.position < end) {
    const tag = cursor.varint(end);
    if (numbers.length > READ_MAX) throw tooMany();
    if (tag >>> 3 !== field) cursor.skipField(tag, end);
    else if ((tag & 7) === VARINT) numbers.push(cursor.varint(end));
    else if ((tag & 7) === LENGTH_DELIMITED) {
      const to = cursor.length(end);
      while (cursor.position < to) {
        if (numbers.length > READ_MAX) throw tooMany();
        numbers.push(cursor.varint(to));
      }
    } else cursor.skipField(tag, end);
  }
  return numbers;
}
