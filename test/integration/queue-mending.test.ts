import { Redis } from 'ioredis';
import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { judgeQueue } from '../../src/doctor/judge.ts';
import { probePostgresQueue, probeRedisQueue } from '../../src/queue/probe.ts';
import { SUBMIT_QUEUE } from '../../src/queue/job.ts';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import { POSTGRES_SCHEMA, postgresBackend } from '../../src/queue/postgres-backend.ts';
import { REDIS_PREFIX } from '../../src/queue/redis-backend.ts';
import {
  effectIds,
  first,
  io,
  memoryOutbox,
  recordingLog,
  relaying,
  silent,
  until,
} from '../kit/queue-under-test.ts';
import type { QueueServer } from './queue-kit.ts';
import { openWorld, queueServers, startPostgresServer, startRedisServer } from './queue-kit.ts';

/*
 * Damage to the tables or keys of the queue. Running workers and relays create them again, and so does every process
 * that starts. The outbox supplies the lost jobs again.
 */

const hasRedis = (await queueServers('mending')).some(({ kind }) => kind === 'redis');
/** The time after which the effect of a lost job is due again. */
const REDISPATCH_MS = 500;
/** The time within which damage is detected that no operation meets. */
const LOOK_MS = 500;

/** Checks that worker processes finish effects again after `damage`. */
async function expectToOutlive(
  server: QueueServer,
  damage: () => Promise<unknown>,
  isWhole: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  await using world = await openWorld(server);
  await using other = await openWorld(server);
  const outbox = memoryOutbox(REDISPATCH_MS);
  for (const one of [world, other]) {
    await one.worker(async ({ effectId }) => outbox.finish(effectId));
  }
  await using _relay = relaying(world, outbox);
  await using _second = relaying(other, outbox);
  outbox.insert(effectIds(20));
  await until(() => outbox.finished === 20, 'effects are done');
  await damage();
  outbox.insert(effectIds(20));
  await until(() => outbox.finished === 40, 'effects are done again');
  await until(isWhole, 'everything is as it was made');
  expect(outbox.finished).toBe(40);
}

describe('on PostgreSQL', () => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await startPostgresServer(LOOK_MS);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function run<Row>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: server.address });
    await client.connect();
    try {
      return (await client.query<Row & Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }
  /**
   * Runs a statement that damages tables that are in use. Repeats it after a deadlock: the statement takes locks in
   * another order, so PostgreSQL may choose to end it.
   */
  async function damage(sql: string): Promise<void> {
    for (;;) {
      try {
        await run(sql);
        return;
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== '40P01') throw error;
      }
    }
  }
  const tables = async (): Promise<string[]> =>
    (
      await run<{ name: string }>(
        `select relname as name from pg_class
         where relnamespace = '${POSTGRES_SCHEMA}'::regnamespace and relkind = 'r' order by 1`,
      )
    ).map(({ name }) => name);
  const doctor = async () => judgeQueue(await probePostgresQueue(server.address));
  const isWell = async () => (await doctor())[0]?.level === 'well';

  const DAMAGES: readonly (readonly [string, string])[] = [
    ['its schema is dropped', `drop schema ${POSTGRES_SCHEMA} cascade`],
    [
      'all of its tables are emptied',
      `do $$ declare t text; begin
         for t in select oid::regclass from pg_class
           where relnamespace = '${POSTGRES_SCHEMA}'::regnamespace and relkind = 'r'
         loop execute 'truncate ' || t || ' cascade'; end loop; end $$`,
    ],
    ['a table is dropped', `drop table ${POSTGRES_SCHEMA}.job cascade`],
    ['a column is dropped', `alter table ${POSTGRES_SCHEMA}.job drop column opts`],
    ['a type is dropped', `drop type ${POSTGRES_SCHEMA}.job_state cascade`],
    [
      'a column is of another type',
      `alter table ${POSTGRES_SCHEMA}.job alter column data type text`,
    ],
    ['its functions are dropped', `drop routine ${POSTGRES_SCHEMA}.move_to_active`],
    ['its list of migrations is gone', `drop table ${POSTGRES_SCHEMA}.migration`],
    [
      'something else has the name of a table',
      `drop table ${POSTGRES_SCHEMA}.job cascade; create view ${POSTGRES_SCHEMA}.job as select 1 as id`,
    ],
  ];

  test.each(DAMAGES)('%s, and those who run make it anew', async (_what, sql) => {
    await expectToOutlive(server, () => damage(sql), isWell);
    expect(await tables()).toContain('job');
  });

  test.each(DAMAGES)(
    '%s, and the next start makes it anew, whoever is first',
    async (_what, sql) => {
      await postgresBackend({ databaseUrl: server.address }, silent);
      const whole = await tables();
      await run(sql);
      const [before] = await doctor();
      expect(before).toMatchObject({
        level: 'wrong',
        todo: expect.stringContaining('within seconds'),
      });
      expect(before?.what).not.toContain('ever started');
      const log = recordingLog();
      const start = () => postgresBackend({ databaseUrl: server.address }, log);
      await Promise.all([start(), start(), start()]);
      expect(await tables()).toEqual(whole);
      // One of the processes has created the schema again. A table that the test dropped may not have existed before.
      const said = log.entries.filter(({ message }) => message.includes('recreated the queue'));
      expect(said).toHaveLength(sql.startsWith('drop schema') ? 0 : 1);
      expect((await doctor())[0]).toMatchObject({ level: 'well' });
    },
  );

  test('the doctor says when it was made anew, and why', async () => {
    await expectToOutlive(server, () => damage(`drop table ${POSTGRES_SCHEMA}.job cascade`));
    expect((await doctor())[0]?.what).toMatch(
      /^\d+ jobs are waiting and \d+ are active; the queue was recreated at \S+Z: its tables had been changed$/u,
    );
  });

  test('what is whole is left alone, whoever looks', async () => {
    await postgresBackend({ databaseUrl: server.address }, silent);
    const oids = () =>
      run<{ oid: number }>(
        `select oid from pg_class where relnamespace = '${POSTGRES_SCHEMA}'::regnamespace order by 1`,
      );
    const before = await oids();
    const log = recordingLog();
    const url = new URL(server.address);
    url.searchParams.set('options', '-c search_path=public');
    await postgresBackend({ databaseUrl: url.href }, log);
    await expectToOutlive(server, async () => undefined);
    expect(log.entries).toEqual([]);
    // BullMQ creates its sequence when it first uses it.
    expect(await oids()).toEqual(expect.arrayContaining(before));
  });

  test('sessions that take no writes are replaced, and take them when the server does', async () => {
    await using world = await openWorld(server);
    // Sends commands on all connections of the queue at the same time.
    const add = () =>
      Promise.allSettled(
        effectIds(QUEUE_LIMITS.queueConnections).map((id) => world.queue.add([first(id)], io)),
      ).then((ends) => [...new Set(ends.map(({ status }) => status))].toString());
    const [{ name } = { name: '' }] = await run<{ name: string }>(
      'select current_database() as name',
    );
    await run(`alter database ${name} set default_transaction_read_only = on`);
    await run(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()`);
    for (let n = 0; n < 3; n += 1) await until(async () => (await add()) === 'rejected', 'refused');
    await run(`begin; set transaction read write; alter database ${name} reset all; commit`);
    await until(async () => (await add()) === 'fulfilled', 'taken');
    expect((await world.queue.counts(io)).waiting).toBeGreaterThan(0);
    await run(`delete from ${POSTGRES_SCHEMA}.job`);
  });
});

describe.skipIf(!hasRedis)('on Redis', () => {
  let server: QueueServer;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedisServer(LOOK_MS);
    client = new Redis(server.address);
  });
  afterAll(async () => {
    client.disconnect();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => client.flushall());

  const keyOf = (name: string): string => `${REDIS_PREFIX}:${SUBMIT_QUEUE}:${name}`;
  const doctor = async () => judgeQueue(await probeRedisQueue(server.address));
  const isWell = async () => (await doctor())[0]?.level === 'well';
  const breakKey = async (name: string): Promise<void> => {
    await client.del(keyOf(name));
    if (['id', 'limiter', 'pc', 'stalled-check'].includes(name))
      await client.lpush(keyOf(name), 'x');
    else await client.set(keyOf(name), 'x');
  };
  const NAMES = [
    'wait',
    'active',
    'meta',
    'id',
    'events',
    'marker',
    'prioritized',
    'delayed',
    'stalled',
    'stalled-check',
  ];

  test.each(NAMES)(
    'its key %s is of another type, and those who run make it anew',
    async (name) => {
      await expectToOutlive(server, () => breakKey(name), isWell);
    },
  );

  test('all of its keys are of another type, and so is that of a job', async () => {
    await expectToOutlive(server, async () => {
      for (const name of NAMES) await breakKey(name);
    });
    await expectToOutlive(server, async () => {
      await client.set(keyOf('stuck-1'), 'x');
      await client.lpush(keyOf('wait'), 'stuck-1');
      await client.zadd(keyOf('marker'), 0, '0');
    });
  });

  test('a value that is none is mended as well, after a few failures', async () => {
    await expectToOutlive(server, () => client.set(keyOf('id'), 'not a number'));
  });

  test('everything is gone, or some of it', async () => {
    await expectToOutlive(server, () => client.flushall());
    await expectToOutlive(server, async () => {
      for (const name of NAMES) await client.del(keyOf(name));
      await client.script('FLUSH');
    });
  });

  test('the next start makes it anew, and nothing of others', async () => {
    await client.set('{tenure}-of-somebody-else', 'kept');
    await client.hset(keyOf('wait'), 'a', 'b');
    await client.hset(keyOf('left-over-1'), 'data', '{}');
    expect((await doctor())[0]).toMatchObject({
      level: 'wrong',
      what: expect.stringContaining('wait'),
    });
    const log = recordingLog();
    await server.backend(log);
    expect(log.entries.map(({ message }) => message)).toContain('recreated the queue');
    expect(await client.keys(`${REDIS_PREFIX}:${SUBMIT_QUEUE}:*`)).toEqual([]);
    expect(await client.get('{tenure}-of-somebody-else')).toBe('kept');
    expect((await doctor())[0]?.what).toMatch(
      /recreated at \S+Z: its key wait had type hash instead of list$/u,
    );
  });
});
