import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { openTcpProxy } from '../../chaos/tcp-proxy.ts';
import type { TcpProxy } from '../../chaos/tcp-proxy.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { DatabaseUnreachableError } from '../../src/store/sql/database-unreachable.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import type { Session } from '../../src/store/sql/session.ts';
import { SILENCE_EVENT } from '../../src/store/sql/silence.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection, transact } from '../../src/store/sql/transact.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { testDatabase } from '../kit/postgres.ts';

/* Connections that stop without an error. The tests use a proxy to a real PostgreSQL. */

const io = () => ({ signal: AbortSignal.timeout(PATIENCE_MS), deadlineMs: PATIENCE_MS });

const NOTE = statement<never>('test-note', 'insert into note (n) values ($1)');
const NOTES = statement<{ n: number }>('test-notes', 'select n from note order by n');
const LOCK = statement<object>('test-lock-note', 'select from note where n = 0 for update');

interface Way extends AsyncDisposable {
  readonly pool: Pool;
  readonly proxy: TcpProxy;
  /** The number of connections that the pool has found to be dead. */
  readonly found: () => number;
  /** Stops the data of all open connections. New connections work. */
  freeze(): void;
}

async function openWay(): Promise<Way> {
  const database = await testDatabase();
  const url = new URL(database.url);
  const proxy = await openTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const pool = await openPool({
    url: url.href,
    max: 4,
    pipelined: true,
    applicationName: 'tenure test silence',
    statementTimeoutMs: LIMITS.databaseStatementMs,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  let found = 0;
  pool.addListener(SILENCE_EVENT, (connections: number) => {
    found += connections;
  });
  await pool.query('create table note (n int); insert into note values (0)');
  return {
    pool,
    proxy,
    found: () => found,
    freeze() {
      proxy.swallow();
      proxy.pass();
    },
    async [Symbol.asyncDispose]() {
      await closePool(pool, PATIENCE_MS);
      await proxy[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

test('a connection that listens is made again soon once others were found dead', async () => {
  await using way = await openWay();
  let gaps = 0;
  const { connectionString: url = '' } = way.pool.options;
  const listener = openListener({ url, applicationName: 'tenure test silence listener' });
  listener.on('nobody', { onMessage: () => undefined, onGap: () => (gaps += 1) });
  await expect.poll(() => gaps).toBe(1);
  way.freeze();
  listener.check();
  const timeout = STORE_LIMITS.connectMs - STORE_LIMITS.silenceMs;
  await expect.poll(() => gaps, { timeout }).toBe(2);
  await listener.stop();
});

/** Opens as many connections as the pool may have, and frees all of them. */
async function fill({ pool }: Way): Promise<void> {
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  for (const client of clients) client.release();
}

test('all connections freeze: what is asked next goes over another one, after one silence', async () => {
  await using way = await openWay();
  await fill(way);
  way.freeze();
  const rows = await transact(way.pool, io(), (session) => session.run(NOTES));
  expect(rows).toEqual([{ n: 0 }]);
  // One dead connection makes the pool check the others too.
  expect(way.found()).toBe(1);
});

test('what a dead connection had locked is free for the next try', async () => {
  await using way = await openWay();
  let tries = 0;
  await transact(way.pool, io(), async (session) => {
    tries += 1;
    await session.run(LOCK);
    if (tries === 1) way.freeze();
    await session.run(NOTE, [1]);
  });
  expect(tries).toBe(2);
  const rows = await transact(way.pool, io(), (session) => session.run(NOTES));
  expect(rows).toEqual([{ n: 0 }, { n: 1 }]);
});

test('what was lost with its commit on the way is not done again', async () => {
  await using way = await openWay();
  let tries = 0;
  const lost = transact(way.pool, io(), async (session) => {
    tries += 1;
    await session.run(NOTE, [1]);
    way.freeze();
  });
  await expect(lost).rejects.toBeInstanceOf(DatabaseUnreachableError);
  expect(tries).toBe(1);
});

test('a single statement is not done again: it may stand alone', async () => {
  await using way = await openWay();
  await fill(way);
  way.freeze();
  let tries = 0;
  const asking = onConnection(way.pool, io(), (session) => {
    tries += 1;
    return session.run(NOTE, [1]);
  });
  await expect(asking).rejects.toMatchObject({ reason: 'connection-lost' });
  expect(tries).toBe(1);
});

test('a statement that takes long, and one that waits for a lock, are no dead connections', async () => {
  await using way = await openWay();
  const heldMs = 2 * (STORE_LIMITS.silenceMs + STORE_LIMITS.silenceLookMs);
  const sleeping = statement<object>('test-sleep', `select pg_sleep(${heldMs / 1_000})`);
  const held = Promise.withResolvers<null>();
  const holding = transact(way.pool, io(), async (session) => {
    await session.run(LOCK);
    held.resolve(null);
    await session.run(sleeping);
  });
  await held.promise;
  let tries = 0;
  const waiting = transact(way.pool, io(), async (session: Session) => {
    tries += 1;
    await session.run(LOCK);
  });
  await Promise.all([holding, waiting]);
  expect([tries, way.found()]).toEqual([1, 0]);
});
