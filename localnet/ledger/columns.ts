/** A typed array of numbers, which needs little memory for a large number of items. */
type Column = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;

const GROWTH = 1.5;

/** Returns the column, or a longer copy with room for `length` numbers. New numbers are zero. */
export function withRoomFor<C extends Column>(column: C, length: number): C {
  if (length <= column.length) return column;
  const room = Math.max(length, Math.ceil(column.length * GROWTH));
  const bytes = new Uint8Array(room * column.BYTES_PER_ELEMENT);
  bytes.set(new Uint8Array(column.buffer, 0, column.byteLength));
  return new (column.constructor as new (buffer: ArrayBuffer) => C)(bytes.buffer);
}
