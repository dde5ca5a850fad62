import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for a condition: a busy machine may be ten times slower than usual. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 25;

/**
 * Waits until a condition holds. An error of the condition counts as false. @throws Error if it does not hold within a
 * minute
 */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  let last: unknown = null;
  while (performance.now() < endsAtMs) {
    try {
      if (await isSo()) return;
    } catch (error) {
      last = error;
    }
    await sleep(LOOK_MS);
  }
  throw new Error(`${what}: this did not happen within ${PATIENCE_MS} ms`, { cause: last });
}
