import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPool } from '../../src/store/sql/pool.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { ServerClient } from '../../src/store/sql/server-client.ts';
import { STANDBY_EVENT } from '../../src/store/sql/silence.ts';
import { TIMELINES, Timelines } from '../../src/store/sql/timelines.ts';
import { onConnection, transact } from '../../src/store/sql/transact.ts';
import { databaseCheck } from '../../src/main/database-check.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { PostgresPair } from '../../embedded/postgres/pair.ts';
import { debianBinaries, startPostgresPair } from '../../embedded/postgres/pair.ts';

/* Real servers: a primary with a synchronous standby. The tests show what connections do during a failover. */

const debian = await debianBinaries();
const silent = {
  warn: () => undefined,
  error: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const io = (deadlineMs = 20_000) => ({ signal: new AbortController().signal, deadlineMs });
const SERVERS = [
  ['the embedded version', null],
  ...(debian === null ? [] : [[`Debian's ${debian.major}`, debian] as const]),
] as const;

describe.each(SERVERS)('servers of %s', (_name, binaries) => {
  let pair: PostgresPair;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenure-standby-'));
    pair = await startPostgresPair(binaries ?? undefined);
    await queryOnce(pair.primary.url, 'create table kept (n integer primary key)');
    await queryOnce(pair.primary.url, 'create table migration as select now() as applied_at');
  });
  afterAll(async () => {
    await pair?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (serves: 'primary' | 'readers' = 'primary', url = pair.url) =>
    openPool({
      url,
      max: 4,
      pipelined: true,
      applicationName: 'test',
      serves,
      signal: new AbortController().signal,
    });

  /** Returns the port of the server to which a new connection leads. */
  const portOf = async (url: string): Promise<number> => {
    const client = new ServerClient({ connectionString: url });
    await client.connect();
    await client.end();
    return client.port;
  };

  test('the primary is found wherever it stands in the list', async () => {
    const { primary, standby } = pair;
    const turned = `postgresql://tenure@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/tenure`;
    expect(await portOf(pair.url)).toBe(primary.port);
    expect(await portOf(turned)).toBe(primary.port);
  });

  test('while the standby stands still commits wait, and readiness says so', async () => {
    const pool = await open();
    const readiness = databaseCheck(pool);
    await readiness.check(io());
    await pair.standby.signal('SIGSTOP');
    const waits = vi.fn();
    pool.on(STANDBY_EVENT as 'release', waits);
    const commit = transact(pool, io(), (session) => session.script('insert into kept values (1)'));
    try {
      await vi.waitFor(() => expect(waits).toHaveBeenCalled(), 15_000);
      await expect(readiness.check(io())).rejects.toThrow(/wait for a synchronous standby/u);
    } finally {
      await pair.standby.signal('SIGCONT');
    }
    await commit;
    await pool.end();
  });

  test('a commit of which the wait is cancelled is not told as done', async () => {
    const pool = await open();
    await pair.standby.signal('SIGSTOP');
    try {
      const commit = transact(pool, io(), (session) =>
        session.script('insert into kept values (2)'),
      );
      const told = commit.then(
        () => 'committed',
        (error: unknown) => error,
      );
      await vi.waitFor(async () => {
        const [row] = await queryOnce<{ n: bigint }>(
          pair.primary.url,
          `select count(pg_cancel_backend(pid)) as n from pg_stat_activity where wait_event = 'SyncRep'`,
        );
        expect(row?.n).toBe(1n);
      }, 15_000);
      expect(await told).toMatchObject({ reason: 'connection-lost' });
    } finally {
      await pair.standby.signal('SIGCONT');
    }
    // Notices on this connection do not affect later transactions.
    await transact(pool, io(), (session) => session.script('insert into kept values (3)'));
    await onConnection(pool, io(), (session) => session.script('insert into kept values (4)'));
    await pool.end();
  });

  test('the standby takes over: what was answered is there, and the old primary is refused', async () => {
    const { primary, standby } = pair;
    await TIMELINES.keepIn(join(folder, 'timelines.json'), (error) => expect.fail(String(error)));
    const [pool, alone] = await Promise.all([open(), open('primary', primary.url)]);
    const gaps = vi.fn();
    const listener = openListener({ url: pair.url, applicationName: 'test-ear' });
    listener.on('told', { onMessage: () => undefined, onGap: gaps });
    await vi.waitFor(() => expect(gaps).toHaveBeenCalledTimes(1), 10_000);
    const answered: number[] = [];
    const over = new AbortController();
    const writer = async (from: number) => {
      for (let n = from; !over.signal.aborted; n += 4) {
        try {
          await transact(pool, io(3_000), (session) =>
            session.script(`insert into kept values (${n})`),
          );
          answered.push(n);
        } catch {
          // The caller got no answer, so the row may exist or not.
        }
      }
    };
    const writers = [100, 101, 102, 103].map(writer);
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(40), 10_000);
    await primary.kill();
    await pair.promote();
    const before = answered.length;
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(before + 40), 15_000);
    // The old primary is running again. It waits for no standby, and would accept all writes.
    await primary.start({ synchronous_standby_names: '' });
    const later = answered.length;
    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(later + 40), 15_000);
    over.abort();
    await Promise.all(writers);
    const rows = await queryOnce<{ n: number }>(standby.url, 'select n from kept');
    const there = new Set(rows.map(({ n }) => n));
    expect(answered.filter((n) => !there.has(n))).toEqual([]);
    expect(await portOf(pair.url)).toBe(standby.port);
    await vi.waitFor(() => expect(gaps.mock.calls.length).toBeGreaterThan(1), 10_000);
    expect(listener.state).toBe('listening');
    // The old primary is refused even if its own address is used, and on connections that were open before.
    await expect(open('primary', primary.url)).rejects.toMatchObject({ reason: 'older-timeline' });
    await expect(
      transact(alone, io(3_000), (session) => session.script('insert into kept values (-1)')),
    ).rejects.toMatchObject({ reason: expect.stringMatching(/connection-lost|older-timeline/u) });
    await expect(
      postgresBackend({ databaseUrl: primary.url, client: ServerClient }, silent),
    ).rejects.toThrow(/timeline/u);
    const late = await queryOnce(primary.url, 'select from kept where n = -1');
    expect(late).toEqual([]);
    await Promise.all([pool.end(), alone.end(), listener.stop()]);
  });

  test('a process that starts later knows by the file', async () => {
    const file = join(folder, 'timelines.json');
    const [[system, timeline] = ['', 0]] = Object.entries(
      JSON.parse(await readFile(file, 'utf8')) as Record<string, number>,
    );
    const next = new Timelines();
    await next.keepIn(file, () => undefined);
    expect(next.isOlder({ system, timeline: timeline - 1 })).toBe(true);
    expect(next.isOlder({ system, timeline })).toBe(false);
  });
});
