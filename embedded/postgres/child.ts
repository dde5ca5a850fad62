import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { CHILD_ENV } from './settings.ts';

/** A program with its arguments and environment. `uid` and `gid` need root. */
export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

export interface Finished {
  /** Null if a signal ended the program, or if it could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The output on stderr; if the program could not be started, the reason. */
  readonly stderr: string;
}

/**
 * Runs a short program to its end. Does not throw if the program fails or cannot be started, because the launcher runs
 * many programs only to find out whether they exist.
 *
 * @throws the signal's reason if the signal is aborted; the program is then killed
 */
export async function runToEnd(
  invocation: Invocation,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly cwd?: string;
    /** An open file that the program gets as its file descriptor 3. */
    readonly extraFd?: number;
  },
): Promise<Finished> {
  options.signal.throwIfAborted();
  const child = spawn(invocation.file, invocation.args, {
    env: CHILD_ENV,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.extraFd === undefined ? [] : [options.extraFd])],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    ...identityOf(invocation),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const onAbort = () => child.kill('SIGKILL');
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [stdout, stderr, exitCode] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      endOf(child),
    ]);
    options.signal.throwIfAborted();
    if (exitCode instanceof Error) return { exitCode: null, stdout, stderr: exitCode.message };
    return { exitCode, stdout, stderr };
  } finally {
    options.signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Starts a server that appends its output to an open file. The server gets a session of its own, so that a Ctrl-C in
 * the terminal does not end it while this process still finishes its work.
 *
 * @throws the spawn error if the server cannot be started
 */
export async function spawnServer(
  invocation: Invocation,
  options: { readonly cwd: string; readonly logFd: number },
): Promise<ChildProcess> {
  const child = spawn(invocation.file, invocation.args, {
    env: CHILD_ENV,
    cwd: options.cwd,
    stdio: ['ignore', options.logFd, options.logFd],
    detached: true,
    ...identityOf(invocation),
  });
  await once(child, 'spawn'); // rejects if the child emits 'error'
  // A later 'error' means that a signal could not be delivered; the awaited exit shows the result.
  child.on('error', () => {});
  return child;
}

function identityOf(invocation: Invocation): { uid?: number; gid?: number } {
  return {
    ...(invocation.uid === undefined ? {} : { uid: invocation.uid }),
    ...(invocation.gid === undefined ? {} : { gid: invocation.gid }),
  };
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (stream === null) return '';
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += String(chunk);
  return text;
}

function endOf(child: ChildProcess): Promise<number | null | Error> {
  return new Promise((resolve) => {
    child.once('error', resolve);
    child.once('close', (exitCode) => resolve(exitCode));
  });
}
