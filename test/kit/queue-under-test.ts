import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../../src/app/ports/io.ts';
import type { Outbox } from '../../src/app/ports/outbox.ts';
import type { EffectId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JobQueue } from '../../src/queue/backend.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import type { QueueLog } from '../../src/queue/queue-log.ts';
import type { Relay, RelayLimits } from '../../src/queue/relay.ts';
import { startRelay } from '../../src/queue/relay.ts';
import type { EffectProcessor, QueueWorker } from '../../src/queue/worker.ts';
import { PATIENCE_MS } from './patience.ts';

export interface WorkerChoices {
  readonly concurrency?: number;
  readonly drainMs?: number;
  readonly log?: QueueLog;
}

/** An empty queue, and the workers of one test; disposing of it stops them. */
export interface QueueUnderTest extends AsyncDisposable {
  readonly queue: JobQueue;
  worker(processor: EffectProcessor, choices?: WorkerChoices): Promise<QueueWorker>;
  /** Deletes everything in the queue's server; absent if the server cannot lose data. */
  readonly wipe?: () => Promise<void>;
}

export type OpenQueue = () => Promise<QueueUnderTest>;

export const silent: QueueLog = { info() {}, warn() {}, error() {} };

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly detail: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export function recordingLog(): QueueLog & { readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: LogEntry['level']) => (detail: object, message: string) => {
    entries.push({ level, detail: { ...detail }, message });
  };
  return { entries, info: at('info'), warn: at('warn'), error: at('error') };
}

export const newEffectId = (): EffectId => trusted<EffectId>(randomUUID());
export const effectIds = (count: number): readonly EffectId[] =>
  Array.from({ length: count }, newEffectId);

/** @throws if the condition does not become true in time; `what` describes the condition. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const giveUpMs = performance.now() + PATIENCE_MS;
  for (let pauseMs = 2; !(await condition()); pauseMs = Math.min(2 * pauseMs, 50)) {
    if (performance.now() > giveUpMs) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await sleep(pauseMs);
  }
}

/**
 * An outbox in memory that behaves as the port requires: effects count as dispatched only if `put` succeeds, and are
 * due again after `redispatchMs` unless they are done. It outlives every server that a test stops.
 */
export function memoryOutbox(redispatchMs: number, shards = () => 1) {
  const rows = new Map<EffectId, { dueMs: number; dispatchNo: number; party: Party }>();
  const done = new Set<EffectId>();
  let refused = 0;
  const open = () => [...rows].filter(([id]) => !done.has(id));
  const outbox: Pick<Outbox, 'dispatchDue' | 'nextDueInMs'> = {
    async dispatchDue(limit, put) {
      const due = open()
        .filter(([, row]) => row.dueMs <= performance.now())
        .slice(0, limit);
      if (due.length === 0) return 0;
      refused += 1;
      await put(
        due.map(([id, row]) => ({
          id,
          dispatchNo: row.dispatchNo + 1,
          lane: trusted(`of ${id}`),
          provider: trusted('provider'),
          party: row.party,
        })),
        shards(),
        false,
      );
      refused -= 1;
      for (const [, row] of due) {
        row.dispatchNo += 1;
        row.dueMs = performance.now() + redispatchMs;
      }
      return due.length;
    },
    async nextDueInMs() {
      const dues = open().map(([, row]) => row.dueMs - performance.now());
      return dues.length === 0 ? null : Math.min(...dues);
    },
  };
  return {
    ...outbox,
    /** Records effects that are due at once. */
    insert(ids: readonly EffectId[], party = 'user'): void {
      for (const id of ids) {
        rows.set(id, { dueMs: performance.now(), dispatchNo: 0, party: trusted(party) });
      }
    },
    /**
     * Marks an effect as done. An unknown effect is ignored, because a job of another test on a shared queue may run
     * here.
     */
    finish(id: EffectId): void {
      if (rows.has(id)) done.add(id);
    },
    dispatchNo: (id: EffectId): number => rows.get(id)?.dispatchNo ?? 0,
    /**
     * The number of batches for which the queue has not confirmed the `put`, because it refused them or has not
     * answered yet.
     */
    get refused(): number {
      return refused;
    },
    get finished(): number {
      return done.size;
    },
  };
}

export const io: Io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };
export const first = (effectId: EffectId): EffectJob => ({ effectId, dispatchNo: 1 });

export async function isEmpty(queue: JobQueue): Promise<boolean> {
  const { waiting, active } = await queue.counts(io);
  return waiting + active === 0;
}

/** Starts a relay between an outbox and a queue; disposing of it stops it. */
export function relaying(
  { queue }: QueueUnderTest,
  outbox: ReturnType<typeof memoryOutbox>,
  limits: RelayLimits = { relayBatchMax: 100, relayPollMs: 1_000 },
): Relay & AsyncDisposable {
  const relay = startRelay({ outbox, queue, log: silent, limits });
  return {
    get state() {
      return relay.state;
    },
    refusal: () => relay.refusal(),
    wake: () => relay.wake(),
    stop: () => relay.stop(),
    [Symbol.asyncDispose]: () => relay.stop(),
  };
}
