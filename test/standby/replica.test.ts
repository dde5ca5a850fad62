import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Pool } from 'pg';
import { openPool } from '../../src/store/sql/pool.ts';
import type { Replica } from '../../src/store/sql/replica.ts';
import { openReplica } from '../../src/store/sql/replica.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { transact } from '../../src/store/sql/transact.ts';
import { refuseForeignReplica } from '../../src/main/database.ts';
import { findReplica } from '../../src/main/doctor-database.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import type { PostgresPair } from '../../embedded/postgres/pair.ts';
import { startPostgresPair } from '../../embedded/postgres/pair.ts';
import { until } from '../../embedded/until.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/* Searches on a replica: which rows they see, and when the primary serves them instead of the replica. */

const io = () => ({ signal: new AbortController().signal, deadlineMs: 10_000 });
const WHERE = statement<{ replica: boolean; n: number }>(
  'test-replica-where',
  'select pg_is_in_recovery() as replica, (select max(n) from seen) as n',
);

let pair: PostgresPair;
let primary: Pool;
const unused = vi.fn<(error: unknown) => void>();

const open = (url: string, serves: 'primary' | 'readers') =>
  openPool({
    url,
    serves,
    max: 3,
    pipelined: true,
    applicationName: 'test',
    signal: new AbortController().signal,
  });

beforeAll(async () => {
  pair = await startPostgresPair();
  await queryOnce(pair.primary.url, 'create table seen (n integer)');
  primary = await open(pair.primary.url, 'primary');
  await until('the table on the replica', async () => {
    return (await queryOnce(pair.standby.url, 'select from seen')).length === 0;
  });
});
afterAll(async () => {
  await primary?.end();
  await pair?.[Symbol.asyncDispose]();
});

const replicaAt = (url: string): Replica =>
  openReplica({ primary, open: () => open(url, 'readers'), onUnused: unused });

async function search(replica: Replica) {
  const [row] = await replica.ask(io(), (session) => session.run(WHERE));
  return row;
}
const write = (n: number) =>
  transact(primary, io(), (session) => session.script(`insert into seen values (${n})`));

test('each search is served by the replica, and shows what was written before it', async () => {
  const replica = replicaAt(pair.standby.url);
  for (let n = 1; n <= 100; n += 1) {
    await write(n);
    expect(await search(replica)).toEqual({ replica: true, n });
  }
  expect(replica.counts).toEqual({ replica: 100, primary: 0 });
  expect(await replica.behindBytes(io())).toBeLessThan(10_000);
  await replica.close();
});

test('one that does not replay is left alone, and the primary shows the last write', async () => {
  const replica = replicaAt(pair.standby.url);
  await queryOnce(pair.standby.url, 'select pg_wal_replay_pause()');
  await until('the pause', async () => {
    const [row] = await queryOnce(pair.standby.url, 'select pg_get_wal_replay_pause_state() as is');
    return row?.['is'] === 'paused';
  });
  try {
    await write(101);
    const began = performance.now();
    expect(await search(replica)).toEqual({ replica: false, n: 101 });
    expect(performance.now() - began).toBeGreaterThan(STORE_LIMITS.replicaWaitMs);
    expect(unused).toHaveBeenCalledTimes(1);
    // The search does not wait for the replica a second time.
    expect(await search(replica)).toEqual({ replica: false, n: 101 });
    expect(unused).toHaveBeenCalledTimes(1);
    expect(await replica.behindBytes(io())).toBeGreaterThan(0);
  } finally {
    await queryOnce(pair.standby.url, 'select pg_wal_replay_resume()');
  }
  const after = replicaAt(pair.standby.url);
  await until('the replica', async () => (await search(after))?.replica === true);
  await Promise.all([replica.close(), after.close()]);
});

test('a server of another cluster is never searched on, is refused at start, and told by the doctor', async () => {
  await using other = await startPostgresPair();
  await queryOnce(other.primary.url, 'create table seen (n integer)');
  await queryOnce(other.primary.url, 'insert into seen values (-1)');
  // This replica is a primary itself, so it would seem to have replayed everything.
  const replica = replicaAt(other.primary.url);
  unused.mockClear();
  expect(await search(replica)).toEqual({ replica: false, n: 101 });
  expect(unused).toHaveBeenCalledWith(expect.objectContaining({ name: 'ForeignReplicaError' }));
  await replica.close();
  const { signal } = new AbortController();
  const config = {
    roles: new Set(['api'] as const),
    replicaUrl: other.primary.url,
  };
  await expect(refuseForeignReplica(config, primary, signal)).rejects.toThrow(
    /^DATABASE_REPLICA_URL names a server of cluster \d+, but DATABASE_URL names one of cluster \d+: /u,
  );
  expect(await findReplica(config, primary, io())).toMatchObject([
    { what: expect.stringContaining('both must belong to the same cluster') },
  ]);
  await refuseForeignReplica({ ...config, replicaUrl: pair.standby.url }, primary, signal);
});

test('one that is away costs nothing but the search on the primary', async () => {
  const replica = replicaAt('postgresql://tenure@127.0.0.1:1/tenure');
  expect(await search(replica)).toEqual({ replica: false, n: 101 });
  expect(replica.counts).toEqual({ replica: 0, primary: 1 });
  await replica.close();
});

test('what the search itself throws is thrown, and not tried again', async () => {
  const replica = replicaAt(pair.standby.url);
  const work = vi.fn(() => Promise.reject(new TypeError('a mistake')));
  await until('the replica', async () => (await search(replica))?.replica === true);
  await expect(replica.ask(io(), work)).rejects.toThrow('a mistake');
  expect(work).toHaveBeenCalledTimes(1);
  await replica.close();
});
