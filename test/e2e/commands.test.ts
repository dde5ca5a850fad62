import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askReadiness } from '../../cli/commands/readiness.ts';
import { NODE_ENVIRONMENT } from '../../src/main/node-flags.ts';
import type { RunState } from '../../src/main/run-state.ts';
import { readRunState } from '../../src/main/run-state.ts';
import type { Finished } from './kit/tenure-command.ts';
import { answerCommand, hasTerminals, runCommand, startCommand } from './kit/tenure-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-cli-'));
});
afterAll(async () => {
  await tenure(['stop']);
  await rm(folder, { recursive: true, force: true });
});

/** Runs one command in the folder of the tests. */
const tenure = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Finished> => runCommand(folder, args, env, input);

const dataDir = (): string => join(folder, '.tenure');

const state = async (): Promise<RunState> => {
  const found = await readRunState(dataDir());
  if (found === null) throw new Error('no Tenure runs');
  return found;
};

/** Returns the readiness that `tenure status` shows. Polling with the command would start a process each time. */
const readiness = async () => askReadiness(await state());

/** Returns whether a process has ended. A zombie, which its parent has not reaped yet, has ended. */
const isGone = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
};

/** The environment of a process. */
const environmentOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');

/** A program that starts Tenure with a channel, as a bench does. */
const RUNS = `
  const { spawn } = require('node:child_process');
  const args = [process.argv[1], 'run', '--free-ports'];
  spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
`;

/** Opens a server on a port, so that the port is in use. */
async function takenPort(): Promise<{ port: number; close: () => void }> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** A loopback address for the management port, and its form in a URL: an IPv6 address, if this machine has one. */
const LOOPBACK = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
  ? { host: '::1', shown: '[::1]' }
  : { host: '127.0.0.1', shown: '127.0.0.1' };

describe('a life in the background', () => {
  test('starts, tells where everything is, works, and stops with nothing left running', async () => {
    // Another program uses the default port of this folder.
    const taken = await takenPort();
    const settings = join(folder, '.env.local');
    await writeFile(settings, `BACKEND_PORT=${taken.port}\n`);
    const { host, shown: shownHost } = LOOPBACK;
    const started = await tenure(['start', '--free-ports'], {
      BACKEND_PORT: '',
      MANAGEMENT_HOST: host,
    });
    taken.close();
    await rm(settings);
    expect(started, started.err).toMatchObject({ code: 0, err: '' });
    expect(started.out).toContain('Tenure is ready');
    expect(started.out).toContain('cli/tenure token provider');
    const { apiUrl, processes } = await state();
    expect(started.out).toContain(apiUrl);
    expect(processes.map(({ name }) => name)).toEqual(['tenure', 'localnet', 'postgres']);
    const kept = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
    for (const { name, pid } of processes.filter((one) => one.name !== 'postgres')) {
      expect(environmentOf(pid), name).toEqual(expect.arrayContaining(kept));
    }

    const again = await tenure(['start', '--free-ports']);
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain('running already');

    const shown = await tenure(['status', '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ running: true, readiness: { status: 'ready' } });
    expect(shown.out).not.toContain('databaseUrl');
    // MANAGEMENT_PORT is 0, so the port is known only from here.
    const told = (await tenure(['status'])).out;
    const [, management = ''] = /^readiness and metrics +(http:\S+)/mu.exec(told) ?? [];
    expect((await fetch(`${management}/metrics`)).status, told).toBe(200);
    expect(new URL(management).hostname).toBe(shownHost);

    const token = (await tenure(['token', 'provider'])).out.trim();
    expect(token.split('.')).toHaveLength(3);
    const requested = await tenure(['create-app-install-request', '--tag', 'cli']);
    expect(JSON.parse(requested.out)).toMatchObject({ updateId: expect.any(String) });
    await expect
      .poll(
        async () => {
          const answer = await fetch(`${apiUrl}/app-install-requests`, {
            headers: { authorization: `Bearer ${token}` },
          });
          return answer.json();
        },
        { timeout: 120_000 },
      )
      .toEqual([expect.objectContaining({ meta: { data: { test: 'cli' } } })]);

    // Without options, the command uses the Tenure that runs in this folder, and calls it as the demo operator or as
    // another demo caller.
    const policy = await tenure(['policy', 'show', 'expiry', '--json']);
    expect(JSON.parse(policy.out), policy.err).toMatchObject({ mode: 'off' });
    const refused = await tenure(['ops', 'in-doubt', '--as', 'provider']);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('FORBIDDEN') });

    const well = await tenure(['doctor']);
    expect(well, well.out).toMatchObject({ code: 0, err: '' });
    expect(well.out).toMatch(
      /^ok +invariants +no violation of invariants I1 to I\d+ in 1 lifecycles, 1 updates/mu,
    );
    await tenure([
      'shell',
      '-c',
      `update contract set payload = '{}' where contract_id is not null`,
    ]);
    const changed = await tenure(['doctor', '--json']);
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.out).findings).toContainEqual(
      expect.objectContaining({
        area: 'invariants',
        what: expect.stringMatching(/^I6: the row of .*AppInstallRequest \w+ differs from/u),
        todo: expect.any(String),
      }),
    );

    const plan = ['projection', 'rebuild'];
    const asked = 'waiting for the projector (0 s)';
    const planned = hasTerminals
      ? await answerCommand(folder, plan, {}, { asked, answer: '' })
      : await tenure(plan);
    if (hasTerminals) {
      // The result overwrites the line that shows the progress.
      expect(planned.out).toContain(`\r\u001B[K${asked}`);
      expect(planned.out).toContain('\r\u001B[KThe projection would be made');
    }
    expect(planned, planned.err).toMatchObject({ code: 0, err: '' });
    expect(planned.out).toContain(
      'contracts: 1 active; 0 added, 1 corrected, 0 ended without a known update',
    );
    expect(planned.out).toContain('Nothing was changed.');
    expect(await tenure(['doctor'])).toMatchObject({ code: 1 });
    const rebuilt = await tenure(['projection', 'rebuild', '--yes', '--json']);
    expect(JSON.parse(rebuilt.out)).toMatchObject({
      isDone: true,
      contracts: { active: 1, corrected: 1 },
      lifecycles: { begun: 0, corrected: 0, gone: 0 },
    });
    expect(await tenure(['doctor'])).toMatchObject({ code: 0 });
    expect(await tenure(['projection', 'rebuild', '--wait', 'long'])).toMatchObject({ code: 1 });

    const queried = await tenure([
      'shell',
      '-c',
      `select count(*) from active('AppInstallRequest')`,
    ]);
    expect(queried.out).toMatch(/count\s+1/u);
    const typed = await tenure(
      ['shell', '--built-in'],
      {},
      'select 1 +\n1 as two;\nselect nonsense;\n\\q\n',
    );
    expect(typed.out).toMatch(/two\s+2/u);
    expect(typed.err).toContain('nonsense');

    expect((await tenure(['capture-logs', '--once'])).code).toBe(0);
    expect(await readdir(join(folder, 'logs'))).toEqual(
      expect.arrayContaining(['tenure.clog', 'localnet.clog', 'postgres.log']),
    );

    expect(await tenure(['stop'])).toMatchObject({ code: 0, err: '' });
    for (const { pid } of processes) expect(isGone(pid)).toBe(true);
    expect(await tenure(['status'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not running'),
    });
  });

  test('starts again with its data after kill -9, and nothing of the killed one is in the way', async () => {
    expect((await tenure(['start', '--free-ports'])).code).toBe(0);
    const before = await state();
    process.kill(before.processes.find(({ name }) => name === 'tenure')?.pid ?? 0, 'SIGKILL');
    await expect
      .poll(() => before.processes.every(({ pid }) => isGone(pid)), { timeout: 120_000 })
      .toBe(true);

    const started = await tenure(['start', '--free-ports']);
    expect(started, started.err).toMatchObject({ code: 0 });
    const queried = await tenure([
      'shell',
      '-c',
      `select count(*) from active('AppInstallRequest')`,
    ]);
    expect(queried.out).toMatch(/count\s+1/u);

    // If the ledger has ended, Tenure must end too, because without a ledger it would only appear to work.
    const after = await state();
    process.kill(after.processes.find(({ name }) => name === 'localnet')?.pid ?? 0, 'SIGKILL');
    await expect
      .poll(() => after.processes.every(({ pid }) => isGone(pid)), { timeout: 120_000 })
      .toBe(true);
    expect((await tenure(['status'])).code).toBe(1);
  });

  test('ends when the process that started it is gone', async () => {
    const parent = startCommand(
      folder,
      ['-e', RUNS, resolve('cli/main.ts')],
      {},
      '',
      process.execPath,
    );
    await expect.poll(() => readRunState(dataDir()), { timeout: 120_000 }).not.toBeNull();
    const { processes } = await state();
    parent.kill();
    await expect
      .poll(() => processes.every(({ pid }) => isGone(pid)), { timeout: 120_000 })
      .toBe(true);
  });

  test('while its database does not start, it is said why, and goes on when it does', async () => {
    expect((await tenure(['start', '--free-ports'])).code).toBe(0);
    const pidOf = async () =>
      (await state()).processes.find(({ name }) => name === 'postgres')?.pid ?? 0;
    const before = await pidOf();
    const cluster = join(folder, '.tenure/postgres/cluster');
    // PostgreSQL does not start in a folder that others can enter.
    await chmod(cluster, 0o777);
    process.kill(before, 'SIGKILL');
    const why = /not ready[^]*embedded PostgreSQL: .*invalid permissions/u;
    await expect.poll(readiness, { timeout: 120_000 }).toMatchObject({
      status: 'not ready',
      checks: expect.arrayContaining([
        expect.objectContaining({ reason: expect.stringContaining('invalid permissions') }),
      ]),
    });
    expect(await tenure(['status'])).toMatchObject({ code: 1, out: expect.stringMatching(why) });
    const again = await tenure(['start', '--free-ports']);
    expect(again).toMatchObject({ code: 1, out: expect.stringMatching(why) });
    expect(again.out).toContain('running already');
    const { apiUrl } = await state();
    expect((await fetch(`${apiUrl}/livez`)).status).toBe(200);

    await chmod(cluster, 0o700);
    await expect.poll(readiness, { timeout: 120_000 }).toMatchObject({ status: 'ready' });
    await expect.poll(pidOf).not.toBe(before);
    expect(isGone(await pidOf())).toBe(false);
    expect((await tenure(['start', '--free-ports'])).code).toBe(0);
    expect((await tenure(['stop'])).code).toBe(0);
  });

  test('clean deletes what is embedded', async () => {
    expect((await tenure(['clean'])).out).toContain('postgres');
    expect(await readdir(join(folder, '.tenure'))).toEqual([]);
  });
});

describe('what cannot work is told in one line, with exit code 1', () => {
  const expectOneLine = ({ code, err }: Finished, ...words: string[]) => {
    expect(code).toBe(1);
    expect(err.trim().split('\n'), err).toHaveLength(1);
    for (const word of words) expect(err).toContain(word);
  };

  test.runIf(process.getuid?.() === 0)('root in the data folder of somebody else', async () => {
    const theirs = join(folder, 'theirs');
    await mkdir(theirs);
    await writeFile(join(theirs, 'kept'), 'theirs');
    await chown(theirs, 54_321, 54_321);
    for (const command of ['start', 'run']) {
      const refused = await tenure([command], { TENURE_DATA_DIR: theirs });
      expectOneLine(refused, 'belongs to user 54321', 'run as that user');
    }
    expect(await readdir(theirs)).toEqual(['kept']);
  });

  test('a port that is taken', async () => {
    const taken = await takenPort();
    try {
      expectOneLine(
        await tenure(['run', '--free-ports'], { BACKEND_PORT: String(taken.port) }),
        String(taken.port),
      );
      expectOneLine(
        await tenure(['start', '--free-ports'], { BACKEND_PORT: String(taken.port) }),
        String(taken.port),
      );
      // The port was checked before any process was started.
      expect(await readdir(join(folder, '.tenure'))).toEqual(['logs']);
      expectOneLine(
        await tenure(['localnet'], {
          LOCALNET_PORTS: 'free',
          LOCALNET_AUTH_PORT: String(taken.port),
        }),
        String(taken.port),
      );
    } finally {
      taken.close();
    }
  });

  test('a database that cannot be reached', async () => {
    const free = await takenPort();
    free.close();
    const finished = await tenure(['run', '--free-ports'], {
      DATABASE_URL: `postgresql://someone:hunter2@127.0.0.1:${free.port}/tenure`,
    });
    expectOneLine(finished, String(free.port));
    expect(finished.err).not.toContain('hunter2');
  });

  test('a wrong configuration, with every mistake in it', async () => {
    expectOneLine(
      await tenure(['run'], { BACKEND_PORT: 'eighty', REDIS_URL: 'ftp://x' }),
      'BACKEND_PORT',
      'REDIS_URL',
    );
  });

  test('an unknown command', async () => {
    expect(await tenure(['frobnicate'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('frobnicate'),
    });
  });
});
