import { TRUNCATED, wireError } from './errors.ts';

/* Wire types of protobuf fields. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED64_BYTES = 8;

/** The maximum number of bits of a number on the wire. */
const VARINT_BITS_MAX = 70;

/** A position in the bytes of a protobuf message. No method reads beyond its argument `end`. */
export class Cursor {
  readonly bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position: number) {
    this.bytes = bytes;
    this.position = position;
  }

  /** Reads the lower 32 bits of a number. Tags, lengths and indexes have no more. */
  varint(end: number): number {
    const { bytes, position } = this;
    const first = bytes[position] ?? 0;
    // Nearly all numbers are one byte long.
    if (first < 0x80 && position < end) {
      this.position = position + 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < VARINT_BITS_MAX; shift += 7) {
      if (this.position >= end) throw wireError(TRUNCATED);
      const byte = bytes[this.position] ?? 0;
      this.position += 1;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw wireError('CodedInputStream encountered a malformed varint.');
  }

  /** Reads a length. Returns the end of the data that follows. */
  length(end: number): number {
    const length = this.varint(end);
    if (length > end - this.position) throw wireError(TRUNCATED);
    return this.position + length;
  }

  /** Skips a field's content. `tag` is the field's tag. */
  skipField(tag: number, end: number): void {
    switch (tag & 7) {
      case VARINT:
        this.varint(end);
        return;
      case LENGTH_DELIMITED:
        this.position = this.length(end);
        return;
      case FIXED64:
        this.skip(FIXED64_BYTES, end);
        return;
      default:
        throw wireError('Protocol message tag had invalid wire type.');
    }
  }

  skip(bytes: number, end: number): void {
    if (bytes > end - this.position) throw wireError(TRUNCATED);
    this.position += bytes;
  }
}
