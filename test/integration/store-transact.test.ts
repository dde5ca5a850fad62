import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { expect, test } from 'vitest';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { DatabaseUnreachableError } from '../../src/store/sql/database-unreachable.ts';
import { DatabaseDeadlineError, isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { closePool } from '../../src/store/sql/pool.ts';
import type { Session } from '../../src/store/sql/session.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection, transact } from '../../src/store/sql/transact.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  arrival,
  birth,
  change,
  effectId,
  io,
  lifecycle,
  newLane,
  writes,
} from '../kit/store-rows.ts';
import { allOf } from '../kit/all-of.ts';
import { arrive } from '../kit/store-under-test.ts';

const PID = statement<{ pid: number }>('test-pid', 'select pg_backend_pid() as pid');
const fail = (sqlState: string): string =>
  `do $$ begin raise exception 'made to fail' using errcode = '${sqlState}'; end $$`;

/** Creates two tables, with rows that transactions lock. */
const prepareRows = (url: string) =>
  queryOnce(
    url,
    'create table scratch (id int primary key, n int); insert into scratch values (1, 0), (2, 0)',
  );

const bump = statement<{ n: number }>(
  'test-bump',
  'update scratch set n = n + 1 where id = $1 returning n',
);

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('did not fail'),
    (error: unknown) => error,
  );

/** Returns how many connections of a pool are in use. */
const inUse = (pool: Pool): number => pool.totalCount - pool.idleCount;

/** Returns a lane that a transaction keeps locked until it is released. */
async function heldLane({ store }: Awaited<ReturnType<typeof postgresStore>>) {
  const lane = newLane();
  const holding = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = store.transact(io(), async (tx) => {
    await tx.lock([lane]);
    locked.resolve();
    await holding.promise;
  });
  await locked.promise;
  const release = async () => {
    holding.resolve();
    await holder;
  };
  return { lane, release };
}

test('a deadlock is resolved by doing one of the two again', async () => {
  await using under = await postgresStore();
  await prepareRows(under.url);
  let tries = 0;
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const crossing = (own: number, other: number, arrived: () => void, met: Promise<void>) =>
    transact(under.pool, io(), async (session) => {
      tries += 1;
      await session.run(bump, [own]);
      arrived();
      await met;
      await session.run(bump, [other]);
    });
  await Promise.all([
    crossing(1, 2, first.resolve, second.promise),
    crossing(2, 1, second.resolve, first.promise),
  ]);
  expect(tries).toBeGreaterThan(2);
  const rows = await queryOnce(under.url, 'select n from scratch order by id');
  expect(rows).toEqual([{ n: 2 }, { n: 2 }]);
});

test.each(['40001', '40P01'])(
  'after %s the work is done again, from the beginning',
  async (code) => {
    await using under = await postgresStore();
    await prepareRows(under.url);
    let tries = 0;
    await transact(under.pool, io(), async (session) => {
      tries += 1;
      await session.run(bump, [1]);
      if (tries < 3) await session.script(fail(code));
    });
    expect(tries).toBe(3);
    expect(await queryOnce(under.url, 'select n from scratch where id = 1')).toEqual([{ n: 1 }]);
  },
);

test('work that cannot be serialised is given up after its tries', async () => {
  await using under = await postgresStore();
  let tries = 0;
  const error = await errorOf(
    transact(under.pool, io(), async (session) => {
      tries += 1;
      await session.script(fail('40001'));
    }),
  );
  expect(error).toMatchObject({ reason: 'contended', cause: { code: '40001' } });
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(tries).toBe(STORE_LIMITS.transactionTriesMax);
});

test('other errors of the database are not repeated, and come as they are', async () => {
  await using under = await postgresStore();
  let tries = 0;
  const error = await errorOf(
    transact(under.pool, io(), async (session) => {
      tries += 1;
      await session.script(fail('23505'));
    }),
  );
  expect(error).toMatchObject({ code: '23505', message: 'made to fail' });
  expect(isDatabaseUnavailable(error)).toBe(false);
  expect(tries).toBe(1);
});

test('a statement that nobody waited for fails the transaction, with its own error', async () => {
  await using under = await postgresStore();
  await prepareRows(under.url);
  const error = await errorOf(
    transact(under.pool, io(), async (session) => {
      session.send(bump, [1]);
      session.send(statement<never>('test-bad', `select 1 / $1::int`), [0]);
      session.send(bump, [2]);
    }),
  );
  expect(error).toMatchObject({ code: '22012' });
  const rows = await queryOnce(under.url, 'select n from scratch order by id');
  expect(rows).toEqual([{ n: 0 }, { n: 0 }]);
});

test('what comes after a failure fails with it, not with its consequence', async () => {
  await using under = await postgresStore();
  const seen: unknown[] = [];
  const error = await errorOf(
    transact(under.pool, io(), async (session) => {
      seen.push(await errorOf(session.script(fail('22012'))));
      seen.push(await errorOf(session.run(PID)));
    }),
  );
  expect([...seen, error]).toEqual([seen[0], seen[0], seen[0]]);
  expect(seen[0]).toMatchObject({ code: '22012' });
});

test('the time for a call is over although a lock is held: prompt, undone, connection free', async () => {
  await using under = await postgresStore();
  const { lane, release } = await heldLane(under);
  const error = await errorOf(under.store.transact(io(200), (tx) => tx.lock([lane])));
  expect(error).toBeInstanceOf(DatabaseDeadlineError);
  expect(isDatabaseUnavailable(error)).toBe(true);
  // The lock is still held, so it is the server itself that has ended the statement.
  await expect.poll(() => inUse(under.pool)).toBe(1);
  await release();
});

test('a signal ends a transaction that waits for a lock, and one before it has begun', async () => {
  await using under = await postgresStore();
  const { lane, release } = await heldLane(under);
  const stop = new AbortController();
  const reason = new Error('the caller went away');
  const waiting = errorOf(under.store.transact(io(20_000, stop.signal), (tx) => tx.lock([lane])));
  await turn();
  stop.abort(reason);
  expect(await waiting).toBe(reason);
  expect(await errorOf(under.store.transact(io(20_000, stop.signal), async () => {}))).toBe(reason);
  const reads = allOf(under.store.reads.history(lifecycle().id, io(20_000, stop.signal)));
  expect(await errorOf(reads)).toBe(reason);
  await release();
  await expect.poll(() => inUse(under.pool)).toBe(0);
});

test('work that goes on after its time can do nothing with the connection', async () => {
  await using under = await postgresStore(1);
  await prepareRows(under.url);
  const stop = new AbortController();
  const later = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<unknown>();
  const transacting = errorOf(
    transact(under.pool, io(20_000, stop.signal), async (session) => {
      await session.run(bump, [1]);
      await later.promise;
      outcome.resolve(await errorOf(session.run(bump, [2])));
    }),
  );
  await turn();
  stop.abort(new Error('stopped'));
  await transacting;
  await expect.poll(() => inUse(under.pool)).toBe(0);
  // When the late statement arrives, another transaction uses the only connection.
  await transact(under.pool, io(), async (session) => {
    await session.run(bump, [1]);
    later.resolve();
    expect(await outcome.promise).toMatchObject({ message: 'the transaction is over' });
  });
  const rows = await queryOnce(under.url, 'select n from scratch order by id');
  expect(rows).toEqual([{ n: 1 }, { n: 0 }]);
});

test('a connection that breaks in a transaction is an outage, and the next one works', async () => {
  await using under = await postgresStore();
  const of = lifecycle();
  const breaking = under.store.transact(io(), async (tx) => {
    await tx.lock([of.lane]);
    await queryOnce(
      under.url,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`,
    );
    await tx.save(writes(birth(of)));
  });
  const error = await errorOf(breaking);
  expect(error).toBeInstanceOf(DatabaseUnreachableError);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(await under.store.transact(io(), (tx) => tx.findLifecycle(of.id))).toBeNull();
});

test('a pool that cannot connect is an outage', async () => {
  await using under = await postgresStore();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const url = new URL(under.url);
  url.port = String(port);
  const { Pool } = await import('pg');
  const pool = new Pool({ connectionString: url.href, pipeline: true });
  try {
    for (const call of [
      transact(pool, io(), async () => {}),
      onConnection(pool, io(), (session) => session.run(PID)),
    ]) {
      expect(await errorOf(call)).toMatchObject({
        name: 'DatabaseUnreachableError',
        reason: 'refused',
        port,
      });
    }
  } finally {
    await closePool(pool, 5_000);
  }
});

test('waiting for a free connection ends with the time of the call, and leaks none', async () => {
  await using under = await postgresStore(1);
  const holding = Promise.withResolvers<void>();
  const has = Promise.withResolvers<void>();
  const holder = transact(under.pool, io(), async () => {
    has.resolve();
    await holding.promise;
  });
  await has.promise;
  const error = await errorOf(transact(under.pool, io(100), async () => 'never'));
  expect(error).toBeInstanceOf(DatabaseDeadlineError);
  holding.resolve();
  await holder;
  expect(await transact(under.pool, io(), async () => 'works')).toBe('works');
});

test('settings of a transaction end with it', async () => {
  await using under = await postgresStore(1);
  const setting = statement<{ statement: string; scan: string; commit: string }>(
    'test-settings',
    `select current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scan,
            current_setting('synchronous_commit') as commit`,
  );
  const settings = (session: Session) => session.run(setting);
  const outside = await onConnection(under.pool, io(), settings);
  const [inside] = await transact(under.pool, io(1_234), settings, { durable: false });
  expect(inside).toMatchObject({ scan: 'off', commit: 'off' });
  expect(inside?.statement).toMatch(/^(1234|12[0-3]\d)ms$|^1s$/);
  expect(await onConnection(under.pool, io(), settings)).toEqual(outside);
  expect(outside).toMatchObject([{ statement: '30s', scan: 'on' }]);
});

test('begin and commit stand alone on a connection that has served a transaction', async () => {
  await using under = await postgresStore(1);
  await transact(under.pool, io(), async () => null);
  const client = await under.pool.connect();
  const sent: string[] = [];
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((asked: string | { text: string }, ...rest: unknown[]) => {
    sent.push(typeof asked === 'string' ? asked : asked.text);
    return query(asked, ...rest);
  }) as typeof client.query;
  client.release();
  const bounds = io(LIMITS.databaseStatementMs);
  await transact(under.pool, bounds, (session) => session.run(PID));
  expect(sent.splice(0)).toEqual(['begin', PID.text, 'commit']);
  // This statement's answer is not awaited, so the statement may fail later.
  await transact(under.pool, bounds, async (session) => session.send(PID, []));
  expect(sent.splice(0)).toEqual(['begin', PID.text, 'select; commit']);
  await transact(under.pool, io(1_000), (session) => session.run(PID));
  expect(sent[0]).toMatch(/^begin; set local statement_timeout = \d+$/u);
});

test('a transaction of many statements costs few round trips', async () => {
  await using under = await postgresStore(1);
  const ours = change();
  // While the store sends nothing more, each chunk that the server sends is the answer to one batch of statements.
  await arrive(under.store, ours);
  let [sent, turns] = [0, 0];
  const client = await under.pool.connect();
  const stream = (client as unknown as { connection: { stream: NodeJS.ReadWriteStream } })
    .connection.stream;
  const write = stream.write.bind(stream);
  let waiting = false;
  stream.write = ((...args: Parameters<typeof write>) => {
    sent += 1;
    if (!waiting) turns += 1;
    waiting = true;
    return write(...args);
  }) as typeof stream.write;
  stream.on('data', () => {
    waiting = false;
  });
  client.release();
  await arrive(under.store, change());
  expect(sent).toBeGreaterThan(8);
  expect(turns).toBeLessThanOrEqual(4);
});

/**
 * Emits the notice that a server sends with a commit that its standby may lack. In test/standby, real servers send it.
 */
const sayUnreplicated = (client: PoolClient) =>
  client.emit('notice', { routine: 'SyncRepWaitForLSN' });

test('what may have been committed is told of as that, since nobody else may tell of it', async () => {
  await using world = await postgresStore();
  const told: string[] = [];
  const store = createPostgresStore(world.pool, {
    committed: () => told.push('committed'),
    failed: (saved) =>
      told.push(...saved.flatMap(({ newEffects }) => newEffects.map(({ id }) => id))),
  });
  const one = change({ lane: newLane() });
  const [client] = await Promise.all([
    once(world.pool, 'acquire').then(([acquired]) => acquired as PoolClient),
    onConnection(world.pool, io(), (session) => session.run(PID)),
  ]);
  const recorded = store.transact(io(), async (tx) => {
    await tx.lock([one.lane]);
    await tx.save(writes(arrival(one)));
    sayUnreplicated(client);
  });
  expect(await errorOf(recorded)).toMatchObject({ reason: 'connection-lost' });
  expect(told).toEqual([effectId(one)]);
  expect(await store.reads.changesById([one.id], io())).toHaveLength(1);
});

test('a connection over which the standby may have missed a commit is used for nothing else', async () => {
  await using world = await postgresStore();
  const { pool } = world;
  const pids: number[] = [];
  const ask = (does: (pid: number) => void = () => undefined) =>
    transact(pool, io(), async (session) => {
      const [row] = await session.run(PID);
      if (row !== undefined) does(row.pid);
    });
  const seen = (pid: number) => pids.push(pid);
  pool.once('acquire', sayUnreplicated);
  expect(await errorOf(ask())).toMatchObject({ reason: 'connection-lost' });
  await ask(seen);
  await onConnection(pool, io(), async (session) => {
    const [row] = await session.run(PID);
    if (row !== undefined) seen(row.pid);
  });
  expect(pids).toHaveLength(2);
});
