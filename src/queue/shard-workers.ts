import { Wakeup } from '../app/ports/wakeup.ts';
import { errorText } from '../domain/error-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { closeQuietly } from './bounded.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import type { QueueWorker } from './worker.ts';

/** The number of shards in use, and the largest number that was ever in use. */
export interface ShardCount {
  readonly shards: number;
  readonly most: number;
}

export interface ShardWorkersParts {
  readonly read: () => Promise<ShardCount>;
  /** @throws QueueStartError */
  readonly start: (shard: number) => Promise<QueueWorker>;
  /** Returns whether a shard has no jobs. */
  readonly isEmpty: (shard: number) => Promise<boolean>;
  /** Called with the number of shards at the start, and after each change. */
  readonly onCount: (shards: number) => void;
  readonly log: QueueLog;
}

/** The workers of all shards, one for each. */
export interface ShardWorkers {
  readonly isRunning: boolean;
  /** Rejects when a worker fails after its start. */
  readonly ended: Promise<void>;
  /** Reports that the number of shards may have changed. */
  wake(): void;
  stop(): Promise<void>;
}

/** Returns a function; each call makes one pass that starts missing workers and stops unneeded ones. */
function createStep(
  parts: ShardWorkersParts,
  workers: Map<number, QueueWorker>,
  on: {
    readonly failed: (error: unknown) => void;
    /** Stops a worker without waiting until it has stopped, because other workers may have to be started. */
    readonly retired: (worker: QueueWorker) => void;
  },
) {
  const { read, start, isEmpty, onCount, log } = parts;
  let known = 0;
  /** Retired shards that have no worker and may still hold jobs. */
  const unseen = new Set<number>();
  const begin = async (shard: number): Promise<void> => {
    const worker = await start(shard);
    workers.set(shard, worker);
    worker.ended.catch(on.failed);
  };
  /**
   * Returns whether a shard is known to be empty. If it cannot be read, its worker stays and the next pass checks
   * again.
   */
  const isSeenEmpty = async (shard: number): Promise<boolean> => {
    try {
      return await isEmpty(shard);
    } catch (error) {
      log.warn(
        { shard, error: errorText(error) },
        'the number of jobs on a retired queue could not be read',
      );
      return false;
    }
  };
  /** Starts each worker separately, so that an unreachable shard does not delay the others. @throws the first error */
  const beginMissing = async (shards: number): Promise<void> => {
    const failures: unknown[] = [];
    for (let shard = 0; shard < shards; shard += 1) {
      if (!workers.has(shard)) await begin(shard).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  /** Starts workers for retired shards. A failure does not affect shards in use, and the next pass tries again. */
  const beginRetired = async (shards: number): Promise<void> => {
    for (const shard of unseen) {
      try {
        if (shard >= shards) await begin(shard);
        unseen.delete(shard);
      } catch (error) {
        log.warn(
          { shard, error: errorText(error) },
          'the remaining jobs of a retired queue cannot be processed now',
        );
      }
    }
  };
  return async (): Promise<void> => {
    const { shards, most } = await read();
    const isFirst = known === 0;
    if (shards !== known) onCount(shards);
    await beginMissing(shards);
    // Retired shards may hold jobs from before all workers were stopped, so the first pass starts workers for them.
    if (isFirst) for (let shard = shards; shard < most; shard += 1) unseen.add(shard);
    await beginRetired(shards);
    if (!isFirst && shards !== known)
      log.info({ before: known, shards }, 'the number of queues has changed');
    known = shards;
    for (const [shard, worker] of workers) {
      if (shard < shards || !(await isSeenEmpty(shard))) continue;
      workers.delete(shard);
      on.retired(worker);
    }
  };
}

/**
 * Runs a worker for each shard, and follows changes of their number. A retired shard keeps its worker until it is
 * empty. After that, no effect can be put on it, because a relay locks the number of shards while it dispatches, and
 * reads the number again for each round.
 *
 * @throws QueueStartError, or the error of `read`
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
        parts.log.warn({ error: errorText(error) }, 'the number of queues could not be read');
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
      // Also stops a worker that is just being started.
      await Promise.all([stopAll(), closeQuietly(following, LIMITS.drainMs)]);
      await stopAll();
      ended.resolve();
    },
  };
}
