import { TRUNCATED, wireError } from './errors.ts';

/** Bits that a number on the wire may take. */
const VARINT_BITS_MAX = 70;

/** A place in bytes that are a protobuf message. Nothing is read past the end that each call is given. */
export class Cursor {
  readonly bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position: number) {
    this.bytes = bytes;
    this.position = position;
  }

  /** The lower 32 bits; tags, lengths and indexes have no more. */
  varint(end: number): number {
    const { bytes } = this;
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

  /** Reads a length, and gives where what follows ends. */
  length(end: number): number {
    const length = this.varint(end);
    if (length > end - this.position) throw wireError(TRUNCATED);
    return this.position + length;
  }

  skip(bytes: number, end: number): void {
    if (bytes > end - this.position) throw wireError(TRUNCATED);
    this.position += bytes;
  }
}
