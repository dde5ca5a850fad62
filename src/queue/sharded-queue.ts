import type { Io } from '../app/ports/io.ts';
import { NotAllPutError } from '../app/ports/outbox.ts';
import type { EffectId } from '../domain/ids.ts';
import type { JobQueue, QueueBackend } from './backend.ts';
import { openQueue } from './backend.ts';
import { bounded, closeQuietly } from './bounded.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { QueueUnavailableError } from './queue-error.ts';
import type { QueueLog } from './queue-log.ts';

/** The queues of all shards, used like one queue. */
export interface ShardedQueue extends JobQueue {
  /**
   * Counts the jobs on all shards in use that answer; does not wait long for a shard that does not answer.
   *
   * @throws the error of one shard if none answers
   */
  counts(io: Io): ReturnType<JobQueue['counts']>;
  /** Sets the number of shards that are in use and counted. */
  follow(shards: number): void;
  /** Counts the jobs on one shard, whether or not it is in use. */
  countsOf(shard: number, io: Io): ReturnType<JobQueue['counts']>;
}

/**
 * Opens the first shard at once, and every other shard when it is first needed. An unreachable shard does not delay the
 * others: its failures are reported separately.
 *
 * @throws QueueStartError if the first shard cannot be opened
 */
export async function openShardedQueue(
  backend: QueueBackend,
  log: QueueLog,
): Promise<ShardedQueue> {
  const opened = new Map<number, Promise<JobQueue>>([
    [0, Promise.resolve(await openQueue(backend, log))],
  ]);
  let inUse = 1;
  const open = (shard: number): Promise<JobQueue> => {
    const before = opened.get(shard);
    if (before !== undefined) return before;
    const opening = openQueue(backend, log, shard);
    opened.set(shard, opening);
    // After a failure, the next call opens the shard again.
    opening.catch(() => opened.delete(shard));
    return opening;
  };
  /** Waits for a shard only as long as the caller allows, because opening it may take longer. */
  const openWithin = (shard: number, io: Io): Promise<JobQueue> =>
    bounded(
      open(shard),
      io,
      () => new QueueUnavailableError(`queue ${shard} was not open within ${io.deadlineMs} ms`),
    );
  const countsOf = async (shard: number, io: Io) => (await openWithin(shard, io)).counts(io);

  return {
    follow(shards) {
      inUse = shards;
    },
    countsOf,
    async add(effects, io, isApart) {
      const groups = [...Map.groupBy(effects, ({ shard = 0 }) => shard)];
      const outcomes = await Promise.allSettled(
        groups.map(async ([shard, ofShard]) =>
          (await openWithin(shard, io)).add(ofShard, io, isApart),
        ),
      );
      const refused: EffectId[] = [];
      let reason: unknown;
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') continue;
        reason = outcome.reason;
        refused.push(...(groups[index]?.[1] ?? []).map(({ effectId }) => effectId));
      }
      if (refused.length === 0) return;
      if (refused.length === effects.length) throw reason;
      throw new NotAllPutError(refused, reason);
    },
    async counts(io) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: inUse }, (_, shard) => countsOf(shard, io)),
      );
      const all = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const failed = outcomes.find((one) => one.status === 'rejected');
      if (all.length === 0 && failed !== undefined) throw failed.reason;
      return {
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
        active: all.reduce((sum, { active }) => sum + active, 0),
      };
    },
    async close() {
      // A shard that cannot be opened, or whose store does not answer, must not prevent the process from exiting.
      const closings = [...opened.values()].map(async (opening) => (await opening).close());
      await Promise.all(closings.map((closing) => closeQuietly(closing, QUEUE_LIMITS.connectMs)));
    },
  };
}
