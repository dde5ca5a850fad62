import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { IQueueBackend } from 'bullmq';
import { Queue } from 'bullmq';
import { startLocalRedis } from '../../embedded/redis.ts';
import type { QueueBackend } from '../../src/queue/backend.ts';
import { openQueue } from '../../src/queue/backend.ts';
import { SUBMIT_QUEUE } from '../../src/queue/job.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import type { QueueLog } from '../../src/queue/queue-log.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import type { QueueWorker } from '../../src/queue/worker.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import type { QueueUnderTest } from '../kit/queue-under-test.ts';
import { effectIds, first, io, silent, until } from '../kit/queue-under-test.ts';
import { emptyRedis, givenRedis, isDatabaseGiven } from '../kit/given-servers.ts';
import { testDatabase } from '../kit/postgres.ts';

/** A server for queues that belongs to one test, which may stop it. There is one for each kind of server. */
export interface QueueServer {
  readonly kind: QueueBackend['kind'];
  /** The address that child processes get: see `queue-worker.fixture.ts`. */
  readonly address: string;
  backend(log?: QueueLog): Promise<QueueBackend>;
  down(): Promise<void>;
  up(): Promise<void>;
  /** Stops the server, deletes its data, and starts it again. */
  wipe(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const never = new AbortController().signal;

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'tenure-test-'));
}

/** A server that can be started again in the same folder or in an empty one. */
async function restartable<Server extends { stop(): Promise<void> }>(
  kind: QueueServer['kind'],
  startIn: (dataDir: string) => Promise<Server>,
  addressOf: (server: Server) => string,
  backendAt: (address: string, log: QueueLog) => Promise<QueueBackend>,
): Promise<QueueServer> {
  const dataDir = await temporaryFolder();
  let server = await startIn(dataDir);
  const address = addressOf(server);
  const remove = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true });
  };
  const up = async () => {
    server = await startIn(dataDir);
  };
  return {
    kind,
    address,
    backend: (log = silent) => backendAt(address, log),
    down: () => server.stop(),
    up,
    wipe: async () => {
      await remove();
      await up();
    },
    [Symbol.asyncDispose]: remove,
  };
}

const looks = (lookMs: number | undefined) => (lookMs === undefined ? {} : { lookMs });

/** Starts PostgreSQL from the npm package. It is reached through its Unix socket. For `lookMs`, see the backend. */
export const startPostgresServer = (lookMs?: number): Promise<QueueServer> =>
  restartable(
    'postgres',
    (dataDir) => startEmbeddedPostgres({ dataDir, signal: never, durability: 'none' }),
    ({ socketUrl, url }) => socketUrl ?? url,
    (databaseUrl, log) => postgresBackend({ databaseUrl, ...looks(lookMs) }, log),
  );

export const startRedisServer = (lookMs?: number): Promise<QueueServer> =>
  restartable(
    'redis',
    (dataDir) => startLocalRedis({ dataDir, searchPath: process.env['PATH'] ?? '', signal: never }),
    ({ url }) => url,
    (url, log) => redisBackend({ url, ...looks(lookMs) }, log),
  );

/** A shared server cannot be stopped. Suites that stop their server start their own. */
const stays = async (): Promise<never> => {
  throw new Error('a server that was given is not taken down');
};

/** Creates a database on the PostgreSQL that the test run was given. */
async function useGivenPostgres(): Promise<QueueServer> {
  const database = await testDatabase('empty');
  return {
    kind: 'postgres',
    address: database.url,
    backend: (log = silent) => postgresBackend({ databaseUrl: database.url }, log),
    down: stays,
    up: stays,
    wipe: stays,
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

/** Opens the Redis that the test run was given, and empties it. */
async function useGivenRedis(url: string): Promise<QueueServer> {
  await emptyRedis(url);
  return {
    kind: 'redis',
    address: url,
    backend: (log = silent) => redisBackend({ url }, log),
    down: stays,
    up: stays,
    wipe: () => emptyRedis(url),
    [Symbol.asyncDispose]: () => emptyRedis(url),
  };
}

/**
 * Returns servers for suites that do not stop their server: the given servers, or those that {@link queueServers}
 * starts.
 */
export async function usableQueueServers(what: string) {
  const redis = givenRedis();
  const started = await queueServers(what);
  return started.map((server) => {
    if (server.kind === 'postgres') {
      return isDatabaseGiven() ? { ...server, start: useGivenPostgres } : server;
    }
    return redis === null ? server : { ...server, start: () => useGivenRedis(redis) };
  });
}

async function redisIsThere(): Promise<boolean> {
  if (givenRedis() !== null) return true;
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
 * Returns the servers on which a suite runs. If no Redis is installed, the suite is skipped for Redis with a warning.
 * In CI this is a failure, because no one reads the warnings of a successful run.
 */
export async function queueServers(what: string) {
  const postgres = { kind: 'postgres', start: startPostgresServer } as const;
  if (!(await redisIsThere())) {
    const said = `NOT TESTED on Redis: ${what}. Neither valkey-server nor redis-server is on the PATH.`;
    if (process.env['CI'] === 'true') throw new Error(said);
    console.warn(said);
    return [postgres];
  }
  return [postgres, { kind: 'redis', start: startRedisServer } as const];
}

/** Opens a queue on a server, with the workers of one test. They are stopped in reverse order. */
export async function openWorld(
  server: QueueServer,
): Promise<QueueUnderTest & { readonly backend: QueueBackend }> {
  const backend = await server.backend();
  const queue = await openQueue(backend, silent);
  const stack = new AsyncDisposableStack();
  stack.defer(() => queue.close());
  return {
    backend,
    queue,
    async worker(processor, choices = {}): Promise<QueueWorker> {
      const worker = await startWorker({
        backend,
        processor,
        log: silent,
        drainMs: 500,
        ...choices,
      });
      stack.defer(() => worker.stop());
      return worker;
    },
    // The queue need not survive a PostgreSQL that loses committed rows, because the outbox is in the same database.
    ...(server.kind === 'postgres' ? {} : { wipe: () => server.wipe() }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Checks that a backend that was created before its server was stopped works again when the server is running. */
export async function worksOn(server: QueueServer, backend: QueueBackend): Promise<void> {
  await using world = await openWorld(server);
  let runs = 0;
  const worker = await startWorker({
    backend,
    log: silent,
    processor: async () => {
      runs += 1;
    },
  });
  await world.queue.add(effectIds(1).map(first), io);
  await until(() => runs === 1, 'the worker works');
  await worker.stop();
}

type RawQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, object>;

/** Reads the queue's data directly, in the form in which BullMQ stores it. */
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
