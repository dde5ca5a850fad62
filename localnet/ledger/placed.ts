import { withRoomFor } from './columns.ts';

interface PlacedOptions<Item> {
  readonly itemOf: (entry: number, offset: bigint) => Item;
  readonly isNear: (entry: number) => boolean;
}

/**
 * Entries of one participant in ascending order of offset. Each takes 20 bytes; the items themselves are loaded on
 * demand.
 */
export class Placed<Item> {
  readonly #options: PlacedOptions<Item>;
  #offsets = new Float64Array(256);
  #entries = new Uint32Array(256);
  #recordTimes = new BigInt64Array(256);
  #length = 0;
  /** Changes whenever an index begins to refer to another item, which pruning causes. */
  version = 0;

  constructor(options: PlacedOptions<Item>) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  add(entry: number, offset: bigint, recordTime: bigint): void {
    const index = this.#length;
    this.#length += 1;
    this.#offsets = withRoomFor(this.#offsets, this.#length);
    this.#entries = withRoomFor(this.#entries, this.#length);
    this.#recordTimes = withRoomFor(this.#recordTimes, this.#length);
    this.#offsets[index] = Number(offset);
    this.#entries[index] = entry;
    this.#recordTimes[index] = recordTime;
  }

  /** Returns the item at an index. A negative index counts from the end. */
  at(index: number): Item | undefined {
    const from = index < 0 ? this.#length + index : index;
    if (from < 0 || from >= this.#length) return undefined;
    return this.#options.itemOf(this.#entries[from] ?? 0, BigInt(this.#offsets[from] ?? 0));
  }

  offsetAt(index: number): bigint | undefined {
    return index < 0 || index >= this.#length ? undefined : BigInt(this.#offsets[index] ?? 0);
  }

  recordTimeAt(index: number): bigint | undefined {
    return index < 0 || index >= this.#length ? undefined : this.#recordTimes[index];
  }

  /** Returns whether the item is in memory. */
  isNear(index: number): boolean {
    return this.#options.isNear(this.#entries[index] ?? 0);
  }

  /** Returns the first index with a greater offset. */
  indexAfter(offset: bigint): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the first index whose record time is not earlier than this; the length if there is none. */
  indexSince(recordTime: bigint): number {
    const index = this.#recordTimes.subarray(0, this.#length).findIndex((at) => at >= recordTime);
    return index === -1 ? this.#length : index;
  }

  pruneUpTo(offset: bigint): void {
    const first = this.indexAfter(offset);
    this.#offsets = this.#offsets.slice(first);
    this.#entries = this.#entries.slice(first);
    this.#recordTimes = this.#recordTimes.slice(first);
    this.#length -= first;
    this.version += 1;
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let index = 0; index < this.#length; index += 1) {
      const item = this.at(index);
      if (item !== undefined) yield item;
    }
  }
}
