import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { expect, inject, test } from 'vitest';
import {
  DatabaseUnreachableError,
  asUnreachable,
} from '../../src/store/sql/database-unreachable.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { closePool, openPool, type PoolOptions } from '../../src/store/sql/pool.ts';
import { build } from '../../src/store/sql/query.ts';
import { onConnection } from '../../src/store/sql/transact.ts';
import { io } from '../kit/store-rows.ts';
import { queryOnce, withDatabase } from '../kit/postgres-query.ts';
import { testDatabase } from '../kit/postgres.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { freePort } from '../../embedded/free-port.ts';

const SECRET = 'hunter2-hunter2';

const options = (url: string): PoolOptions => ({
  url,
  max: 2,
  applicationName: 'tenure test',
  connectTimeoutMs: 2_000,
  signal: AbortSignal.timeout(PATIENCE_MS),
});

async function refusalOf(url: string): Promise<DatabaseUnreachableError> {
  const error: unknown = await openPool(options(url)).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DatabaseUnreachableError))
    throw new Error('was not refused', { cause: error });
  return error;
}

test('columns come out exact', async () => {
  await using database = await testDatabase();
  const pool = await openPool(options(database.url));
  const { rows } = await pool.query(
    `select 9007199254740993::int8 as big, timestamptz '2025-10-28 16:20:38.735022Z' as at, date '2025-10-28' as day`,
  );
  expect(rows).toEqual([
    { big: 9_007_199_254_740_993n, at: '2025-10-28T16:20:38.735022Z', day: '2025-10-28' },
  ]);
  await closePool(pool, 5_000);
});

test('what a built query answers is exact as well', async () => {
  await using database = await testDatabase();
  const pool = await openPool(options(database.url));
  const cursor = { stream: 'updates', offset: 9_007_199_254_740_993n, oldest_offset: 0n };
  const insert = build.insertInto('query_store_offset').values(cursor).returningAll();
  expect(await onConnection(pool, io(), (session) => session.ask(insert))).toMatchObject([cursor]);
  await closePool(pool, 5_000);
});

test('a statement that runs too long is ended by the server', async () => {
  await using database = await testDatabase();
  const pool = await openPool({ ...options(database.url), statementTimeoutMs: 50 });
  await expect(pool.query('select pg_sleep(30)')).rejects.toThrow('statement timeout');
  await closePool(pool, 5_000);
});

test('a transaction that does nothing loses its connection', async () => {
  await using database = await testDatabase();
  const pool = await openPool({ ...options(database.url), idleInTransactionTimeoutMs: 50 });
  const client = await pool.connect();
  const lost = once(client, 'error');
  await client.query('begin');
  const [error] = await lost;
  expect(asUnreachable(error, database.url) ?? error).toMatchObject({ code: '25P03' });
  client.release(true);
  await closePool(pool, 5_000);
});

test('a broken idle connection is told and replaced', async () => {
  await using database = await testDatabase();
  const lost: Error[] = [];
  const pool = await openPool({
    ...options(database.url),
    onConnectionLost: (error) => lost.push(error),
  });
  const removed = new Promise((resolve) => pool.once('remove', resolve));
  await queryOnce(
    inject('postgres').adminUrl,
    'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1',
    [database.name],
  );
  await removed;
  expect(lost).toMatchObject([{ name: 'DatabaseUnreachableError', reason: 'connection-lost' }]);
  expect(inspect(lost, { depth: 10 })).not.toContain(new URL(database.url).password);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await closePool(pool, 5_000);
});

test('closing tells of a connection that was not given back', async () => {
  await using database = await testDatabase();
  const pool = await openPool(options(database.url));
  const kept = await pool.connect();
  await expect(closePool(pool, 50)).rejects.toThrow(
    '1 database connections are still in use after 50 ms',
  );
  kept.release();
});

test('nothing listens', async () => {
  const port = await freePort();
  const error = await refusalOf(`postgresql://tenure:${SECRET}@127.0.0.1:${port}/tenure`);
  expect(error.message).toBe(
    `cannot reach PostgreSQL at 127.0.0.1:${port}: no server listens at this address`,
  );
  expect(error).toMatchObject({ reason: 'refused', host: '127.0.0.1', port });
});

test('somebody listens and says nothing', async () => {
  const silent: Server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  try {
    const error = await refusalOf(`postgresql://tenure:${SECRET}@127.0.0.1:${port}/tenure`);
    expect(error.message).toBe(
      `cannot reach PostgreSQL at 127.0.0.1:${port}: the server did not answer in time`,
    );
  } finally {
    silent.close();
  }
});

test('a host that does not exist, and a socket that does not exist', async () => {
  const host = await refusalOf(`postgresql://tenure:${SECRET}@nowhere.invalid/tenure`);
  expect(host).toMatchObject({ reason: 'host-unknown', host: 'nowhere.invalid', port: 5432 });
  const socket = await refusalOf(`postgresql://tenure:${SECRET}@%2Fnonexistent/tenure`);
  expect(socket).toMatchObject({ reason: 'refused', host: '/nonexistent' });
});

test('a wrong password, user or database', async () => {
  const { adminUrl } = inject('postgres');
  const wrongPassword = new URL(adminUrl);
  wrongPassword.password = SECRET;
  const wrongUser = new URL(adminUrl);
  wrongUser.username = 'nobody-knows';
  const refusals = [
    await refusalOf(wrongPassword.href),
    await refusalOf(wrongUser.href),
    await refusalOf(withDatabase(adminUrl, 'no_such_database')),
  ];
  expect(refusals.map((error) => error.reason)).toEqual([
    'login-refused',
    'login-refused',
    'database-missing',
  ]);
  expect(refusals[1]?.message).toMatch(/: the server rejects user "nobody-knows" or the password$/);
  expect(refusals[2]?.message).toMatch(/: database "no_such_database" does not exist$/);
});

test.each([
  'not a url',
  `mysql://tenure:${SECRET}@127.0.0.1/tenure`,
  `postgresql://tenure:${SECRET}@127.0.0.1:port/tenure`,
  '',
])('"%s" is no database URL', async (url) => {
  const error = await refusalOf(url);
  expect(error.reason).toBe('url-invalid');
  await expect(migrate({ url, signal: AbortSignal.timeout(5_000) })).rejects.toThrow(error.message);
});

test('no refusal names the password, however it is printed', async () => {
  const port = await freePort();
  const urls = [
    `postgresql://tenure:${SECRET}@127.0.0.1:${port}/tenure`,
    `postgresql://tenure:${SECRET}@127.0.0.1:port/tenure`,
    inject('postgres').adminUrl.replace(/:[^:@]+@/, `:${SECRET}@`),
  ];
  for (const url of urls) {
    const error = await refusalOf(url);
    expect(error.message).not.toContain('\n');
    expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
  }
});

test('an error of a database that can be reached is left as it is', async () => {
  await using database = await testDatabase();
  const failure: unknown = await queryOnce(database.url, 'select 1 / 0').catch(
    (error: unknown) => error,
  );
  expect(asUnreachable(failure, database.url)).toBeNull();
  expect(asUnreachable(new Error('something else'), database.url)).toBeNull();
});
