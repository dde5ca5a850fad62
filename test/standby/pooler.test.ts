import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { refusePooler } from '../../src/store/sql/pooler.ts';
import { NOBODY, isRoot } from '../kit/embedded-postgres.ts';
import { freePort } from '../../embedded/free-port.ts';
import { until } from '../../embedded/until.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/* PgBouncer between Tenure and its database, in both modes. */

const isThere = spawnSync('pgbouncer', ['--version']).status === 0;
const MISSING = 'NOT TESTED behind a pooler: pgbouncer is not installed';
if (!isThere && process.env['CI'] === 'true') throw new Error(MISSING);
if (!isThere) console.warn(MISSING);

describe.skipIf(!isThere)('a pooler', () => {
  let server: EmbeddedPostgres;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenure-pooler-'));
    await chmod(folder, 0o755);
    server = await startEmbeddedPostgres({
      dataDir: join(folder, 'pg'),
      durability: 'none',
      signal: AbortSignal.timeout(60_000),
    });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a pooler. @returns the database's address through the pooler */
  async function pooler(
    stack: AsyncDisposableStack,
    mode: 'session' | 'transaction',
    ignored = 'statement_timeout,idle_in_transaction_session_timeout,options',
  ): Promise<string> {
    const port = await freePort();
    const { password } = new URL(server.url);
    const file = join(folder, `${mode}-${port}.ini`);
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      auth_type: 'any',
      pool_mode: mode,
      unix_socket_dir: '',
      ignore_startup_parameters: ignored,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const database = `tenure = host=127.0.0.1 port=${server.port} user=tenure password=${password}`;
    await writeFile(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
    const child = spawn('pgbouncer', ['-q', file], {
      stdio: 'ignore',
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    stack.defer(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const url = `postgresql://tenure@127.0.0.1:${port}/tenure`;
    await until('the pooler', async () => (await queryOnce(url, 'select 1')).length === 1);
    return url;
  }

  test('in transaction mode is refused in one line', async () => {
    await using stack = new AsyncDisposableStack();
    const url = await pooler(stack, 'transaction');
    const error = await refusePooler(url).then(
      () => null,
      (refusal: unknown) => refusal as Error,
    );
    expect(error).toMatchObject({ reason: 'pooler' });
    expect(error?.message).toMatch(/pooler in transaction mode.*session mode$/u);
    expect(error?.message).not.toContain('\n');
  });

  test('in session mode serves pool and listener', async () => {
    await using stack = new AsyncDisposableStack();
    const url = await pooler(stack, 'session');
    await refusePooler(url);
    const pool = await openPool({
      url,
      max: 2,
      pipelined: true,
      applicationName: 'test',
      statementTimeoutMs: 5_000,
      signal: new AbortController().signal,
    });
    stack.defer(() => pool.end());
    const [onMessage, onGap] = [vi.fn(), vi.fn()];
    const listener = openListener({ url, applicationName: 'test-ear', lifeOf: 'test' });
    stack.defer(() => listener.stop());
    listener.on('told', { onMessage, onGap });
    await vi.waitFor(() => expect(onGap).toHaveBeenCalled(), 10_000);
    await pool.query(`select pg_notify('told', 'now')`);
    await vi.waitFor(() => expect(onMessage).toHaveBeenCalledWith('now'), 10_000);
  });

  test('that takes no settings of sessions is told as what it is', async () => {
    await using stack = new AsyncDisposableStack();
    const url = await pooler(stack, 'session', 'extra_float_digits');
    const opened = openPool({
      url,
      max: 2,
      applicationName: 'test',
      statementTimeoutMs: 5_000,
      signal: new AbortController().signal,
    });
    await expect(opened).rejects.toMatchObject({ reason: 'pooler' });
  });

  test('that is none is not refused', async () => {
    await expect(refusePooler(server.url)).resolves.toBeUndefined();
  });
});
