/** A source of random numbers that depends only on its seed. Each part of the world has its own. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: string) {
    [this.#a, this.#b, this.#c] = seedWords(seed);
    for (let i = 0; i < 12; i += 1) this.word();
  }

  /**
   * Returns 32 random bits, by sfc32 (Doty-Humphrey, PractRand), which is small, fast, and good enough for a
   * simulation.
   */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a number in [0, 1). */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  between(min: number, max: number): number {
    return min + this.fraction() * (max - min);
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.fraction() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Returns one of the names, with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new RangeError('no weight');
  }

  scatter(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = this.word();
      bytes[i] = word;
      bytes[i + 1] = word >>> 8;
      bytes[i + 2] = word >>> 16;
      bytes[i + 3] = word >>> 24;
    }
  }

  /** Returns a random UUID of version 4. */
  uuid(): string {
    const bytes = new Uint8Array(16);
    this.scatter(bytes);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join('-');
  }
}

/** Computes FNV-1a over the text three times, with different initial values. */
function seedWords(seed: string): [number, number, number] {
  const word = (basis: number): number => {
    let hash = basis;
    for (let i = 0; i < seed.length; i += 1)
      hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    return hash | 0;
  };
  return [word(0x811c9dc5), word(0x9e3779b9), word(0x85ebca6b)];
}
