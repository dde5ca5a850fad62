/*
 * Measures how fast the queue is on each of its servers: `node bench/queue.bench.ts [jobs]`. Starts its own servers in
 * a temporary folder, and prints one row for each. PostgreSQL's commits wait for the disk. Redis is omitted if none is
 * installed.
 *
 * - alone: one job at a time; the time from adding it until its processor begins.
 * - relayed: as before, but the time begins when the relay is woken. The outbox is in memory and takes no time.
 * - steady: 150 jobs per second at regular intervals, each added separately; the time from adding one until its
 *   processor begins.
 * - burst: all jobs at once in batches of 100, with processors that do nothing; the number of jobs per second until the
 *   last one has run.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../src/app/ports/io.ts';
import type { EffectId } from '../src/domain/ids.ts';
import { trusted } from '../src/domain/ids.ts';
import { LocalRedisError, startLocalRedis } from '../embedded/redis.ts';
import type { QueueBackend } from '../src/queue/backend.ts';
import { openQueue } from '../src/queue/backend.ts';
import { postgresBackend } from '../src/queue/postgres-backend.ts';
import { redisBackend } from '../src/queue/redis-backend.ts';
import { startRelay } from '../src/queue/relay.ts';
import { startWorker } from '../src/queue/worker.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';

const JOBS = Number(process.argv[2] ?? 5_000);
const ALONE = 300;
const WARM_UP = 100;
const STEADY_PER_SECOND = 150;
const STEADY_SECONDS = 5;

const log = { info() {}, warn() {}, error() {} };
const signal = new AbortController().signal;
const io: Io = { signal, deadlineMs: 10_000 };

const percentile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(1);
};
const spread = (values: readonly number[]): string =>
  `${percentile(values, 0.5)} / ${percentile(values, 0.99)}`;

/** Returns functions that wait until jobs have run, and records when each job began. */
function createWatch() {
  const begun = new Map<EffectId, number>();
  let waiting: { left: number; done: () => void } | null = null;
  return {
    begun,
    begin(id: EffectId): void {
      begun.set(id, performance.now());
      if (waiting !== null && --waiting.left === 0) waiting.done();
    },
    next(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { left: count, done: resolve };
      return promise;
    },
  };
}

const newId = (): EffectId => trusted<EffectId>(randomUUID());

async function measure(backend: QueueBackend) {
  const watch = createWatch();
  const queue = await openQueue(backend, log);
  const worker = await startWorker({
    backend,
    log,
    processor: async ({ effectId }) => {
      watch.begin(effectId);
    },
  });
  const add = (ids: readonly EffectId[]) =>
    queue.add(
      ids.map((effectId) => ({ effectId, dispatchNo: 1 })),
      io,
    );

  async function oneByOne(count: number, put: (id: EffectId) => Promise<void>) {
    const waitedMs: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const id = newId();
      const started = watch.next(1);
      const beganMs = performance.now();
      await put(id);
      await started;
      waitedMs.push((watch.begun.get(id) ?? Number.NaN) - beganMs);
      await sleep(5); // Gives the worker time to wait for jobs again.
    }
    return waitedMs;
  }
  await oneByOne(WARM_UP, (id) => add([id]));
  const alone = await oneByOne(ALONE, (id) => add([id]));

  const due: EffectId[] = [];
  const relay = startRelay({
    queue,
    log,
    outbox: {
      async dispatchDue(limit, put) {
        const taken = due.splice(0, limit);
        await put(
          taken.map((id) => ({
            id,
            dispatchNo: 1,
            lane: trusted(`of ${id}`),
            provider: trusted('provider'),
            party: trusted('user'),
          })),
          1,
          false,
        );
        return taken.length;
      },
      nextDueInMs: async () => null,
    },
  });
  const relayed = await oneByOne(ALONE, async (id) => {
    due.push(id);
    relay.wake();
  });
  await relay.stop();

  const steadyCount = STEADY_PER_SECOND * STEADY_SECONDS;
  const addedMs = new Map<EffectId, number>();
  let started = watch.next(steadyCount);
  const firstMs = performance.now();
  for (let n = 0; n < steadyCount; n += 1) {
    await sleep(Math.max(0, firstMs + (n * 1_000) / STEADY_PER_SECOND - performance.now()));
    const id = newId();
    addedMs.set(id, performance.now());
    void add([id]);
  }
  await started;
  const steady = [...addedMs].map(([id, atMs]) => (watch.begun.get(id) ?? Number.NaN) - atMs);

  started = watch.next(JOBS);
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  for (let n = 0; n < JOBS; n += 100) await add(Array.from({ length: 100 }, newId));
  const addedInMs = performance.now() - beganMs;
  await started;
  const tookMs = performance.now() - beganMs;
  const used = process.cpuUsage(cpu);

  await worker.stop();
  await queue.close();
  return {
    'alone p50 / p99 ms': spread(alone),
    'relayed p50 / p99 ms': spread(relayed),
    'steady p50 / p99 ms': spread(steady),
    'burst jobs/s': Math.round((JOBS / tookMs) * 1_000),
    'burst added/s': Math.round((JOBS / addedInMs) * 1_000),
    'own CPU ms/job': Number(((used.user + used.system) / 1_000 / JOBS).toFixed(2)),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'tenure-bench-'));
const rows: Record<string, Awaited<ReturnType<typeof measure>>> = {};
try {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), signal });
  try {
    const databaseUrl = postgres.socketUrl ?? postgres.url;
    rows['PostgreSQL'] = await measure(await postgresBackend({ databaseUrl }, log));
  } finally {
    await postgres.stop();
  }
  try {
    const searchPath = process.env['PATH'] ?? '';
    const redis = await startLocalRedis({ dataDir: join(folder, 'redis'), searchPath, signal });
    rows[redis.program] = await measure(await redisBackend({ url: redis.url }, log));
    await redis.stop();
  } catch (error) {
    if (!(error instanceof LocalRedisError)) throw error;
    console.warn(`Redis is left out: ${error.message}`);
  }
} finally {
  await rm(folder, { recursive: true });
}
console.table(rows);
