import { Cursor, LENGTH_DELIMITED, VARINT } from './cursor.ts';
import { validationError } from './errors.ts';

/** Bytes of a message inside a larger one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Places in the same bytes, as numbers: a package has very many. */
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

/** Entries for one field in {@link Fields}: its number, what it holds, and where that begins and ends. */
const STRIDE = 4;
const NO_LENGTH = -1;

/** The fields of a small message, in order; absent numbers are 0. If a field is repeated, the last one counts. */
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

  /** Whether a number is there, 0 included. */
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

/** Fields of one message, and numbers of one list, that are read together. No published package has a thousandth. */
const READ_MAX = 2_000_000;
const tooMany = () => validationError('a part of it has too many fields');

/**
 * @param without a field that may be there very often, and that is not asked for
 * @throws LedgerError DAR_PARSE_ERROR for what is no message, DAR_VALIDATION_ERROR for one that is too large
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
 * Numbers of a repeated field, whether they came as one list or one by one.
 *
 * @throws LedgerError DAR_PARSE_ERROR for what is no message, DAR_VALIDATION_ERROR for too many
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
