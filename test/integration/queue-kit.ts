import { randomUUID } from 'node:crypto';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';
import { Queue } from 'bullmq';
import type { Io, Outbox } from '../../src/app/ports.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { startLocalRedis } from '../../src/main/local-redis.ts';
import type { JobQueue, QueueBackend } from '../../src/queue/backend.ts';
import { openQueue } from '../../src/queue/backend.ts';
import type { EffectJob } from '../../src/queue/job.ts';
import { SUBMIT_QUEUE } from '../../src/queue/job.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import type { QueueLog } from '../../src/queue/queue-log.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import type { Relay, RelayLimits } from '../../src/queue/relay.ts';
import { startRelay } from '../../src/queue/relay.ts';
import type { EffectProcessor, QueueWorker } from '../../src/queue/worker.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { startEmbeddedPostgres } from '../../src/store/embedded/embedded-postgres.ts';

/** What both stores of the queue can do to a test: a server of its own that may be taken down. */
export interface QueueServer {
  readonly kind: QueueBackend['kind'];
  /** For child processes: see `queue-worker.fixture.ts`. */
  readonly address: string;
  backend(log?: QueueLog): Promise<QueueBackend>;
  down(): Promise<void>;
  up(): Promise<void>;
  /** Down, everything forgotten, up. */
  wipe(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const never = new AbortController().signal;

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tenure-test-'));
}

/** PostgreSQL from the npm package, through its Unix socket. */
export async function startPostgresServer(): Promise<QueueServer> {
  const dataDir = await temporaryFolder();
  const start = () => startEmbeddedPostgres({ dataDir, signal: never, durability: 'none' });
  let server = await start();
  const address = server.socketUrl ?? server.url;
  return {
    kind: 'postgres',
    address,
    backend: () => postgresBackend({ databaseUrl: address }),
    down: () => server.stop(),
    async up() {
      server = await start();
    },
    async wipe() {
      await server.stop();
      await rm(dataDir, { recursive: true });
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

export async function startRedisServer(): Promise<QueueServer> {
  const dataDir = await temporaryFolder();
  const start = () =>
    startLocalRedis({ dataDir, searchPath: process.env['PATH'] ?? '', signal: never });
  let server = await start();
  const address = server.url;
  return {
    kind: 'redis',
    address,
    backend: (log = silent) => redisBackend({ url: address }, log),
    down: () => server.stop(),
    async up() {
      server = await start();
    },
    async wipe() {
      await server.stop();
      await rm(dataDir, { recursive: true });
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function redisIsInstalled(): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) =>
    ['valkey-server', 'redis-server'].map((name) => join(folder, name)),
  );
  const found = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/**
 * The stores to run a suite on. Where no Redis is installed that one is left out, which is said; on CI that is a
 * failure, because nobody reads what CI says when it is green.
 */
export async function queueServers(what: string) {
  const postgres = { kind: 'postgres', start: startPostgresServer } as const;
  if (!(await redisIsInstalled())) {
    const said = `NOT TESTED on Redis: ${what}. Neither valkey-server nor redis-server is on the PATH.`;
    if (process.env['CI'] === 'true') throw new Error(said);
    console.warn(said);
    return [postgres];
  }
  return [postgres, { kind: 'redis', start: startRedisServer } as const];
}

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

/** @throws when it does not become true in time; `what` says what did not. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  boundMs = 10_000,
): Promise<void> {
  const giveUpMs = performance.now() + boundMs;
  while (!(await condition())) {
    if (performance.now() > giveUpMs) throw new Error(`not within ${boundMs} ms: ${what}`);
    await sleep(5);
  }
}

/**
 * An outbox in memory, with the promises of the port: effects are marked only if `put` succeeds, and are due again
 * after `redispatchMs` unless done. It outlives every server that a test takes down.
 */
export function memoryOutbox(redispatchMs: number) {
  const rows = new Map<EffectId, { dueMs: number; dispatchNo: number }>();
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
      await put(due.map(([id, row]) => ({ id, dispatchNo: row.dispatchNo + 1 })));
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
    /** Records effects as due now. */
    insert(ids: readonly EffectId[]): void {
      for (const id of ids) rows.set(id, { dueMs: performance.now(), dispatchNo: 0 });
    },
    finish(id: EffectId): void {
      done.add(id);
    },
    dispatchNo: (id: EffectId): number => rows.get(id)?.dispatchNo ?? 0,
    /** Batches that the queue did not take, or has not yet. */
    get refused(): number {
      return refused;
    },
    get finished(): number {
      return done.size;
    },
  };
}

export const io: Io = { signal: never, deadlineMs: 5_000 };
export const first = (effectId: EffectId): EffectJob => ({ effectId, dispatchNo: 1 });

/** A queue, and the workers and relays of one test; stopped in reverse. */
export async function openWorld(server: QueueServer) {
  const backend = await server.backend();
  const queue = await openQueue(backend, silent);
  const stack = new AsyncDisposableStack();
  stack.defer(() => queue.close());
  return {
    backend,
    queue,
    async worker(
      processor: EffectProcessor,
      more: { drainMs?: number; concurrency?: number } = {},
    ): Promise<QueueWorker> {
      const worker = await startWorker({ backend, processor, log: silent, drainMs: 500, ...more });
      stack.defer(() => worker.stop());
      return worker;
    },
    relay(
      outbox: ReturnType<typeof memoryOutbox>,
      limits: RelayLimits = { relayBatchMax: 100, relayPollMs: 1_000 },
    ): Relay {
      const relay = startRelay({ outbox, queue, log: silent, limits });
      stack.defer(() => relay.stop());
      return relay;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type RawQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, object>;

/** Looks at the queue as BullMQ keeps it. */
export async function peek<T>(
  server: QueueServer,
  look: (raw: RawQueue) => Promise<T>,
): Promise<T> {
  const link = await (await server.backend()).connect('queue', silent);
  const raw: RawQueue = new Queue(SUBMIT_QUEUE, { connection: {} }, link.factory);
  try {
    return await look(raw);
  } finally {
    await raw.close();
    await link.release();
  }
}

export async function isEmpty(queue: JobQueue): Promise<boolean> {
  const { waiting, active } = await queue.counts(io);
  return waiting + active === 0;
}
