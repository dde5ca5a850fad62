import { createHash } from 'node:crypto';

/** A number from 0 to 1, 1 excluded. */
export type Random = () => number;

const BYTES = 6;

/**
 * Returns a number in [0, 1) from a seed and a key: the same number every time, and unrelated to the number of any
 * other key.
 */
export const drawFor = (seed: string, key: string): number =>
  createHash('sha256').update(`${seed}\n${key}`).digest().readUIntBE(0, BYTES) / 2 ** (8 * BYTES);

/** A sequence of numbers from a seed. */
export function seededRandom(seed: string): Random {
  let drawn = 0;
  return () => {
    drawn += 1;
    return drawFor(seed, drawn.toString());
  };
}
