import { rm, writeFile } from 'node:fs/promises';
import { Client } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { databaseCheck } from '../../src/main/database-check.ts';
import { judgeServer } from '../../src/doctor/judge.ts';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import { OUTAGES } from '../../src/store/sql/database-outage.ts';
import { outageWords } from '../../src/store/sql/deadline.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { transact } from '../../src/store/sql/transact.ts';
import { readServer } from '../../src/store/desk/vitals.ts';
import { int64, party } from '../contract/kit/values.ts';
import { canMount, smallDisk, testFolder } from '../kit/embedded-postgres.ts';
import { USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { testDatabase } from '../kit/postgres.ts';
import {
  P,
  PROVIDER,
  ProjectorWorld,
  USER as LEDGER_USER,
  reached,
  readiness,
} from '../kit/projector-world.ts';
import { io } from '../kit/store-rows.ts';
import { newContract } from '../kit/told-ledger.ts';

/*
 * A database that answers but cannot do its work counts as an outage: the error names the database as the cause, and
 * afterwards Tenure recovers without help.
 */

const POLLED = { timeout: PATIENCE_MS, interval: 50 };
const adminUrl = () => inject('postgres').adminUrl;
const install = () =>
  newContract(
    APP_INSTALL,
    { provider: party(PROVIDER), user: party(LEDGER_USER), numLicensesCreated: int64(0n) },
    [PROVIDER],
  );

/** Changes a setting of the database, which applies to new sessions. Waits until all existing sessions have ended. */
async function setAll(name: string, setting: string): Promise<void> {
  await queryOnce(adminUrl(), `alter database ${name} ${setting}`);
  await queryOnce(
    adminUrl(),
    'select pg_terminate_backend(pid, $2) from pg_stat_activity where datname = $1',
    [name, PATIENCE_MS],
  );
}

describe('callers are told to come back, and why', () => {
  test('while it is read-only, and are served as soon as it is not', async () => {
    await using api = await startApi();
    const user = await asking(api, USER);
    await setAll(api.database.name, 'set default_transaction_read_only = on');
    const post = () => user.post('/app-install-requests?commandId=read-only');
    // The first request may still use a connection that is about to be ended. That is an outage too, with another
    // message.
    await expect
      .poll(async () => (await post()).json(), POLLED)
      .toMatchObject({
        status: 503,
        code: 'DATABASE_UNAVAILABLE',
        retryable: true,
        detail: expect.stringMatching(/^the database is read-only; repeating/u),
      });
    const refused = await post();
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe(String(HTTP_LIMITS.retryAfterMs / 1_000));
    expect((await user.get('/licenses')).statusCode).toBe(200);
    await setAll(api.database.name, 'reset all');
    const following = api.ledger.follow();
    // The process may not listen for outcomes again yet: then the answer is the operation. The answer to a later
    // request is the result.
    await expect.poll(async () => (await post()).statusCode, POLLED).toBe(201);
    await following.stop();
  });

  test('whatever it says of itself', async () => {
    await using api = await startApi();
    const user = await asking(api, USER);
    const following = api.ledger.follow();
    for (const [index, code] of Object.keys(OUTAGES).entries()) {
      const post = () => user.post(`/app-install-requests?commandId=says-${index}`);
      await sayOf(api.database.url, 'change', code);
      const refused = await post();
      expect([refused.statusCode, refused.json()], code).toMatchObject([
        503,
        { code: 'DATABASE_UNAVAILABLE', detail: expect.stringContaining(OUTAGES[code]!.words) },
      ]);
      await sayOf(api.database.url, 'change', null);
      expect((await post()).statusCode, code).toBe(201);
    }
    await following.stop();
  });

  test('a session that takes no writes is not used again', async () => {
    await using database = await testDatabase();
    const pool = await openPool({
      url: database.url,
      max: 1,
      applicationName: 'tenure test',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await queryOnce(database.url, 'create table scratch (n integer)');
    await setAll(database.name, 'set default_transaction_read_only = on');
    const write = () =>
      transact(pool, io(), (session) => session.script('insert into scratch values (1)')).then(
        () => 'written',
        outageWords,
      );
    await expect.poll(write, POLLED).toBe('the database is read-only');
    // The next connection may reach another server, or a server with other settings.
    await queryOnce(adminUrl(), `alter database ${database.name} reset all`);
    expect(await write()).toBe('written');
    await closePool(pool, 5_000);
  });

  test('while a role has no connection left', async () => {
    await using database = await testDatabase();
    const role = `${database.name}_few`;
    await queryOnce(adminUrl(), `create role ${role} login connection limit 1 password 'p'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'p';
    const options = {
      url: url.href,
      max: 1,
      applicationName: 'tenure test',
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    const first = await openPool(options);
    try {
      const error: unknown = await openPool(options).catch((refused: unknown) => refused);
      expect(error).toMatchObject({ reason: 'connections-exhausted' });
      expect(outageWords(error)).toBe('the database has no free connection');
    } finally {
      await closePool(first, 5_000);
      await queryOnce(adminUrl(), `drop role ${role}`);
    }
  });
});

/** Makes every write to a table fail with this error code of PostgreSQL; `null` lets writes succeed again. */
async function sayOf(url: string, table: string, sqlState: string | null): Promise<void> {
  await queryOnce(
    url,
    sqlState === null
      ? `drop function if exists say() cascade`
      : `create function say() returns trigger language plpgsql as
           $$ begin raise exception 'made to fail' using errcode = '${sqlState}'; end $$;
         create trigger say before insert on ${table} execute function say()`,
  );
}

test('no element of the ledger is blamed, and the streams go on by themselves', async () => {
  await using world = await ProjectorWorld.open();
  const projector = world.start();
  await expect.poll(() => readiness(projector), POLLED).toBe('ok');
  for (const code of ['25006', '53100', '55P03', '40P01']) {
    await sayOf(world.under.url, 'ledger_update', code);
    const at = world.ledger.create(install());
    await expect.poll(() => readiness(projector), POLLED).toContain(OUTAGES[code]!.words);
    expect(projector.status().broken.size, code).toBe(0);
    await sayOf(world.under.url, 'ledger_update', null);
    await expect.poll(() => reached(projector), POLLED).toBe(at);
  }
  await expect.poll(() => readiness(projector), POLLED).toBe('ok');
  const told = world.ledger.checkpoint();
  await expect.poll(() => reached(projector, `completions:${P}`), POLLED).toBe(told);
  expect(JSON.stringify(world.log)).not.toContain('CANNOT_APPLY');
});

describe('readiness and the doctor say what it is', () => {
  const findings = async (pool: Parameters<typeof readServer>[0]) =>
    judgeServer({ ...(await readServer(pool, io())), isDurable: true }).filter(
      ({ level }) => level === 'wrong',
    );
  const why = (check: ReturnType<typeof databaseCheck>) =>
    check.check(io()).then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const open = (url: string) =>
    openPool({
      url,
      max: 2,
      pipelined: true,
      applicationName: 'tenure test',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });

  test('while it is read-only', async () => {
    await using database = await testDatabase();
    const pool = await open(database.url);
    const check = databaseCheck(pool);
    expect(await findings(pool)).toEqual([]);
    expect(await why(check)).toBe('ok');
    await setAll(database.name, 'set default_transaction_read_only = on');
    await expect.poll(() => why(check), POLLED).toBe('the database is read-only');
    expect(await findings(pool)).toMatchObject([
      { what: 'the database is read-only', todo: expect.stringContaining('failover') },
    ]);
    await closePool(pool, 5_000);
  });

  test.runIf(canMount)('while its disk is full', async () => {
    await using folder = await testFolder();
    await using disk = await smallDisk(`${folder.path}/disk`);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    await using stack = new AsyncDisposableStack();
    const dataDir = `${disk.path}/pg`;
    const starting = startEmbeddedPostgres({ dataDir, durability: 'none', signal });
    const { url } = stack.adopt(await starting, (server) => server.stop());
    await migrate({ url, signal });
    const pool = stack.adopt(await open(url), (opened) => closePool(opened, 5_000));
    const check = databaseCheck(pool);
    expect([await findings(pool), await why(check)]).toEqual([[], 'ok']);
    const ballast = `${disk.path}/ballast`;
    await writeFile(ballast, Buffer.alloc(8 * 1024 * 1024, 1));
    await queryOnce(url, 'create unlogged table filler (bytes text)');
    const fill = `insert into filler select md5(n::text) from generate_series(1, 50000) n`;
    let error: unknown = null;
    for (let n = 0; error === null && n < 100; n += 1) {
      error = await transact(pool, io(), (session) => session.script(fill)).then(
        () => null,
        (failed: unknown) => failed,
      );
    }
    expect(outageWords(error)).toBe('the disk of the database is full');
    expect(await why(check)).toMatch(/^the disk of the database is full/u);
    expect(await findings(pool)).toMatchObject([
      { what: 'the disk of the database is full', todo: expect.stringContaining('Free space') },
    ]);
    await rm(ballast);
    await expect.poll(() => findings(pool), POLLED).toEqual([]);
    await expect.poll(() => why(check), POLLED).toBe('ok');
  });

  test('while its NOTIFY queue is full, which whoever listens empties', async () => {
    await using folder = await testFolder();
    await using stack = new AsyncDisposableStack();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const start = () =>
      startEmbeddedPostgres({ dataDir: `${folder.path}/pg`, durability: 'none', signal });
    const first = await start();
    await queryOnce(first.url, 'alter system set max_notify_queue_pages = 64');
    await first.stop();
    const { url } = stack.adopt(await start(), (server) => server.stop());
    await migrate({ url, signal });
    const pool = stack.adopt(await open(url), (opened) => closePool(opened, 5_000));
    const check = databaseCheck(pool);
    const listener = stack.adopt(openListener({ url, applicationName: 'test' }), (ear) =>
      ear.stop(),
    );
    await expect.poll(() => listener.state, POLLED).toBe('listening');
    expect([await findings(pool), await why(check)]).toEqual([[], 'ok']);

    const idle = new Client({ connectionString: url });
    idle.on('error', () => undefined);
    await idle.connect();
    await idle.query('listen x');
    await idle.query('begin');
    const notify = () =>
      transact(pool, io(), (session) => session.script(`notify x, 'a'`)).then(
        () => 'committed',
        outageWords,
      );
    const fill = `select pg_notify('x', lpad(n::text, 7900, 'x')) from generate_series(1, 8) n`;
    await queryOnce(url, fill.replace('8) n', '40) n'));
    expect(await findings(pool)).toMatchObject([
      { what: expect.stringMatching(/^the NOTIFY queue of the database is [56]\d % full/u) },
    ]);
    const isFull = () =>
      queryOnce(url, fill).then(
        () => false,
        () => true,
      );
    await expect.poll(isFull, { ...POLLED, interval: 1 }).toBe(true);
    const words = 'the NOTIFY queue of the database is full';
    expect(await notify()).toBe(words);
    // The check also fails if this process has never written anything.
    expect(await why(databaseCheck(pool))).toBe(words);
    expect(await findings(pool)).toMatchObject([
      { what: words, todo: expect.stringContaining('idle in a transaction') },
    ]);

    await idle.end();
    const listening = `select pid from pg_stat_activity where query = 'begin'`;
    await expect.poll(() => queryOnce(url, listening), POLLED).toEqual([]);
    expect(await notify()).toBe(words);
    listener.check();
    await expect.poll(notify, POLLED).toBe('committed');
    expect(await findings(pool)).toEqual([]);
  });
});
