import { createHash } from 'node:crypto';

/** Returns a number from 0 (included) to 1 (excluded). */
export type Random = () => number;

const BYTES = 6;

/**
 * Returns a number in [0, 1) for a seed and a key: always the same number for one key, and unrelated numbers for
 * different keys.
 */
export const drawFor = (seed: string, key: string): number =>
  createHash('sha256').update(`${seed}\n${key}`).digest().readUIntBE(0, BYTES) / 2 ** (8 * BYTES);

/** Returns a sequence of pseudorandom numbers for a seed. */
export function seededRandom(seed: string): Random {
  let drawn = 0;
  return () => {
    drawn += 1;
    return drawFor(seed, drawn.toString());
  };
}
