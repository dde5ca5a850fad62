import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedPostgresError } from '../../embedded/postgres/embedded-error.ts';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../embedded/postgres/embedded-postgres.ts';
import {
  canMount,
  initialisedDataDir,
  isRunning,
  launch,
  smallDisk,
  testFolder,
  type TestFolder,
} from '../kit/embedded-postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { forFile } from '../kit/for-file.ts';

/* The embedded server in normal use. Other test files cover users, installations and crashes. */

let folder: TestFolder;
/** The folder of the server; a test may set another one than the initialised folder. */
let dataDir: string;
const running: EmbeddedPostgres[] = [];

const initialised = await forFile(initialisedDataDir());
beforeEach(async () => {
  folder = await testFolder();
  dataDir = initialised.dataDir;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await folder[Symbol.asyncDispose]();
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir,
    durability: 'none',
    signal: AbortSignal.timeout(60_000),
    ...options,
  });
  running.push(server);
  return server;
}

async function refusal(
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgresError> {
  const error: unknown = await start(options).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EmbeddedPostgresError))
    throw new Error('was not refused', { cause: error });
  expect(error.message).not.toContain('\n');
  return error;
}

describe('a server', () => {
  test('keeps data and port over restarts, and leaves nothing running', async () => {
    const first = await start();
    await queryOnce(first.url, 'create table kept (n integer); insert into kept values (42)');
    await first.stop();
    expect(await isRunning(first.pid)).toBe(false);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await queryOnce(second.url, 'select n from kept')).toEqual([{ n: 42 }]);
  });

  test('has room for many pools, commits durably, and sorts alike everywhere', async () => {
    const server = await start({ durability: 'full' });
    const [settings] = await queryOnce(
      server.url,
      `select current_setting('max_connections')::integer as connections,
         current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync,
         current_setting('listen_addresses') as listens, current_setting('timezone') as zone,
         current_setting('server_version_num')::integer / 10000 as major,
         pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
       from pg_database where datname = current_database()`,
    );
    expect(settings).toEqual({
      connections: 250,
      commit: 'on',
      fsync: 'on',
      listens: '127.0.0.1',
      zone: 'UTC',
      major: 18,
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
    });
    expect(await queryOnce(server.url, `select upper('élan') as text`)).toEqual([{ text: 'ÉLAN' }]);
  });

  test('lets nobody in without its password, by TCP or by socket', async () => {
    const server = await start();
    for (const address of [server.url, server.socketUrl]) {
      const url = new URL(address!);
      url.password = 'guessed';
      await expect(queryOnce(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    }
    const secret = new URL(server.url).password;
    expect(secret.length).toBeGreaterThanOrEqual(32);
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    for (const entry of files.filter((file) => file.isFile() && file.name.includes('password'))) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect(mode & 0o077).toBe(0);
    }
    expect((await stat(dataDir)).mode & 0o077).toBe(0);
    const log = await readFile(server.logFile, 'utf8');
    expect(log).not.toContain(secret);
    // The log of a first start contains no errors.
    expect(log).not.toMatch(/database .* does not exist/);
  });

  test('can be reached through its socket', async () => {
    const server = await start();
    const [row] = await queryOnce(server.socketUrl!, 'select inet_client_addr() as address');
    expect(row).toEqual({ address: null });
  });

  test('does without a socket where its path would be too long', async () => {
    dataDir = join(folder.path, 'x'.repeat(90));
    await initialised.copyTo(dataDir);
    const server = await start();
    expect(server.socketUrl).toBeNull();
    expect(await queryOnce(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('does not mind blanks, quotes and other scripts in its path', async () => {
    dataDir = join(folder.path, `it's "ünï" 数据`);
    await initialised.copyTo(dataDir);
    const server = await start();
    for (const address of [server.url, server.socketUrl!]) {
      expect(await queryOnce(address, 'select 1 as one')).toEqual([{ one: 1 }]);
    }
  });

  test('stops in time with a transaction open', async () => {
    const server = await start();
    const client = new Client({ connectionString: server.url });
    const lost = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await client.query('begin; create table half (n integer)');
    await server.stop();
    expect(await lost).toMatchObject({ code: '57P01' });
    const again = await start();
    expect(await queryOnce(again.url, `select to_regclass('half') as half`)).toEqual([
      { half: null },
    ]);
  });

  test('may be stopped more than once', async () => {
    const server = await start();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(await isRunning(server.pid)).toBe(false);
  });

  test('that is called off while it is waited for fails with the reason', async () => {
    dataDir = join(folder.path, 'called-off');
    await initialised.copyTo(dataDir);
    const calledOff = new AbortController();
    const postmasterFile = join(dataDir, 'cluster', 'postmaster.pid');
    const watching = watch(join(dataDir, 'cluster'), () => {
      if (existsSync(postmasterFile)) calledOff.abort(new Error('called off'));
    });
    const outcome = await start({ signal: calledOff.signal }).catch((error: unknown) => error);
    watching.close();
    expect(outcome).toBe(calledOff.signal.reason);
  });

  test('that is called off while it starts leaves nothing behind', async () => {
    dataDir = join(folder.path, 'new');
    for (const afterMs of [1, 20, 200, 600]) {
      const signal = AbortSignal.timeout(afterMs);
      await start({ signal }).then(
        (server) => server.stop(),
        (error: unknown) => expect(error).toBe(signal.reason),
      );
      expect(await readdir(join(dataDir, 'claims')).catch(() => [])).toEqual([]);
    }
    const server = await start();
    expect(await queryOnce(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('initdb'))).toEqual([]);
  });
});

describe('a data folder', () => {
  test('has one launcher at a time; the other is told whose it is', async () => {
    await start();
    const here = await refusal();
    expect(here.code).toBe('DATA_DIR_HELD');
    expect(here.message).toContain('in use by this process');
    await using other = launch({ server: { dataDir } });
    const elsewhere = await other.refused;
    expect(elsewhere.code).toBe('DATA_DIR_HELD');
    expect(elsewhere.message).toContain(`in use by process ${process.pid}`);
  });

  test('goes to one of several that come at once, also when it is new', async () => {
    dataDir = join(folder.path, 'new');
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => start()));
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'DATA_DIR_HELD' });
    }
  });

  test('of another major version is left alone', async () => {
    dataDir = join(folder.path, 'damaged');
    await initialised.copyTo(dataDir);
    await writeFile(join(dataDir, 'cluster', 'PG_VERSION'), '17\n');
    const error = await refusal();
    expect(error.code).toBe('DATA_DIR_VERSION');
    expect(error.message).toMatch(
      /was written by PostgreSQL 17, but the embedded PostgreSQL has version 18/,
    );
    expect(await readFile(join(dataDir, 'cluster', 'PG_VERSION'), 'utf8')).toBe('17\n');
  });

  test('with something else in it is left alone', async () => {
    dataDir = join(folder.path, 'new');
    await mkdir(join(dataDir, 'cluster'), { recursive: true });
    await writeFile(join(dataDir, 'cluster', 'thesis.txt'), 'precious');
    expect((await refusal()).code).toBe('DATA_DIR_UNUSABLE');
    expect(await readFile(join(dataDir, 'cluster', 'thesis.txt'), 'utf8')).toBe('precious');
  });

  test('that is a file, or cannot be made, is refused', async () => {
    dataDir = join(folder.path, 'file');
    await writeFile(dataDir, '');
    expect((await refusal()).code).toBe('DATA_DIR_UNUSABLE');
    expect((await refusal({ dataDir: join(dataDir, 'below') })).code).toBe('DATA_DIR_UNUSABLE');
  });

  test('whose configuration is broken says why the server does not start', async () => {
    dataDir = join(folder.path, 'damaged');
    await initialised.copyTo(dataDir);
    await writeFile(join(dataDir, 'cluster', 'pg_hba.conf'), 'nonsense\n');
    const error = await refusal();
    expect(error.code).toBe('START_FAILED');
    expect(error.message).toContain('could not load');
    expect(error.message).toContain(join(dataDir, 'postgres.log'));
  });
});

test.runIf(canMount)(
  'a disk without room for a new database is told as that, in short',
  async () => {
    await using disk = await smallDisk(join(folder.path, 'disk'), '16m');
    const at = join(disk.path, 'pg');
    const error = await refusal({ dataDir: at });
    expect(error.code).toBe('INIT_FAILED');
    expect(error.message).toBe(
      `the disk of ${at} has no room for a new database: free some space, or set TENURE_DATA_DIR to another folder`,
    );
  },
);

describe('a port', () => {
  test('that was asked for is used, or refused when it is taken', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const error = await refusal({ port });
    expect(error.code).toBe('PORT_TAKEN');
    expect(error.message).toMatch(new RegExp(`^another program uses port ${port} on 127.0.0.1`));
    listener.close();
    await once(listener, 'close');
    expect((await start({ port })).port).toBe(port);
  });

  test('of last time is left to whoever has taken it', async () => {
    const first = await start();
    await first.stop();
    const listener = createServer().listen(first.port, '127.0.0.1');
    await once(listener, 'listening');
    const second = await start();
    expect(second.port).not.toBe(first.port);
    expect(await queryOnce(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    listener.close();
  });
});

test('a platform without binaries is told in one line what to do', async () => {
  const arch = Object.getOwnPropertyDescriptor(process, 'arch')!;
  Object.defineProperty(process, 'arch', { ...arch, value: 's390x' });
  dataDir = join(folder.path, 'new');
  try {
    const error = await refusal();
    expect(error.code).toBe('PLATFORM_UNSUPPORTED');
    expect(error.message).toMatch(
      /^Tenure has no embedded PostgreSQL for .*-s390x; set DATABASE_URL/,
    );
  } finally {
    Object.defineProperty(process, 'arch', arch);
  }
});
