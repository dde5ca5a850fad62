import type { Io } from '../app/ports/io.ts';
import { NotAllPutError } from '../app/ports/outbox.ts';
import type { EffectId } from '../domain/ids.ts';
import type { JobQueue, QueueBackend } from './backend.ts';
import { openQueue } from './backend.ts';
import { bounded, closeQuietly } from './bounded.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { QueueUnavailableError } from './queue-error.ts';
import type { QueueLog } from './queue-log.ts';

/** The queues of all shards, as one. */
export interface ShardedQueue extends JobQueue {
  /**
   * Counts the jobs on shards in use that answer; a shard that does not answer delays no other.
   *
   * @throws the error of one of them if none answers
   */
  counts(io: Io): ReturnType<JobQueue['counts']>;
  /** Sets the number of shards that are in use and counted. */
  follow(shards: number): void;
  /** Counts the jobs on one shard, in use or not. */
  countsOf(shard: number, io: Io): ReturnType<JobQueue['counts']>;
}

/**
 * Opens the first shard, and each other one when it is needed. An unreachable shard delays no other: its failures are
 * reported separately.
 *
 * @throws QueueStartError if the first cannot be opened
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
    // The next call tries again.
    opening.catch(() => opened.delete(shard));
    return opening;
  };
  /** Opening may take longer than a caller waits. */
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
      // A shard that does not open, or whose store does not answer, must not keep the process from ending.
      const closings = [...opened.values()].map(async (opening) => (await opening).close());
      await Promise.all(closings.map((closing) => closeQuietly(closing, QUEUE_LIMITS.connectMs)));
    },
  };
}
