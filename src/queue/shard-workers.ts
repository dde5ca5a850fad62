import { Wakeup } from '../app/ports/wakeup.ts';
import { errorText } from '../domain/error-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { closeQuietly } from './bounded.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import type { QueueWorker } from './worker.ts';

/** How many shards there are, and the most that there have ever been. */
export interface ShardCount {
  readonly shards: number;
  readonly most: number;
}

export interface ShardWorkersParts {
  readonly read: () => Promise<ShardCount>;
  /** @throws QueueStartError */
  readonly start: (shard: number) => Promise<QueueWorker>;
  /** Whether nothing is left on a shard. */
  readonly isEmpty: (shard: number) => Promise<boolean>;
  /** Told how many there are, at first and whenever that has changed. */
  readonly onCount: (shards: number) => void;
  readonly log: QueueLog;
}

/** A worker for each shard. */
export interface ShardWorkers {
  readonly isRunning: boolean;
  /** Rejects when one of them fails after its start. */
  readonly ended: Promise<void>;
  /** There may be another number of shards. */
  wake(): void;
  stop(): Promise<void>;
}

/** Starts what is missing and ends what is not needed any more, once. */
function createStep(
  parts: ShardWorkersParts,
  workers: Map<number, QueueWorker>,
  on: {
    readonly failed: (error: unknown) => void;
    /** Ends a worker, for which nothing else waits: others may have to be started meanwhile. */
    readonly retired: (worker: QueueWorker) => void;
  },
) {
  const { read, start, isEmpty, onCount, log } = parts;
  let known = 0;
  /** Retired shards that have no worker yet, and may hold something. */
  const unseen = new Set<number>();
  const begin = async (shard: number): Promise<void> => {
    const worker = await start(shard);
    workers.set(shard, worker);
    worker.ended.catch(on.failed);
  };
  /** One that cannot be asked now keeps its worker, and is asked again by the next step. */
  const isSeenEmpty = async (shard: number): Promise<boolean> => {
    try {
      return await isEmpty(shard);
    } catch (error) {
      log.warn({ shard, error: errorText(error) }, 'a retired queue cannot be asked what it holds');
      return false;
    }
  };
  /** Each on its own: one that cannot be reached holds up no other. @throws what the first of them said */
  const beginMissing = async (shards: number): Promise<void> => {
    const failures: unknown[] = [];
    for (let shard = 0; shard < shards; shard += 1) {
      if (!workers.has(shard)) await begin(shard).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  /** One that does not start fails nothing that is in use, and is tried again by the next step. */
  const beginRetired = async (shards: number): Promise<void> => {
    for (const shard of unseen) {
      try {
        if (shard >= shards) await begin(shard);
        unseen.delete(shard);
      } catch (error) {
        log.warn(
          { shard, error: errorText(error) },
          'what is left on a retired queue cannot be worked off now',
        );
      }
    }
  };
  return async (): Promise<void> => {
    const { shards, most } = await read();
    const isFirst = known === 0;
    if (shards !== known) onCount(shards);
    await beginMissing(shards);
    // What was left on others when all workers were stopped is looked for at the start.
    if (isFirst) for (let shard = shards; shard < most; shard += 1) unseen.add(shard);
    await beginRetired(shards);
    if (!isFirst && shards !== known)
      log.info({ before: known, shards }, 'number of queues changed');
    known = shards;
    for (const [shard, worker] of workers) {
      if (shard < shards || !(await isSeenEmpty(shard))) continue;
      workers.delete(shard);
      on.retired(worker);
    }
  };
}

/**
 * Runs a worker for each shard, and follows their number. A shard that is not used any more has its worker until it is
 * empty: nothing is put there by then, because a relay holds the number while it puts something, and reads it anew for
 * each round.
 *
 * @throws QueueStartError, or what `read` throws
 */
export async function startShardWorkers(parts: ShardWorkersParts): Promise<ShardWorkers> {
  const workers = new Map<number, QueueWorker>();
  const wakeup = new Wakeup();
  const stopping = new AbortController();
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => undefined);
  const retired = new Set<Promise<void>>();
  const step = createStep(parts, workers, {
    failed: ended.reject,
    retired(worker) {
      const stopped = worker.stop().finally(() => retired.delete(stopped));
      retired.add(stopped);
    },
  });
  const stopAll = () =>
    Promise.all([...retired, ...[...workers.values()].map((worker) => worker.stop())]);
  try {
    await step();
  } catch (error) {
    await stopAll();
    throw error;
  }
  const follow = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await wakeup.wait(QUEUE_LIMITS.relayPollMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await step().catch((error: unknown) => {
        parts.log.warn({ error: errorText(error) }, 'the number of queues could not be followed');
      });
    }
  };
  const following = follow();
  return {
    get isRunning() {
      return [...workers.values()].every(({ state }) => state === 'running');
    },
    ended: ended.promise,
    wake: () => wakeup.wake(),
    async stop() {
      stopping.abort();
      // A worker that it starts at this moment is stopped as well.
      await Promise.all([stopAll(), closeQuietly(following, LIMITS.drainMs)]);
      await stopAll();
      ended.resolve();
    },
  };
}
