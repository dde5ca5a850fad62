/** How the distances between tries grow: doubled with each, up to a bound. */
export interface Backoff {
  /** Above 0. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** The share of a distance that is left to chance, so that rivals part: from 0, none of it, to 1, all of it. */
  readonly jitter: number;
}

/** Jitter over the upper half: rivals part, and none comes back at once. */
export const UPPER_HALF = 0.5;

/**
 * The distance to the next try. Pure.
 *
 * @param doublings of the first distance; below 0 counts as none
 * @param random in [0, 1); without it, the longest that the distance can be
 *
 * @example
 * const distances: Backoff = { firstMs: 250, maxMs: 60_000, jitter: UPPER_HALF };
 * for (let failures = 1; !stopping.aborted; failures += 1) {
 *   await sleep(backoffDelayMs(distances, failures - 1, Math.random()), stopping);
 * }
 */
export function backoffDelayMs(
  { firstMs, maxMs, jitter }: Backoff,
  doublings: number,
  random = 1,
): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, doublings));
  return fullMs * (1 - jitter) + fullMs * jitter * random;
}
