import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Pool } from 'pg';
import type { Config } from '../../src/main/config.ts';
import { sumConnections, warnUnfenced } from '../../src/main/database.ts';
import { createQueueShards } from '../../src/store/engine/queue-shards.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/* The checks that a starting process makes in the database, and the lines that it logs. */

const io = () => ({ signal: new AbortController().signal, deadlineMs: 10_000 });
let database: TestDatabase;
let pool: Pool;
const open = (url: string): Promise<Pool> =>
  openPool({
    url,
    max: 2,
    pipelined: true,
    applicationName: 'test',
    signal: new AbortController().signal,
  });

beforeAll(async () => {
  database = await testDatabase('pristine');
  pool = await open(database.url);
});
afterAll(async () => {
  await pool?.end();
  await database?.[Symbol.asyncDispose]();
});

test('the connections of a queue in the database are counted for each shard that there is now', async () => {
  const config = { databasePool: 12, queue: { kind: 'postgres' } } as Config;
  const wanted = async () => (await sumConnections(config, pool, io(), ['worker'])).wanted;
  expect(await wanted()).toBe(12 + 3 + 7);
  await createQueueShards(pool).set(4, io());
  expect(await wanted()).toBe(12 + 3 + 4 * 7);
});

test('a start warns where the server keeps to itself which history it has, and else is silent', async () => {
  const warn = vi.fn();
  await warnUnfenced(pool, { warn });
  expect(warn).not.toHaveBeenCalled();
  const role = `tenure_test_${randomBytes(6).toString('hex')}`;
  await queryOnce(database.url, `create role ${role} login password 'fence'`);
  try {
    await queryOnce(database.url, 'revoke execute on function pg_control_system() from public');
    const url = new URL(database.url);
    url.username = role;
    url.password = 'fence';
    const limited = await open(url.href);
    await warnUnfenced(limited, { warn });
    await limited.end();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(
      { todo: expect.stringContaining('pg_control_system()') },
      expect.stringContaining('cannot read promotions'),
    );
  } finally {
    await queryOnce(database.url, `drop role ${role}`);
  }
});
