import type { Logger } from 'pino';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { EagerDispatch, Outbox } from '../app/ports/outbox.ts';
import { LIMITS } from '../domain/limits.ts';
import type { QueueBackend } from '../queue/backend.ts';
import { startEager } from '../queue/eager.ts';
import type { ShardCount, ShardWorkers } from '../queue/shard-workers.ts';
import { startShardWorkers } from '../queue/shard-workers.ts';
import type { ShardedQueue } from '../queue/sharded-queue.ts';
import type { LocalSignals } from '../queue/signals.ts';
import type { Slots } from '../queue/turns.ts';
import { createSlots } from '../queue/turns.ts';
import type { EffectProcessor } from '../queue/worker.ts';
import { startWorker } from '../queue/worker.ts';
import type { QueueShards } from '../store/engine/queue-shards.ts';
import { SHARDS_CHANNEL } from '../store/sql/channels.ts';
import type { Listener } from '../store/sql/listen.ts';
import type { CellSide } from './cells/ledger-users.ts';
import type { Config } from './config.ts';

interface ShardParts {
  readonly config: Config;
  readonly log: Logger;
  readonly listener: Listener;
  readonly shards: QueueShards;
  readonly outbox: Outbox;
  readonly ledger: Pick<CellSide, 'newSubmissionId'>;
  readonly wallClock: WallClock;
  readonly signals: LocalSignals;
  readonly fail: (reason: string) => void;
}

interface ShardWork {
  readonly queue: ShardedQueue;
  readonly backend: QueueBackend;
  readonly processor: EffectProcessor;
}

/** The parts of a process that submit commands. */
interface Submitting {
  readonly workers: ShardWorkers;
  /** Present only in a process that also records requests, and only if the setting permits it. */
  readonly eager: EagerDispatch | undefined;
}

/** Returns the limits of one query about the shards. */
const question = (): Io => ({
  signal: new AbortController().signal,
  deadlineMs: LIMITS.databaseStatementMs,
});

export const readShards = (shards: QueueShards): Promise<ShardCount> => shards.read(question());

/** Starts to submit the first attempts that this process itself has recorded. */
function startFirst(
  { config, outbox, listener, ledger, wallClock, signals, log }: ShardParts,
  processor: EffectProcessor,
  slots: Slots,
  stack: AsyncDisposableStack,
): EagerDispatch | undefined {
  if (!config.eagerDispatch || !config.roles.has('api')) return undefined;
  const eager = startEager({
    slots,
    concurrency: config.workerConcurrency,
    processor,
    outbox,
    session: () => listener.session,
    newSubmissionId: ledger.newSubmissionId,
    wallClock,
    wakeRelay: () => signals.effectsDue(),
    log,
  });
  stack.defer(() => eager.stop());
  return eager;
}

/** Starts a worker for each shard of the queue. All workers share the concurrency of this process. */
export async function startShards(
  parts: ShardParts,
  { queue, backend, processor }: ShardWork,
  stack: AsyncDisposableStack,
): Promise<Submitting> {
  const { config, log, listener, shards, fail } = parts;
  const concurrency = config.workerConcurrency;
  const slots = createSlots(concurrency);
  const workers = await startShardWorkers({
    read: () => readShards(shards),
    start: (shard) => startWorker({ processor, backend, log, concurrency, slots, shard }),
    isEmpty: async (shard) => {
      const { waiting, active } = await queue.countsOf(shard, question());
      return waiting + active === 0;
    },
    onCount: (count) => queue.follow(count),
    log,
  });
  stack.defer(() => workers.stop());
  const follow = (): void => workers.wake();
  stack.defer(listener.on(SHARDS_CHANNEL, { onMessage: follow, onGap: follow }));
  workers.ended.catch((error: unknown) => fail(`the worker ended: ${String(error)}`));
  return { workers, eager: startFirst(parts, processor, slots, stack) };
}
