import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { readTextOrNull, redisEndpointFile } from '../src/main/redis-endpoint.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/* Implements REDIS_URL=local: starts Redis or Valkey as a child process, for a machine without a container engine. */

/** A local server of Redis or Valkey. Its data and its log are in `dataDir`; it does not listen on the network. */
export interface LocalRedis {
  /** The path of its Unix socket, to which a queue connects. */
  readonly url: string;
  /** The name of the program, for example `valkey-server`. */
  readonly program: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the server ends, with or without a request. */
  readonly exited: Promise<void>;
  /** Ends the server after it has written all data to disk. */
  stop(): Promise<void>;
}

export interface LocalRedisOptions {
  readonly dataDir: string;
  /** The value of PATH. */
  readonly searchPath: string;
  /**
   * Further folders in which the programs are searched for. @default the folders in which package managers install
   * servers
   */
  readonly alsoLookIn?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * - `LOCAL_REDIS_NOT_FOUND`: neither program is installed.
 * - `LOCAL_REDIS_FAILED`: the server does not start, or not in time; the message ends with the last lines of its log.
 */
export type LocalRedisErrorCode = 'LOCAL_REDIS_NOT_FOUND' | 'LOCAL_REDIS_FAILED';

export class LocalRedisError extends Error {
  override readonly name = 'LocalRedisError';
  readonly code: LocalRedisErrorCode;
  constructor(code: LocalRedisErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The supported programs, the preferred one first. */
const PROGRAMS = ['valkey-server', 'redis-server'] as const;
/** The folders in which package managers install servers. The PATH of a login shell may lack them. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];
/** The longest path of a Unix socket: macOS allows 103 bytes, Linux 107. */
const SOCKET_PATH_BYTES_MAX = 103;
const BOUNDS = {
  /** The timeout of a start, including the time to read the append-only file. */
  startMs: 30_000,
  stopMs: 10_000,
  answerMs: 1_000,
  pollMs: 10,
} as const;
const LOG_FILE = 'redis.log';

async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders.filter((one) => isAbsolute(one))) {
    const file = join(folder, name);
    try {
      await access(file, constants.X_OK);
      if ((await stat(file)).isFile()) return file;
    } catch {
      // The folder does not contain the program.
    }
  }
  return null;
}

const foldersOf = ({
  searchPath,
  alsoLookIn = SERVER_FOLDERS,
}: Pick<LocalRedisOptions, 'searchPath' | 'alsoLookIn'>): readonly string[] => [
  ...searchPath.split(delimiter),
  ...alsoLookIn,
];

/** Returns the preferred one of the installed programs; `null` if none is installed. */
async function findRedis(
  folders: readonly string[],
): Promise<{ readonly program: string; readonly file: string } | null> {
  for (const program of PROGRAMS) {
    const file = await findProgram(program, folders);
    if (file !== null) return { program, file };
  }
  return null;
}

/**
 * Returns the path of the server program, for callers that start it themselves. @throws LocalRedisError
 * `LOCAL_REDIS_NOT_FOUND`
 */
export async function redisFile(searchPath: string, what: string): Promise<string> {
  const found = await findRedis(foldersOf({ searchPath }));
  if (found !== null) return found.file;
  throw new LocalRedisError(
    'LOCAL_REDIS_NOT_FOUND',
    `${what} needs ${PROGRAMS.join(' or ')} on the PATH: install one`,
  );
}

/** Sends one command without arguments over a new connection. Returns `null` if there is no answer. */
async function ask(socketPath: string, command: 'PING' | 'INFO server'): Promise<string | null> {
  const socket = connect(socketPath);
  socket.setTimeout(BOUNDS.answerMs, () => socket.destroy());
  try {
    await once(socket, 'connect');
    socket.end(`${command}\r\nQUIT\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer === '' ? null : answer;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}

const answersPing = async (socketPath: string): Promise<boolean> =>
  (await ask(socketPath, 'PING'))?.startsWith('+PONG') ?? false;

/**
 * Takes over a server that still runs on this data after the process that started it has ended. A second server on the
 * same files would destroy them.
 */
async function adopt(dataDir: string): Promise<LocalRedis | null> {
  const socketPath = await readTextOrNull(redisEndpointFile(dataDir));
  if (socketPath === null || socketPath === '' || !(await answersPing(socketPath))) return null;
  const info = (await ask(socketPath, 'INFO server')) ?? '';
  const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  const gone = async (): Promise<void> => {
    // The polls must not keep this process running when nothing else does.
    while (await answersPing(socketPath)) await sleep(BOUNDS.answerMs, undefined, { ref: false });
  };
  const goneInTime = async (): Promise<boolean> => {
    const giveUpMs = performance.now() + BOUNDS.stopMs;
    while (performance.now() < giveUpMs) {
      if (!(await answersPing(socketPath))) return true;
      await sleep(BOUNDS.pollMs);
    }
    return false;
  };
  return {
    url: socketPath,
    program: /^server_name:valkey/m.test(info) ? 'valkey-server' : 'redis-server',
    pid,
    logFile: join(dataDir, LOG_FILE),
    exited: gone(),
    async stop() {
      tell(pid, 'SIGTERM');
      if (!(await goneInTime())) tell(pid, 'SIGKILL');
      await forget(dataDir, socketPath);
    },
  };
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Deletes the files that only a running server needs. */
async function forget(dataDir: string, socketPath: string): Promise<void> {
  await rm(redisEndpointFile(dataDir), { force: true });
  await rm(socketPath, { force: true });
  const folder = dirname(socketPath);
  if (folder !== dataDir) await rm(folder, { recursive: true, force: true });
}

/**
 * Returns the path of the socket: in the data folder or, if that path is too long, in a new folder that only this user
 * can enter.
 */
async function socketPathFor(dataDir: string): Promise<string> {
  const inside = join(dataDir, 'redis.sock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_BYTES_MAX) return inside;
  return join(await mkdtemp(join(tmpdir(), 'tenure-redis-')), 'redis.sock');
}

/**
 * Settings of the server: it does not listen on the network, writes each change to the append-only file within a
 * second, and evicts no job.
 */
const serverArguments = (dataDir: string, socketPath: string): readonly string[] =>
  Object.entries({
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: dataDir,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    loglevel: 'notice',
  }).flatMap(([name, value]) => [`--${name}`, value]);

/** Returns the last lines of the server's log in one line. */
async function lastWords(dataDir: string): Promise<string> {
  const log = (await readTextOrNull(join(dataDir, LOG_FILE))) ?? '';
  return log.split('\n').slice(-3).join(' | ');
}

/**
 * Starts a server. On Linux it ends together with this process, even if this process is killed; on other systems the
 * next start takes it over.
 */
export async function spawnRedis(
  file: string,
  args: readonly string[],
  { searchPath, log }: { readonly searchPath: string; readonly log: number | 'ignore' },
): Promise<ChildProcess> {
  const folders = foldersOf({ searchPath });
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', folders) : null;
  const options: SpawnOptions = { stdio: ['ignore', log, log], detached: true, env: {} };
  const child =
    setpriv === null
      ? spawn(file, args, options)
      : spawn(setpriv, ['--pdeathsig', 'TERM', '--', file, ...args], options);
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new LocalRedisError('LOCAL_REDIS_FAILED', `the program ${file} cannot be started`, {
      cause: error,
    });
  }
  child.on('error', () => undefined);
  return child;
}

async function launch(
  file: string,
  { dataDir, searchPath }: Pick<LocalRedisOptions, 'dataDir' | 'searchPath'>,
  socketPath: string,
): Promise<ChildProcess> {
  const log = await open(join(dataDir, LOG_FILE), 'a', 0o600);
  try {
    return await spawnRedis(file, serverArguments(dataDir, socketPath), {
      searchPath,
      log: log.fd,
    });
  } finally {
    await log.close();
  }
}

async function untilReady(
  child: ChildProcess,
  socketPath: string,
  signal: AbortSignal,
): Promise<boolean> {
  const giveUpMs = performance.now() + BOUNDS.startMs;
  while (!signal.aborted && performance.now() < giveUpMs) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    if (await answersPing(socketPath)) return true;
    await sleep(BOUNDS.pollMs);
  }
  return false;
}

/**
 * Starts a server on a data folder, or takes over a server that still runs on it. A crash can lose jobs of the last
 * second only, and those jobs are dispatched again.
 *
 * @throws LocalRedisError
 */
export async function startLocalRedis(options: LocalRedisOptions): Promise<LocalRedis> {
  const { signal } = options;
  const folders = foldersOf(options);
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const running = await adopt(dataDir);
  if (running !== null) return running;

  const found = await findRedis(folders);
  if (found === null) {
    throw new LocalRedisError(
      'LOCAL_REDIS_NOT_FOUND',
      `REDIS_URL=local needs ${PROGRAMS.join(' or ')} on the PATH: install one of them, set REDIS_URL to a server, or ` +
        'leave REDIS_URL empty to keep the queue in PostgreSQL',
    );
  }
  const { program, file } = found;
  const socketPath = await socketPathFor(dataDir);
  await rm(socketPath, { force: true });
  await writeFile(redisEndpointFile(dataDir), socketPath, { mode: 0o600 });
  const { searchPath } = options;
  const child = await launch(file, { dataDir, searchPath }, socketPath);
  const exited = new Promise<void>((done) => {
    child.once('exit', () => {
      done();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), BOUNDS.stopMs);
    await exited;
    clearTimeout(kill);
    await forget(dataDir, socketPath);
  };
  if (child.pid === undefined || !(await untilReady(child, socketPath, signal))) {
    await stop();
    signal.throwIfAborted();
    throw new LocalRedisError(
      'LOCAL_REDIS_FAILED',
      `${program} did not start in ${dataDir}: ${await lastWords(dataDir)}`,
    );
  }
  const logFile = join(dataDir, LOG_FILE);
  return { url: socketPath, program, pid: child.pid, logFile, exited, stop };
}
