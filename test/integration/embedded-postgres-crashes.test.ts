import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  canMount,
  hasSetpriv,
  initialisedDataDir,
  isRunning,
  launch,
  smallDisk,
  testFolder,
  type Launcher,
  type LauncherOptions,
  type TestFolder,
} from '../kit/embedded-postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { forFile } from '../kit/for-file.ts';

/* Crashes of any process: no server remains running, the next start works, and committed rows are still there. */

const WITHIN = { interval: 20 };
/** This wait is longer, because each restart is delayed longer than the previous one. */
const PATIENTLY = { interval: 20, timeout: 60_000 };

let folder: TestFolder;
const launchers: Launcher[] = [];

const initialised = await forFile(initialisedDataDir());
beforeEach(async () => {
  folder = await testFolder();
});
afterEach(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

function started(server: Partial<LauncherOptions['server']> = {}): Launcher {
  const launcher = launch({ server: { dataDir: initialised.dataDir, ...server } });
  launchers.push(launcher);
  return launcher;
}

const gone = (pid: number) =>
  expect.poll(() => isRunning(pid), { ...WITHIN, message: `process ${pid}` }).toBe(false);

/** Inserts and commits a number that must still be there after the next start. */
async function commitSomething(url: string): Promise<number> {
  const number = Math.floor(Math.random() * 1_000_000);
  await queryOnce(url, 'create table if not exists committed (number integer)');
  await queryOnce(url, 'insert into committed values ($1)', [number]);
  return number;
}

const isThere = async (url: string, number: number): Promise<boolean> =>
  (await queryOnce(url, 'select 1 from committed where number = $1', [number])).length === 1;

const statusFile = () => join(initialised.dataDir, 'cluster', 'postmaster.pid');

describe('the launcher is killed', () => {
  test.runIf(hasSetpriv)('and its server ends with it', async () => {
    const launcher = started({ durability: 'full' });
    const { pid, url, port } = await launcher.ready;
    const number = await commitSomething(url);
    await launcher.kill();
    await gone(pid);
    const next = await started().ready;
    expect(next.port).toBe(port);
    expect(await isThere(next.url, number)).toBe(true);
  });

  test('and an orphan that is left is stopped by the next start', async () => {
    const launcher = started({ host: { setpriv: null }, durability: 'full' });
    const { pid, url } = await launcher.ready;
    const number = await commitSomething(url);
    await launcher.kill();
    expect(await isRunning(pid)).toBe(true);
    const next = await started().ready;
    expect(await isRunning(pid)).toBe(false);
    expect(next.pid).not.toBe(pid);
    expect(await isThere(next.url, number)).toBe(true);
  });

  test('and an orphan is stopped in the middle of a transaction', async () => {
    const launcher = started({ host: { setpriv: null } });
    const { pid, url } = await launcher.ready;
    const client = new Client({ connectionString: url });
    const lost = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await client.query('begin; create table half (n integer)');
    await launcher.kill();
    await started().ready;
    expect(await lost).toMatchObject({ code: '57P01' });
    expect(await isRunning(pid)).toBe(false);
  });

  test('while it initialises, and nothing half-made is left', async () => {
    const dataDir = join(folder.path, 'new');
    const launcher = started({ dataDir });
    await expect
      .poll(
        async () =>
          (await readdir(dataDir).catch(() => [])).some((name) => name.startsWith('initdb.')),
        WITHIN,
      )
      .toBe(true);
    await launcher.kill();
    expect(await readdir(dataDir)).not.toContain('cluster');
    const next = await started({ dataDir }).ready;
    expect(await queryOnce(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('initdb.'))).toEqual([]);
  });
});

describe('the server is killed', () => {
  test('while its launcher lives, and is there again on the same port', async () => {
    const launcher = started({ durability: 'full' });
    const { pid, url } = await launcher.ready;
    const number = await commitSomething(url);
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => launcher.events.map((event) => event.kind), WITHIN)
      .toEqual(['server-died', 'server-restarted']);
    expect(launcher.events[0]).toEqual({ kind: 'server-died', how: 'signal SIGKILL' });
    expect(await isThere(url, number)).toBe(true);
    expect(await launcher.stop()).toBe(0);
    const [, restarted] = launcher.events;
    expect(await isRunning(restarted?.kind === 'server-restarted' ? restarted.pid : 0)).toBe(false);
  });

  test('one of its sessions is killed, and it recovers by itself', async () => {
    const launcher = started({ durability: 'full' });
    const { url, pid } = await launcher.ready;
    const number = await commitSomething(url);
    const [session] = await queryOnce<{ pid: number }>(
      url,
      `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
    );
    process.kill(session!.pid, 'SIGKILL');
    await expect.poll(() => isThere(url, number).catch(() => false), WITHIN).toBe(true);
    expect(await isRunning(pid)).toBe(true);
    expect(launcher.events).toEqual([]);
  });

  test('more often than six times in a minute, and is there again each time', async () => {
    const launcher = started();
    let current = (await launcher.ready).pid;
    for (let deaths = 1; deaths <= 7; deaths += 1) {
      process.kill(current, 'SIGKILL');
      current = await restarted(launcher, deaths);
    }
    expect(await launcher.stop()).toBe(0);
    expect(await isRunning(current)).toBe(false);
  });

  test('together with its launcher, and the next start recovers', async () => {
    const launcher = started({ durability: 'full' });
    const { pid, url } = await launcher.ready;
    const number = await commitSomething(url);
    process.kill(launcher.child.pid!, 'SIGSTOP'); // The launcher must not notice the death of its server and start another one.
    process.kill(pid, 'SIGKILL');
    await launcher.kill();
    // The next launcher starts at once, while processes of the dead server may still be using the folder.
    const next = await started().ready;
    expect(await isThere(next.url, number)).toBe(true);
  });
});

/** Waits until the server is back after this many deaths. @returns its process ID */
async function restarted(launcher: Launcher, deaths = 1): Promise<number> {
  const restarts = () =>
    launcher.events.flatMap((event) => (event.kind === 'server-restarted' ? [event.pid] : []));
  await expect.poll(() => restarts().length, PATIENTLY).toBe(deaths);
  return restarts().at(-1)!;
}

const reasonsOf = (launcher: Launcher): string[] =>
  launcher.events.flatMap((event) => (event.kind === 'server-down' ? [event.reason] : []));

/** PostgreSQL refuses a data directory that others can enter. */
const keepDown = () => chmod(join(initialised.dataDir, 'cluster'), 0o777);
const letUp = () => chmod(join(initialised.dataDir, 'cluster'), 0o700);

describe('the server dies and cannot be started again', () => {
  test('is tried on for as long as that takes, and each reason is told once', async () => {
    const launcher = started();
    onTestFinished(letUp);
    const { pid, url, port } = await launcher.ready;
    await keepDown();
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => reasonsOf(launcher), PATIENTLY)
      .toEqual([expect.stringMatching(/invalid permissions.*postgres\.log$/u)]);
    // While the server is down, one process uses its port, and another one has the process ID that the server had.
    const log = join(initialised.dataDir, 'postgres.log');
    const starts = async () =>
      (await readFile(log, 'utf8')).split('invalid permissions').length - 1;
    await expect.poll(starts, PATIENTLY).toBeGreaterThan(2);
    expect(reasonsOf(launcher)).toHaveLength(1);
    const squatter = createServer();
    await once(squatter.listen(port, '127.0.0.1'), 'listening');
    const bystander = spawn('sleep', ['600']);
    onTestFinished(() => {
      squatter.close();
      bystander.kill('SIGKILL');
    });
    await once(bystander, 'spawn');
    await writeFile(
      statusFile(),
      `${bystander.pid}\n${initialised.dataDir}\n1\n${port}\n\n\n\nready\n`,
    );
    await letUp();
    await expect
      .poll(() => reasonsOf(launcher).at(-1), PATIENTLY)
      .toBe(`another program uses port ${port} on 127.0.0.1`);
    squatter.close();
    await restarted(launcher);
    expect(await queryOnce(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await isRunning(bystander.pid!)).toBe(true);
    expect(launcher.events.map((event) => event.kind)).toEqual([
      'server-died',
      'server-down',
      'server-down',
      'server-restarted',
    ]);
  });

  test('is left alone once it is not wanted any more', async () => {
    const launcher = started();
    onTestFinished(letUp);
    const { pid } = await launcher.ready;
    await keepDown();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => reasonsOf(launcher).length, PATIENTLY).toBe(1);
    expect(await launcher.stop()).toBe(0);
  });

  test.runIf(canMount)('because its disk is full, and is there again when it is not', async () => {
    await using disk = await smallDisk(join(folder.path, 'disk'));
    const dataDir = join(disk.path, 'pg');
    await initialised.copyTo(dataDir);
    await using launcher = started({ dataDir, durability: 'full' });
    const { url } = await launcher.ready;
    const number = await commitSomething(url);
    const filler = join(disk.path, 'filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']);
    // Writes until PostgreSQL needs a WAL segment that it cannot create; the next server cannot create it either.
    const writing = async () => {
      // The insert is refused if the table cannot grow. The server survives this.
      await queryOnce(url, 'insert into committed values (0)').catch(() => undefined);
      await queryOnce(url, 'select pg_switch_wal()');
    };
    await expect
      .poll(
        () =>
          writing().then(
            () => 'written',
            () => 'gone',
          ),
        PATIENTLY,
      )
      .toBe('gone');
    await expect
      .poll(() => reasonsOf(launcher).at(-1), PATIENTLY)
      .toMatch(/No space left on device/u);
    await rm(filler);
    await restarted(launcher);
    expect(await isThere(url, number)).toBe(true);
  });
});

describe('a pid file that is left over', () => {
  test('names some other process, which is left alone', async () => {
    const bystander = spawn('sleep', ['600']);
    onTestFinished(() => {
      bystander.kill('SIGKILL');
    });
    await once(bystander, 'spawn');
    await writeFile(
      statusFile(),
      `${bystander.pid}\n${initialised.dataDir}/cluster\n1\n5432\n\n\n\nready\n`,
    );
    const { url } = await started().ready;
    expect(await queryOnce(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await isRunning(bystander.pid!)).toBe(true);
  });

  test('names a PostgreSQL of another folder, which is left alone', async () => {
    const other = join(folder.path, 'other');
    await initialised.copyTo(other);
    const neighbour = await started({ dataDir: other }).ready;
    const { pid } = neighbour;
    await writeFile(statusFile(), await readFile(join(other, 'cluster', 'postmaster.pid'), 'utf8'));
    await started().ready;
    expect(await isRunning(pid)).toBe(true);
    expect(await queryOnce(neighbour.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test.each(['999999999\n', 'garbage', ''])('says %o', async (text) => {
    await writeFile(statusFile(), text);
    const outcome = await started().ready;
    expect(await queryOnce(outcome.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
