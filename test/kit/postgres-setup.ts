import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { queryOnce, withDatabase } from './postgres-query.ts';

/*
 * One PostgreSQL server for a whole test run, for all of its projects and workers, with a migrated database that each
 * test file copies: see `testDatabase`. `TEST_DATABASE_URL` names a server to use instead; its user must be able to
 * create databases.
 */

export interface TestServer {
  /** The URL of the database in which statements that create and drop other databases are executed. */
  readonly adminUrl: string;
  /** The migrated database that is copied. It accepts no connections. */
  readonly template: string;
  /** The prefix of the names of all databases of this run. */
  readonly prefix: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer;
  }
}

interface Running {
  readonly server: TestServer;
  stop(): Promise<void>;
}

interface Shared {
  running: Promise<Running>;
  users: number;
}

/**
 * Vitest loads this file once for each project, so values that the projects share cannot be in a variable of the
 * module.
 */
const shared = globalThis as { tenureTestPostgres?: Shared };

const START_TIMEOUT_MS = 90_000;
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const state = (shared.tenureTestPostgres ??= { running: start(), users: 0 });
  state.users += 1;
  const running = await state.running;
  project.provide('postgres', running.server);
  return async () => {
    state.users -= 1;
    if (state.users > 0) return;
    delete shared.tenureTestPostgres;
    await running.stop();
  };
}

async function start(): Promise<Running> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const external = process.env['TEST_DATABASE_URL'];
  return external === undefined || external === ''
    ? startEmbedded(signal)
    : startExternal(external, signal);
}

/** Leaves nothing on the given server, because it continues to run after the tests. */
async function startExternal(adminUrl: string, signal: AbortSignal): Promise<Running> {
  const server = await prepare(adminUrl, signal);
  return {
    server,
    stop: async () => {
      await queryOnce(adminUrl, `alter database ${server.template} with is_template false`);
      const databases = await queryOnce<{ name: string }>(
        adminUrl,
        `select datname as name from pg_database where starts_with(datname, $1)`,
        [server.prefix],
      );
      for (const { name } of databases) {
        await queryOnce(adminUrl, `drop database ${name} with (force)`);
      }
    },
  };
}

const FOLDER_PREFIX = 'tenure-test-postgres-';

async function startEmbedded(signal: AbortSignal): Promise<Running> {
  await sweep();
  const dataDir = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const server = await startEmbeddedPostgres({ dataDir, durability: 'none', signal });
    const forget = atSuddenEnd(() => {
      process.kill(server.pid, 'SIGQUIT');
      removeAtOnce(dataDir);
    });
    const stop = async () => {
      forget();
      await server.stop();
      await remove();
    };
    const prepared = await prepare(server.url, signal).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    return { server: prepared, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function prepare(adminUrl: string, signal: AbortSignal): Promise<TestServer> {
  const prefix = `tenure_test_${randomBytes(4).toString('hex')}_`;
  const template = `${prefix}template`;
  await queryOnce(adminUrl, `create database ${template}`);
  await migrate({ url: withDatabase(adminUrl, template), signal });
  await queryOnce(
    adminUrl,
    `alter database ${template} with is_template true allow_connections false`,
  );
  return { adminUrl, template, prefix };
}

/**
 * Performs an action if this process ends without teardown, which happens when the run is interrupted. After a `kill
 * -9`, the action is not performed: the folder stays until the next run removes it, but the server ends.
 *
 * @returns a function that cancels the action
 */
function atSuddenEnd(lastAction: () => void): () => void {
  const onSignal = (name: NodeJS.Signals) => {
    // Another listener decides what this signal does. If it ends the process, `exit` is emitted.
    if (process.listenerCount(name) > 0) return;
    lastAction();
    process.off('exit', lastAction);
    process.kill(process.pid, name);
  };
  process.once('exit', lastAction);
  for (const name of ENDING_SIGNALS) process.once(name, onSignal);
  return () => {
    process.off('exit', lastAction);
    for (const name of ENDING_SIGNALS) process.off(name, onSignal);
  };
}

/**
 * Removes a folder at once. A server that is just ending may still write into the folder during removal; rmSync then
 * reports success although files remain.
 */
function removeAtOnce(folder: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; existsSync(folder) && tries < 100; tries += 1) {
    rmSync(folder, { recursive: true, force: true });
    Atomics.wait(clock, 0, 0, 10);
  }
}

/** Removes the folders of runs that were killed. The servers of these runs have ended. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const pid = Number.parseInt(name.slice(FOLDER_PREFIX.length), 10);
    if (pid > 0 && !isAlive(pid)) {
      // The folder may belong to another user, in which case it cannot be removed.
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
