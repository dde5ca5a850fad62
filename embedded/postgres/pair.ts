import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { copyOfRunning } from './base-backup.ts';
import type { Binaries } from './binaries.ts';
import { locateBinaries } from './binaries.ts';
import { runToEnd, spawnServer } from './child.ts';
import type { Identity } from './identity.ts';
import { HOST, chooseIdentity } from './identity.ts';
import { readPostmasterFile } from './postmaster-file.ts';

/*
 * Two real PostgreSQL servers, one of which follows the other by streaming replication. Commits of the primary wait for
 * the standby, which Tenure's promises require.
 */

const START_MS = 30_000;
const ROLE = 'tenure';
const STANDBY = 'standby';
const DEBIAN = '/usr/lib/postgresql';

export interface PairServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Kills all processes of the server at once, as a power cut would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Sends the signal to all processes of the server. SIGSTOP stops them, which looks like a lost network. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /**
   * Deletes the server's data, and starts the server as the standby of another server with a copy of the other server's
   * data.
   */
  follow(primary: PairServer): Promise<void>;
}

export interface PostgresPair extends AsyncDisposable {
  /** The address, which names both servers. */
  readonly url: string;
  readonly primary: PairServer;
  readonly standby: PairServer;
  /** Promotes the standby to a primary with a new timeline. */
  promote(): Promise<void>;
}

/** Returns the binaries of Debian's package; `null` if the package is not installed. */
export async function debianBinaries(): Promise<Binaries | null> {
  if (!existsSync(DEBIAN)) return null;
  const majors = (await readdir(DEBIAN)).filter((name) => Number(name) >= 14);
  const major = majors.toSorted((one, other) => Number(other) - Number(one))[0];
  if (major === undefined) return null;
  const root = join(DEBIAN, major);
  const [postgres, initdb] = [join(root, 'bin', 'postgres'), join(root, 'bin', 'initdb')];
  if (!existsSync(postgres) || !existsSync(initdb)) return null;
  return { root, postgres, initdb, packageVersion: `${major}.0.0`, major };
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '256MB',
  max_connections: '200',
  shared_buffers: '48MB',
  fsync: 'off',
  full_page_writes: 'off',
  // A promoted standby continues with the data that it has received. No server waits until data is on the disk, so that
  // tests are faster.
  wal_receiver_status_interval: '1s',
  log_min_messages: 'warning',
};

/** Returns the path of a data folder for a server process that may be unable to reach the folder by its real path. */
const inside = ({ kind }: Identity, dataDir: string): string =>
  kind === 'nobody' ? '/proc/self/cwd' : dataDir;

class Server implements PairServer {
  readonly port: number;
  readonly dataDir: string;
  readonly #identity: Identity;
  #fixed: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;

  constructor(identity: Identity, dataDir: string, port: number, fixed: Record<string, string>) {
    this.#identity = identity;
    this.dataDir = dataDir;
    this.port = port;
    this.#fixed = fixed;
  }

  get url(): string {
    return `postgresql://${ROLE}@127.0.0.1:${this.port}/${ROLE}`;
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const dir = inside(this.#identity, this.dataDir);
    const all = { ...SETTINGS, ...this.#fixed, ...settings, port: String(this.port) };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const invocation = this.#identity.invoke(
      this.#identity.binaries.postgres,
      ['-D', dir, ...args],
      'KILL',
    );
    const log = await open(`${this.dataDir}.log`, 'a');
    try {
      this.#child = await spawnServer(invocation, { cwd: this.dataDir, logFd: log.fd });
    } finally {
      await log.close();
    }
    const { pid } = this.#child;
    try {
      await until(`the server at ${this.port}`, async () => {
        // Another server may answer at this port, so this server must also say that it is ready.
        const file = await readPostmasterFile(this.dataDir);
        if (file === null || file === 'unreadable' || file.pid !== pid) return false;
        await ask(withoutDatabase(this.url), 'select 1');
        return file.status === 'ready';
      });
    } catch (error) {
      throw new Error(`the server at ${this.port} does not start: ${await endOfLog(this)}`, {
        cause: error,
      });
    }
  }

  async follow(primary: PairServer): Promise<void> {
    await this.kill();
    await rm(this.dataDir, { recursive: true });
    await copyOfRunning(primary, this.dataDir, this.#identity.owner);
    this.#fixed = followingAt(primary.port);
    await this.start();
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // On SIGINT the server process ends its children itself.
    if (signal === 'SIGINT') child.kill(signal);
    else await killAll(child.pid);
    await ended;
  }

  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('it does not run');
    for (const one of [pid, ...(await childrenOf(pid))]) tell(one, signal);
  }
}

/** Returns state and parent of a process from `/proc`; `null` if the process does not exist. */
async function lookAt(pid: number): Promise<{ state: string; parent: number } | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (status === null) return null;
  // The fields follow the program's name, which may contain any characters.
  const [state = '', parent] = status.slice(status.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}

/**
 * Returns the children of a server process. They cannot be signalled as a group, because each of them begins a session
 * of its own.
 */
async function childrenOf(server: number): Promise<readonly number[]> {
  const numbers = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    numbers.map(async (pid) => ((await lookAt(pid))?.parent === server ? [pid] : [])),
  );
  return found.flat();
}

/** Returns whether a process has ended. */
async function hasEnded(pid: number): Promise<boolean> {
  const found = await lookAt(pid);
  return found === null || found.state === 'Z';
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Kills all processes of a server. The next server cannot start until all of them have ended. */
async function killAll(server: number): Promise<void> {
  // A stopped server process cannot start further children, which would not be killed.
  tell(server, 'SIGSTOP');
  const children = await childrenOf(server);
  for (const pid of [server, ...children]) tell(pid, 'SIGKILL');
  await until('the end of all its processes', async () =>
    (await Promise.all(children.map(hasEnded))).every(Boolean),
  );
}

/** Returns the settings of a standby: the primary that it follows, and the name under which it connects. */
const followingAt = (port: number): Record<string, string> => ({
  primary_conninfo: `host=127.0.0.1 port=${port} user=${ROLE} application_name=${STANDBY}`,
});

const withoutDatabase = (url: string): string => url.replace(/\/[^/]*$/u, '/postgres');

/** Returns the rows of a statement on a connection of its own. */
async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Returns whether commits wait for a standby and the standby has received everything that was committed. */
export async function isFollowed({ url }: PairServer): Promise<boolean> {
  const rows = await ask<{ sync_state: string }>(url, 'select sync_state from pg_stat_replication');
  return rows[0]?.sync_state === 'sync';
}

const endOfLog = async ({ dataDir }: PairServer): Promise<string> =>
  (await readFile(`${dataDir}.log`, 'utf8')).slice(-2_000);

/**
 * Waits until the standby follows the primary.
 *
 * @throws Error that shows the replication state and the ends of both logs, if the standby does not follow within a
 * minute
 */
async function untilFollowed(primary: PairServer, standby: PairServer): Promise<void> {
  try {
    await until('replication', () => isFollowed(primary));
  } catch (error) {
    const state = await ask(primary.url, 'select * from pg_stat_replication');
    const logs = [await endOfLog(primary), await endOfLog(standby)];
    const shown = [JSON.stringify(state), ...logs].join('\n');
    throw new Error(`replication does not start: ${shown}`, { cause: error });
  }
}

/** Makes a server a primary with a new timeline. */
export async function promote({ url }: PairServer): Promise<void> {
  await ask(url, 'select pg_promote(true, 30)');
}

/** Sets whether commits of a server wait for its standby, also after a restart. */
export async function waitForStandby({ url }: PairServer, isAwaited: boolean): Promise<void> {
  await ask(url, `alter system set synchronous_standby_names = '${isAwaited ? STANDBY : ''}'`);
  await ask(url, 'select pg_reload_conf()');
}

async function initialise(identity: Identity, dataDir: string): Promise<void> {
  await mkdir(dataDir, { mode: 0o700 });
  if (identity.owner !== null) await chown(dataDir, identity.owner.uid, identity.owner.gid);
  const dir = inside(identity, dataDir);
  const args = [`--pgdata=${dir}`, `--username=${ROLE}`, '--auth=trust', '--encoding=UTF8'];
  const { exitCode, stderr } = await runToEnd(
    identity.invoke(identity.binaries.initdb, [...args, '--locale=C', '--no-sync'], 'KILL'),
    { timeoutMs: START_MS, signal: AbortSignal.timeout(START_MS), cwd: dataDir },
  );
  if (exitCode !== 0) throw new Error(`initdb failed: ${stderr}`);
}

/**
 * Starts both servers. Already the first commit of the primary waits for the standby.
 *
 * @param binaries the embedded binaries if omitted
 * @param folder holds the data of both servers and is kept; if omitted, a temporary folder is used and later deleted
 */
export async function startPostgresPair(
  binaries?: Binaries,
  folder?: string,
): Promise<PostgresPair> {
  await using stack = new AsyncDisposableStack();
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'tenure-pair-')));
  if (folder === undefined) stack.defer(() => rm(home, { recursive: true, force: true }));
  await mkdir(home, { recursive: true });
  const used = binaries ?? (await locateBinaries(join(home, 'runtime')));
  const identity = await chooseIdentity(used, HOST, AbortSignal.timeout(START_MS));
  if (identity.owner !== null) await chown(home, identity.owner.uid, identity.owner.gid);
  const [one, other] = [join(home, 'one'), join(home, 'other')];
  const [portOfOne, portOfOther] = [await freePort(), await freePort()];
  const primary = new Server(identity, one, portOfOne, {});
  await initialise(identity, one);
  await primary.start();
  await ask(withoutDatabase(primary.url), `create database ${ROLE}`);
  await primary.stop();
  // A copy of a stopped cluster becomes a standby when `standby.signal` exists and its primary is set.
  await promisify(execFile)('cp', ['-R', '-p', one, other]);
  await writeFile(join(other, 'standby.signal'), '');
  const standby = new Server(identity, other, portOfOther, followingAt(portOfOne));
  stack.defer(() => primary.kill());
  stack.defer(() => standby.kill());
  await primary.start({ synchronous_standby_names: STANDBY });
  await standby.start();
  await untilFollowed(primary, standby);
  const held = stack.move();
  return {
    url: `postgresql://${ROLE}@127.0.0.1:${portOfOne},127.0.0.1:${portOfOther}/${ROLE}?target_session_attrs=read-write`,
    primary,
    standby,
    promote: () => promote(standby),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
