import type { Io } from '../app/ports/io.ts';
import { createQueueShards } from '../store/engine/queue-shards.ts';
import { closePool, openPool } from '../store/sql/pool.ts';
import { MAIN_LIMITS } from './limits.ts';

/**
 * Returns the number of queues that share the submissions, and the highest number that there has ever been.
 *
 * @param shards the new number, or `null` to leave it as it is
 * @throws Error while a worker of an earlier version is running, because it knows only one queue
 */
export async function queueShards(
  databaseUrl: string,
  shards: number | null,
): Promise<{ readonly shards: number; readonly most: number }> {
  const signal = new AbortController().signal;
  const pool = await openPool({
    url: databaseUrl,
    max: 1,
    applicationName: 'tenure-queue-shards',
    pinsSchema: true,
    pipelined: true,
    signal,
  });
  try {
    const io: Io = { signal, deadlineMs: MAIN_LIMITS.shardsMs };
    const stored = createQueueShards(pool);
    if (shards !== null && !(await stored.set(shards, io))) {
      throw new Error(
        'a worker of an earlier version runs, which knows of one queue only: end it first',
      );
    }
    return await stored.read(io);
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}
