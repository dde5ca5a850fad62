import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLicense } from '../../../bench/create-license.ts';
import type { BenchWorld } from '../../../bench/world.ts';

export interface Load {
  readonly world: BenchWorld;
  /** One install for each caller. */
  readonly installs: readonly string[];
  /** The command IDs that have been answered. This function adds to them. */
  readonly answered: string[];
}

/**
 * Lets callers send one request after another while the given function runs, and for a moment after it. Prints the
 * result.
 *
 * @returns the longest time without an answer
 * @throws Error if no request was answered
 */
export async function underLoad(
  { world, installs, answered }: Load,
  what: string,
  happens: () => Promise<void>,
): Promise<number> {
  const before = answered.length;
  const over = new AbortController();
  let [lastMs, stallMs] = [performance.now(), 0];
  const callers = installs.map(async (install) => {
    while (!over.signal.aborted) {
      const commandId = randomUUID();
      await createLicense(world, install, commandId);
      answered.push(commandId);
      stallMs = Math.max(stallMs, performance.now() - lastMs);
      lastMs = performance.now();
    }
  });
  const all = Promise.all(callers);
  all.catch(() => undefined);
  try {
    await sleep(1_000);
    await happens();
    await sleep(2_000);
  } finally {
    over.abort();
  }
  await all;
  const count = answered.length - before;
  console.log(`${what}: ${count} operations, longest stall ${Math.round(stallMs)} ms`);
  if (count === 0) throw new Error('nothing was answered');
  return stallMs;
}
