import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Binaries } from '../../embedded/postgres/binaries.ts';
import { locateBinaries } from '../../embedded/postgres/binaries.ts';
import { runToEnd, spawnServer } from '../../embedded/postgres/child.ts';
import type { Identity } from '../../embedded/postgres/identity.ts';
import { HOST, chooseIdentity } from '../../embedded/postgres/identity.ts';
import { freePort } from './free-port.ts';
import { queryOnce } from './postgres-query.ts';

/*
 * Two real servers, of which one follows the other by streaming replication. The primary's commits wait for the
 * standby, as the promise asks for.
 */

const START_MS = 30_000;
const LOOK_MS = 25;
const ROLE = 'tenure';
const STANDBY = 'standby';
const DEBIAN = '/usr/lib/postgresql';

export interface PairServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** The whole server at once, as a power cut does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** All of its processes stand still, as behind a network that is lost. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

export interface PostgresPair extends AsyncDisposable {
  /** Names both. */
  readonly url: string;
  readonly primary: PairServer;
  readonly standby: PairServer;
  /** Makes the standby a primary of its own, on the next timeline. */
  promote(): Promise<void>;
}

/** Servers of Debian's package, where it is installed; else `null`. */
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
  max_connections: '120',
  shared_buffers: '48MB',
  fsync: 'off',
  full_page_writes: 'off',
  // A standby that promotes begins with what it had; the tests wait for no disk.
  wal_receiver_status_interval: '1s',
  log_min_messages: 'warning',
};

/** A data folder, as a server sees it that may be unable to reach it by its path. */
const inside = ({ kind }: Identity, dataDir: string): string =>
  kind === 'nobody' ? '/proc/self/cwd' : dataDir;

class Server implements PairServer {
  readonly port: number;
  readonly dataDir: string;
  readonly #identity: Identity;
  readonly #fixed: Readonly<Record<string, string>>;
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
    await until(`the server at ${this.port}`, async () => {
      await queryOnce(withoutDatabase(this.url), 'select 1');
      return true;
    });
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
    // One that is asked tells the others itself.
    if (signal === 'SIGINT') child.kill(signal);
    else await signalAll(child.pid, signal);
    await ended;
  }

  async signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    if (this.#child?.pid === undefined) throw new Error('it does not run');
    await signalAll(this.#child.pid, signal);
  }
}

/** The server begins a session for each of its processes, so no group has them all. The first goes first. */
async function signalAll(server: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(server, signal);
  const numbers = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  await Promise.all(
    numbers.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // What is after the name, which may have anything in it: state, and the parent.
      const [, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ');
      if (Number(parent) !== server) return;
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }),
  );
}

const withoutDatabase = (url: string): string => url.replace(/\/[^/]*$/u, '/postgres');

/** Waits until something is so. What fails meanwhile is not so yet. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + START_MS;
  let last: unknown = null;
  while (performance.now() < endsAtMs) {
    try {
      if (await isSo()) return;
    } catch (error) {
      last = error;
    }
    await sleep(LOOK_MS);
  }
  throw new Error(`${what} is not ready in time`, { cause: last });
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

/** @param binaries the embedded ones unless told */
export async function startPostgresPair(binaries?: Binaries): Promise<PostgresPair> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-pair-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const used = binaries ?? (await locateBinaries(join(folder, 'runtime')));
  const identity = await chooseIdentity(used, HOST, AbortSignal.timeout(START_MS));
  if (identity.owner !== null) await chown(folder, identity.owner.uid, identity.owner.gid);
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  const [portOfOne, portOfOther] = [await freePort(), await freePort()];
  const primary = new Server(identity, one, portOfOne, {});
  await initialise(identity, one);
  await primary.start();
  await queryOnce(withoutDatabase(primary.url), `create database ${ROLE}`);
  await primary.stop();
  // A copy of a cluster that was stopped is a standby, once it is told whom to follow.
  await promisify(execFile)('cp', ['-R', '-p', one, other]);
  await writeFile(join(other, 'standby.signal'), '');
  const standby = new Server(identity, other, portOfOther, {
    primary_conninfo: `host=127.0.0.1 port=${portOfOne} user=${ROLE} application_name=${STANDBY}`,
  });
  stack.defer(() => primary.kill());
  stack.defer(() => standby.kill());
  await primary.start({ synchronous_standby_names: STANDBY });
  await standby.start();
  await until('replication', async () => {
    const rows = await queryOnce(primary.url, 'select sync_state from pg_stat_replication');
    return rows[0]?.['sync_state'] === 'sync';
  });
  const held = stack.move();
  return {
    url: `postgresql://${ROLE}@127.0.0.1:${portOfOne},127.0.0.1:${portOfOther}/${ROLE}?target_session_attrs=read-write`,
    primary,
    standby,
    promote: async () => {
      await queryOnce(standby.url, 'select pg_promote(true, 30)');
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
