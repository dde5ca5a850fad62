import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { ServerClient } from '../../src/store/sql/server-client.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { testDatabase } from '../kit/postgres.ts';

/* How the store's client runs queries, on a real PostgreSQL. */

const FIXTURE = fileURLToPath(new URL('asking.fixture.ts', import.meta.url));
const run = promisify(execFile);

async function connected<C extends Client>(client: C): Promise<C & AsyncDisposable> {
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

test('a query goes with its answer, where the driver by itself keeps its rows', async () => {
  await using database = await testDatabase();
  const { stdout } = await run(process.execPath, [FIXTURE, database.url], {
    timeout: PATIENCE_MS,
  });
  const { ofOwn, ofDriver } = JSON.parse(stdout) as Record<'ofOwn' | 'ofDriver', number>;
  expect(ofOwn).toBeLessThan(ofDriver / 4);
});

test('one that is not answered in time breaks the connection, of whatever form it is', async () => {
  await using database = await testDatabase();
  const config = { connectionString: database.url, query_timeout: PATIENCE_MS };
  const late = { text: 'select pg_sleep(600)', query_timeout: 20 };
  const promised = new ServerClient(config);
  await promised.connect();
  await expect(promised.query(late)).rejects.toThrow('Query read timeout');
  await expect(promised.query('select 1')).rejects.toThrow('not queryable');

  const called = new ServerClient(config);
  await called.connect();
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  called.query(late, (error: Error | null) => resolve(error));
  expect(String(await promise)).toContain('Query read timeout');
});

test('what fails says who asked', async () => {
  await using database = await testDatabase();
  await using client = await connected(new ServerClient({ connectionString: database.url }));
  const askWrongly = async () => void (await client.query('select nonsense'));
  const error: unknown = await askWrongly().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: '42703', stack: expect.stringContaining('askWrongly') });
});
