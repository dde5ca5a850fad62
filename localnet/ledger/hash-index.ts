const FIRST_SLOTS = 256;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Returns the FNV-1a hash of the text's UTF-16 units. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  }
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Finds values by text without storing the texts: an open hash table with eight bytes per slot. The table stores only
 * hashes, so its results are candidates: the caller must check whether they have the wanted text.
 */
export class HashIndex {
  #hashes = new Uint32Array(FIRST_SLOTS);
  /** Each value plus one; 0 means that the slot is free. */
  #values = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  /** Adds a value. Several values may have the same key. */
  add(key: string, value: number): void {
    if (this.#size * 2 >= this.#values.length) this.#grow();
    this.#size += 1;
    this.#put(hashOf(key), value + 1);
  }

  /**
   * Returns the values that were added with the key, oldest first. Because of hash collisions, the result may rarely
   * contain other values.
   */
  candidates(key: string): readonly number[] {
    const hash = hashOf(key);
    const mask = this.#values.length - 1;
    const found: number[] = [];
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const value = this.#values[slot] ?? 0;
      if (value === 0) return found;
      if (this.#hashes[slot] === hash) found.push(value - 1);
    }
  }

  #put(hash: number, stored: number): void {
    const mask = this.#values.length - 1;
    let slot = hash & mask;
    while (this.#values[slot] !== 0) slot = (slot + 1) & mask;
    this.#hashes[slot] = hash;
    this.#values[slot] = stored;
  }

  /**
   * Doubles the table. Copies slots in the old order, starting after a free slot, so that values with the same key keep
   * their order.
   */
  #grow(): void {
    const [hashes, values] = [this.#hashes, this.#values];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#values = new Uint32Array(values.length * 2);
    const first = values.indexOf(0);
    for (let i = 1; i <= values.length; i += 1) {
      const slot = (first + i) % values.length;
      const stored = values[slot] ?? 0;
      if (stored !== 0) this.#put(hashes[slot] ?? 0, stored);
    }
  }
}
