import type { ChildProcess } from 'node:child_process';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnServer } from './child.ts';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';
import type { Identity } from './identity.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { BOUNDS, serverSettings, type Durability } from './settings.ts';

/** One run of the server, from the moment it is ready to its end. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the server has ended, with a description (`exit code 1`, `signal SIGKILL`). */
  readonly ended: Promise<string>;
  /** Requests a fast shutdown, and then harder ones if the server does not end in time. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Requests a fast shutdown without waiting; called while this process exits. */
  stopAtExit(): void;
}

export interface RunOptions {
  readonly cluster: Cluster;
  readonly identity: Identity;
  readonly port: number;
  readonly socketDir: string | null;
  readonly durability: Durability;
  readonly logFile: string;
  readonly signal: AbortSignal;
}

/** The server's messages if another program has taken its port since the port was checked. */
const PORT_TAKEN = /could not bind IPv4 address|could not create any TCP\/IP sockets/;

/**
 * Starts a server and waits until it accepts connections. If this fails or the signal is aborted, no process remains.
 *
 * @throws EmbeddedPostgresError `PORT_TAKEN`, `START_FAILED` with the server's last log lines, `START_TIMEOUT`
 */
export async function runPostmaster(options: RunOptions): Promise<Postmaster> {
  const { identity, cluster } = options;
  const log = await openLog(options.logFile);
  const logStart = (await log.stat()).size;
  const dir = identity.kind === 'nobody' ? '/proc/self/cwd' : cluster.dir;
  const args = ['-D', dir, ...serverSettings(options)];
  try {
    const invocation = identity.invoke(identity.binaries.postgres, args, 'INT');
    const child = await spawnServer(invocation, { cwd: cluster.dir, logFd: log.fd });
    const postmaster = handleOf(child);
    try {
      await ready(child, postmaster, options);
      return postmaster;
    } catch (error) {
      await postmaster.stop();
      if (error instanceof EmbeddedPostgresError)
        throw await explained(error, log, logStart, options);
      throw error;
    }
  } finally {
    await log.close();
  }
}

function handleOf(child: ChildProcess): Postmaster {
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  let stopping: Promise<void> | null = null;
  return {
    pid: child.pid ?? 0,
    ended,
    stop: () => (stopping ??= stopChild(child, ended)),
    stopAtExit: () => child.kill('SIGINT'),
  };
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const steps = [
    { send: 'SIGINT', waitMs: BOUNDS.stopMs },
    { send: 'SIGQUIT', waitMs: BOUNDS.quitMs },
    { send: 'SIGKILL', waitMs: BOUNDS.quitMs },
  ] as const;
  for (const step of steps) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(step.send);
    const timer = new AbortController();
    const late = delay(step.waitMs, 'late', { signal: timer.signal }).catch(() => 'ended');
    const first = await Promise.race([ended, late]);
    timer.abort();
    if (first !== 'late') return;
  }
}

/** Waits until the pid file says that the server is ready. This is faster than repeated attempts to connect. */
async function ready(
  child: ChildProcess,
  postmaster: Postmaster,
  options: RunOptions,
): Promise<void> {
  const deadline = performance.now() + BOUNDS.startMs;
  for (;;) {
    options.signal.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new EmbeddedPostgresError('START_FAILED', `ended with ${await postmaster.ended}`);
    }
    const file = await readPostmasterFile(options.cluster.dir);
    if (isReady(file, postmaster.pid)) return;
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError('START_TIMEOUT', `not ready after ${BOUNDS.startMs} ms`);
    }
    await Promise.race([
      postmaster.ended,
      delay(BOUNDS.pollMs, undefined, { signal: options.signal }),
    ]);
  }
}

const isReady = (file: Awaited<ReturnType<typeof readPostmasterFile>>, pid: number): boolean =>
  file !== null && file !== 'unreadable' && file.pid === pid && file.status === 'ready';

async function explained(
  error: EmbeddedPostgresError,
  log: FileHandle,
  logStart: number,
  options: RunOptions,
): Promise<EmbeddedPostgresError> {
  const { buffer, bytesRead } = await log.read({ position: logStart, buffer: Buffer.alloc(8_192) });
  const said = buffer.toString('utf8', 0, bytesRead);
  if (PORT_TAKEN.test(said)) {
    return new EmbeddedPostgresError(
      'PORT_TAKEN',
      `another program uses port ${options.port} on 127.0.0.1`,
    );
  }
  const reasons = said.split('\n').filter((line) => /(FATAL|PANIC|ERROR|HINT):/.test(line));
  const reason = reasons
    .map((line) => line.replace(/^.*?(FATAL|PANIC|ERROR|HINT):\s*/, ''))
    .join('; ');
  return new EmbeddedPostgresError(
    error.code,
    `PostgreSQL in ${options.cluster.dir} did not start: ${reason || error.message}; see ${options.logFile}`,
  );
}

/**
 * Opens the log file, and keeps one older file. The log is rotated only at starts, because the server itself writes to
 * the open file.
 */
async function openLog(path: string): Promise<FileHandle> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (hasSystemCode(error, 'ENOENT')) return 0;
      throw error;
    },
  );
  if (size > BOUNDS.logBytesMax) await rename(path, `${path}.1`);
  return open(path, 'a+', 0o600);
}
