/** Pseudorandom numbers. They are the same for the same seed. */
export interface Draws {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number;
  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** @throws RangeError if the list is empty */
  pick<T>(of: readonly T[]): T;
  shuffled<T>(of: readonly T[]): T[];
  /** Returns a generator whose numbers do not depend on other draws. */
  fork(name: string): Draws;
}

const MULTIPLIER = 0x6d_2b_79_f5;

/** Returns the 32-bit FNV-1a hash of a text, to get an evenly distributed number. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  }
  return hash >>> 0;
}

/** Mulberry32, a small generator that is good enough to choose faults. */
export function drawsOf(seed: string): Draws {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + MULTIPLIER) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number =>
    low + Math.floor(next() * (high - low + 1));
  const pick = <T>(of: readonly T[]): T => {
    const index = between(0, of.length - 1);
    if (!(index in of)) throw new RangeError('nothing to choose from');
    return of[index] as T;
  };
  const shuffled = <T>(of: readonly T[]): T[] => {
    const left = [...of];
    return of.map(() => left.splice(between(0, left.length - 1), 1)[0] as T);
  };
  return { next, between, pick, shuffled, fork: (name) => drawsOf(`${seed}/${name}`) };
}
