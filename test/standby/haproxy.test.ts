import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { PostgresPair } from '../../embedded/postgres/pair.ts';
import { startPostgresPair } from '../../embedded/postgres/pair.ts';
import { freePort } from '../../embedded/free-port.ts';
import { until } from '../../embedded/until.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { refusePooler } from '../../src/store/sql/pooler.ts';
import { transact } from '../../src/store/sql/transact.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * HAProxy in front of a primary and its standby: one address that follows the primary. HAProxy uses each server that
 * accepts writes, so it also uses an old primary that was started again.
 */

const isThere = spawnSync('haproxy', ['-v']).status === 0;
const MISSING = 'NOT TESTED behind HAProxy: haproxy is not installed';
if (!isThere && process.env['CI'] === 'true') throw new Error(MISSING);
if (!isThere) console.warn(MISSING);

/** Returns one row on a server that accepts writes. */
const WRITABLE = 'select where not pg_is_in_recovery()';

/** Starts an agent that answers health checks with 200 while its server accepts writes. @returns its port */
async function agentOf(url: string, stack: AsyncDisposableStack): Promise<number> {
  const agent = createServer((_request, response) => {
    queryOnce(url, WRITABLE).then(
      (rows) => response.writeHead(rows.length === 1 ? 200 : 503).end(),
      () => response.writeHead(503).end(),
    );
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  stack.defer(() => void agent.close());
  return (agent.address() as AddressInfo).port;
}

/** Starts HAProxy in front of both servers. @returns the database's address through HAProxy */
async function balancer(
  { primary, standby }: PostgresPair,
  stack: AsyncDisposableStack,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-haproxy-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const servers = await Promise.all(
    [primary, standby].map(async (server, n) => {
      const agentPort = await agentOf(server.url, stack);
      return `  server postgres-${n} 127.0.0.1:${server.port} check port ${agentPort}`;
    }),
  );
  const file = join(folder, 'haproxy.cfg');
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 1s',
    '  timeout check 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    'listen postgres',
    `  bind 127.0.0.1:${port}`,
    '  balance roundrobin',
    '  option httpchk GET /primary',
    '  default-server inter 200ms fall 1 rise 1 on-marked-down shutdown-sessions',
    ...servers,
    '',
  ];
  await writeFile(file, lines.join('\n'));
  const child = spawn('haproxy', ['-q', '-db', '-f', file], { stdio: 'ignore' });
  stack.defer(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const url = `postgresql://tenure@127.0.0.1:${port}/tenure`;
  // Until its first check of a server, HAProxy uses that server: each second connection leads to the standby.
  await until('HAProxy', async () =>
    Promise.all([0, 1, 2, 3].map(() => queryOnce(url, WRITABLE))).then(
      (answers) => answers.every((rows) => rows.length === 1),
      () => false,
    ),
  );
  return url;
}

const io = (deadlineMs: number) => ({ signal: new AbortController().signal, deadlineMs });

test.skipIf(!isThere)(
  'one address follows the primary, and an old primary is refused',
  async () => {
    await using stack = new AsyncDisposableStack();
    const pair = stack.use(await startPostgresPair());
    const { primary, standby } = pair;
    await queryOnce(primary.url, 'create table kept (n integer primary key)');
    const url = await balancer(pair, stack);
    await refusePooler(url);
    const { signal } = new AbortController();
    const pool = await openPool({ url, max: 4, pipelined: true, applicationName: 'test', signal });
    stack.defer(() => pool.end());
    const gaps = vi.fn();
    const listener = openListener({ url, applicationName: 'test-ear' });
    stack.defer(() => listener.stop());
    listener.on('told', { onMessage: () => undefined, onGap: gaps });

    const answered: number[] = [];
    const over = new AbortController();
    stack.defer(() => over.abort());
    const writer = async (from: number) => {
      for (let n = from; !over.signal.aborted; n += 4) {
        const insert = transact(pool, io(3_000), (session) =>
          session.script(`insert into kept values (${n})`),
        );
        // Without an answer, the row may exist or not.
        await insert.then(
          () => answered.push(n),
          () => undefined,
        );
      }
    };
    const writers = [0, 1, 2, 3].map(writer);
    const more = async (what: string) => {
      const before = answered.length;
      await until(what, () => Promise.resolve(answered.length > before + 40));
    };
    await more('answers of the primary');
    await vi.waitFor(() => expect(gaps).toHaveBeenCalledTimes(1), 10_000);
    await primary.kill();
    await pair.promote();
    await more('answers of the promoted standby');
    await vi.waitFor(() => expect(gaps.mock.calls.length).toBeGreaterThan(1), 10_000);

    const [kept] = await queryOnce<{ n: number }>(standby.url, 'select max(n) as n from kept');
    // The old primary waits for no standby, and would accept all writes.
    await primary.start({ synchronous_standby_names: '' });
    await until('HAProxy to use the old primary', async () =>
      openPool({ url, max: 1, applicationName: 'test', signal }).then(
        (opened) => opened.end().then(() => false),
        (error: { reason?: string }) => error.reason === 'older-timeline',
      ),
    );
    // Each new connection may lead to the old primary.
    await queryOnce(
      standby.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'test%'`,
    );
    await more('answers although the old primary is back');
    over.abort();
    await Promise.all(writers);

    const rows = await queryOnce<{ n: number }>(standby.url, 'select n from kept');
    const there = new Set(rows.map(({ n }) => n));
    expect(answered.filter((n) => !there.has(n))).toEqual([]);
    const strays = await queryOnce(primary.url, `select n from kept where n > ${kept?.n ?? 0}`);
    expect(strays).toEqual([]);
  },
);
