/** How the delay between tries grows: it doubles with each try, up to a maximum. */
export interface Backoff {
  /** Must be above 0. */
  readonly firstMs: number;
  readonly maxMs: number;
  /**
   * The random share of a delay, which keeps competing clients from retrying together: 0 is no randomness, 1 randomises
   * the whole delay.
   */
  readonly jitter: number;
}

/** Randomises only the upper half of a delay: competing clients spread out, and none retries at once. */
export const UPPER_HALF = 0.5;

/**
 * Returns the delay before the next try. Pure.
 *
 * @param doublings how often `firstMs` is doubled; below 0 counts as 0
 * @param random in [0, 1); without it, the maximum of the delay is returned
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
