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
  /** Whether a shard is empty. */
  readonly isEmpty: (shard: number) => Promise<boolean>;
  /** Called with the number of shards, at first and after each change. */
  readonly onCount: (shards: number) => void;
  readonly log: QueueLog;
}

/** A worker for each shard. */
export interface ShardWorkers {
  readonly isRunning: boolean;
  /** Rejects when one of them fails after its start. */
  readonly ended: Promise<void>;
  /** The number of shards may have changed. */
  wake(): void;
  stop(): Promise<void>;
}

/** Returns a function that starts missing workers and ends unneeded ones, once. */
function createStep(
  parts: ShardWorkersParts,
  workers: Map<number, QueueWorker>,
  on: {
    readonly failed: (error: unknown) => void;
    /** Ends a worker without waiting, because other workers may have to be started. */
    readonly retired: (worker: QueueWorker) => void;
  },
) {
  const { read, start, isEmpty, onCount, log } = parts;
  let known = 0;
  /** Retired shards without a worker, which may hold jobs. */
  const unseen = new Set<number>();
  const begin = async (shard: number): Promise<void> => {
    const worker = await start(shard);
    workers.set(shard, worker);
    worker.ended.catch(on.failed);
  };
  /** A shard that cannot be asked now keeps its worker, and is asked again in the next step. */
  const isSeenEmpty = async (shard: number): Promise<boolean> => {
    try {
      return await isEmpty(shard);
    } catch (error) {
      log.warn({ shard, error: errorText(error) }, 'a retired queue cannot be asked what it holds');
      return false;
    }
  };
  /** Starts each worker separately, so that an unreachable shard delays no other. @throws the first error */
  const beginMissing = async (shards: number): Promise<void> => {
    const failures: unknown[] = [];
    for (let shard = 0; shard < shards; shard += 1) {
      if (!workers.has(shard)) await begin(shard).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  /** A retired shard whose worker does not start fails no shard in use, and is retried in the next step. */
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
    // Retired shards may still hold jobs from before all workers were stopped, so the first step checks them.
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
 * Runs a worker for each shard, and follows their number. A retired shard keeps its worker until it is empty. No effect
 * is put there by then, because a relay locks the number while it dispatches, and reads it again for each round.
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
      // Also stops a worker that is starting at this moment.
      await Promise.all([stopAll(), closeQuietly(following, LIMITS.drainMs)]);
      await stopAll();
      ended.resolve();
    },
  };
}
