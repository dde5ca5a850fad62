import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQueue, openWorker } from '../../src/queue/backend.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { QueueStartError } from '../../src/queue/queue-error.ts';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import type { QueueServer } from './queue-kit.ts';
import { effectIds, first, io, recordingLog, silent, until } from '../kit/queue-under-test.ts';
import { openWorld, startPostgresServer, temporaryFolder, worksOn } from './queue-kit.ts';
import { freePort } from '../../embedded/free-port.ts';

/**
 * Returns the error with which a start fails. Also checks that timers fired before that, because the hang against which
 * this test guards prevents timers from firing.
 */
async function failureOf(start: Promise<unknown>): Promise<QueueStartError> {
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 1);
  const beganMs = performance.now();
  try {
    const error: unknown = await start.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(QueueStartError);
    expect(performance.now() - beganMs).toBeLessThan(10 * QUEUE_LIMITS.connectMs);
    await until(() => ticks > 0, 'timers run');
    return error as QueueStartError;
  } finally {
    clearInterval(ticking);
  }
}

const idleProcessor = async () => {};

describe('starting on PostgreSQL', () => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: server.address });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  test('nobody listens: one clear error without the password', async () => {
    const port = await freePort();
    const error = await failureOf(
      postgresBackend(
        { databaseUrl: `postgresql://somebody:secret@127.0.0.1:${port}/tenure` },
        silent,
      ),
    );
    expect(error.code).toBe('QUEUE_UNREACHABLE');
    expect(error.message).toMatch(
      /^PostgreSQL at postgresql:\/\/127\.0\.0\.1:\d+\/tenure cannot be used: .*ECONNREFUSED/,
    );
    expect(error.message).not.toMatch(/secret|\n/);
  });

  test('a server that accepts and says nothing: the start ends by itself', async () => {
    const mute = createServer(() => {}).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = mute.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const error = await failureOf(
        postgresBackend(
          { databaseUrl: `postgresql://u:p@127.0.0.1:${port}/x?sslmode=disable` },
          silent,
        ),
      );
      expect(error.code).toBe('QUEUE_UNREACHABLE');
    } finally {
      mute.close();
    }
  });

  test('a wrong password: says that it was not let in', async () => {
    const url = new URL(server.address);
    url.password = 'wrong';
    const error = await failureOf(postgresBackend({ databaseUrl: url.href }, silent));
    expect(error.message).toMatch(
      /does not allow the user of the queue to connect: password authentication failed/,
    );
  });

  test('a schema name that would need quoting is refused before anything is created', async () => {
    const error = await failureOf(
      postgresBackend({ databaseUrl: server.address, schema: 'a"; drop schema public' }, silent),
    );
    expect(error.code).toBe('QUEUE_UNSUITABLE');
  });

  test('the schema is there before a queue is: many may start at once on an empty database', async () => {
    const schema = 'queue_of_many';
    const start = () => postgresBackend({ databaseUrl: server.address, schema }, silent);
    const backends = await Promise.all(Array.from({ length: 5 }, start));
    expect(backends.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'postgres'));
    const { rows } = await withClient((client) =>
      client.query(`select count(*)::int as jobs from ${schema}.job`),
    );
    expect(rows).toEqual([{ jobs: 0 }]);
  });

  test('a search path in the URL does not lead the queue into other tables', async () => {
    const url = new URL(server.address);
    url.searchParams.set('options', '-c search_path=public -c application_name=mine');
    const schema = 'queue_elsewhere';
    const backend = await postgresBackend({ databaseUrl: url.href, schema }, silent);
    const queue = await openQueue(backend, silent);
    await queue.add(effectIds(1).map(first), io);
    await queue.close();
    const { rows } = await withClient((client) =>
      client.query(`select count(*)::int as jobs from ${schema}.job`),
    );
    expect(rows).toEqual([{ jobs: 1 }]);
  });

  test('down between the check and the start: refused, not hung; and once it is up, started', async () => {
    const backend = await server.backend();
    await server.down();
    try {
      const log = recordingLog();
      const error = await failureOf(startWorker({ backend, log, processor: idleProcessor }));
      expect(error.code).toBe('QUEUE_UNREACHABLE');
      expect(log.entries.map(({ message }) => message)).toEqual(['worker failed']);
      expect((await failureOf(openQueue(backend, silent))).code).toBe('QUEUE_UNREACHABLE');
    } finally {
      await server.up();
    }
    await worksOn(server, backend);
  });

  test('nothing stays connected after stop', async () => {
    const connections = () =>
      withClient(async (client) => {
        const { rows } = await client.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
            where backend_type = 'client backend' and pid <> pg_backend_pid()`,
        );
        return rows[0]?.n;
      });
    const backend = await server.backend();
    const queue = await openQueue(backend, silent);
    const worker = await startWorker({ backend, log: silent, processor: idleProcessor });
    expect(await connections()).toBe(
      QUEUE_LIMITS.queueConnections + QUEUE_LIMITS.workerConnections + 1,
    );
    await worker.stop();
    await queue.close();
    await until(async () => (await connections()) === 0, 'all connections are closed');
  });

  test('a worker with work in hand does not spin while the server is away', async () => {
    await using world = await openWorld(server);
    let failures = 0;
    const opened = await openWorker(world.backend, () => sleep(20), {
      concurrency: 4,
      log: silent,
      shard: 0,
    });
    opened.worker.on('error', () => {
      failures += 1;
    });
    const running = opened.worker.run();
    await world.queue.add(effectIds(100).map(first), io);
    await until(async () => (await world.queue.counts(io)).active > 0, 'work is in hand');
    await server.down();
    const before = { failures, cpu: process.cpuUsage() };
    const outageMs = 1_500;
    await sleep(outageMs);
    const cpu = process.cpuUsage(before.cpu);
    const fetches = failures - before.failures;
    await server.up();
    await until(async () => {
      const { waiting, active } = await world.queue.counts(io);
      return waiting + active === 0;
    }, 'all jobs have run');
    await opened.worker.close();
    await running;
    await opened.release();
    // Without the guard there would be about eight thousand fetches, which use a whole core.
    expect(fetches).toBeLessThan(100);
    expect((cpu.user + cpu.system) / 1_000).toBeLessThan(outageMs / 2);
  });
});

describe('starting where PostgreSQL has few connections', () => {
  const slots = 9;
  const needed = QUEUE_LIMITS.queueConnections + QUEUE_LIMITS.workerConnections + 1;
  let dataDir: string;
  let url: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    const start = () =>
      startEmbeddedPostgres({
        dataDir,
        signal: new AbortController().signal,
        durability: 'none',
      });
    const first = await start();
    const admin = new Client({ connectionString: first.url });
    await admin.connect();
    const { rows } = await admin.query<{ n: number }>(
      `select current_setting('max_connections')::int as n`,
    );
    // Nearly all connections are reserved for superusers, and the queue's role is not a superuser.
    await admin.query(
      `alter system set superuser_reserved_connections = ${(rows[0]?.n ?? 0) - slots}`,
    );
    await admin.query(`create role ordinary login password 'ordinary'`);
    await admin.query('grant create on database tenure to ordinary');
    await admin.end();
    await first.stop();
    const second = await start();
    stop = () => second.stop();
    const ordinary = new URL(second.url);
    ordinary.username = 'ordinary';
    ordinary.password = 'ordinary';
    url = ordinary.href;
  });
  afterAll(async () => {
    await stop();
    await rm(dataDir, { recursive: true });
  });

  async function occupy(count: number): Promise<AsyncDisposable> {
    const clients = Array.from({ length: count }, () => new Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    return {
      async [Symbol.asyncDispose]() {
        await Promise.all(clients.map((client) => client.end()));
      },
    };
  }
  const free = async (count: number): Promise<void> => {
    await until(async () => {
      try {
        await using _ = await occupy(count);
        return true;
      } catch {
        return false;
      }
    }, `${count} connections are free`);
  };

  test('enough is enough', async () => {
    await free(slots);
    const backend = await postgresBackend({ databaseUrl: url }, silent);
    const queue = await openQueue(backend, silent);
    const worker = await startWorker({ backend, log: silent, processor: idleProcessor });
    expect(worker.state).toBe('running');
    await worker.stop();
    await queue.close();
  });

  test('too few: says how many are left and how many are needed', async () => {
    await free(slots);
    await using _ = await occupy(slots - needed + 1);
    const error = await failureOf(postgresBackend({ databaseUrl: url }, silent));
    expect(error.code).toBe('QUEUE_CONNECTIONS_SHORT');
    expect(error.message).toMatch(
      new RegExp(
        `has ${needed - 1} of ${slots} free connections, but the queue needs ${needed}: raise`,
      ),
    );
  });

  test('none at all: says so', async () => {
    await free(slots);
    await using _ = await occupy(slots);
    const error = await failureOf(postgresBackend({ databaseUrl: url }, silent));
    expect(error.code).toBe('QUEUE_CONNECTIONS_SHORT');
    expect(error.message).toMatch(/has no free connection for the queue/);
  });

  test.each([
    ['half of it', QUEUE_LIMITS.workerConnections - 2],
    ['all but the one to listen on', QUEUE_LIMITS.workerConnections],
  ])(
    'taken by others between the check and the start, with %s left: refused, and what was opened is closed',
    async (_, left) => {
      await free(slots);
      const backend = await postgresBackend({ databaseUrl: url }, silent);
      await free(slots);
      {
        await using _others = await occupy(slots - left);
        const error = await failureOf(
          startWorker({ backend, log: silent, processor: idleProcessor }),
        );
        expect(error.code).toBe('QUEUE_CONNECTIONS_SHORT');
      }
      await free(slots);
    },
  );
});
