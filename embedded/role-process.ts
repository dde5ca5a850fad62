import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/main/node-flags.ts';

/** How a process ended: by its exit code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of Tenure with some of the roles. */
export interface RoleProcess {
  readonly pid: number;
  /** The port of its HTTP server: every role serves its health, and `api` also serves the API. */
  readonly port: number;
  /** The port for metrics and the reasons of failed checks; version 0.2.0 serves both at the other port. */
  readonly managementPort: number;
  readonly ended: Promise<Ending>;
  readonly hasEnded: boolean;
  /** Has no effect after the process has ended. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits until the process ends. A process that takes longer than `withinMs` is killed. */
  end(signal: NodeJS.Signals, withinMs?: number): Promise<Ending>;
  /** Sends a message to a composition root that accepts messages, and waits for its answer. */
  ask(message: object): Promise<unknown>;
}

export interface RoleProcessOptions {
  /** The roles of the process, for example `api`, or `worker,projector`. */
  readonly roles: string;
  /** The whole environment of the process: no variable is inherited. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file of the program. @default the shipped program */
  readonly entry?: string;
  /** The file to which the log is appended; without it the log is discarded. */
  readonly logFile?: string;
  readonly signal: AbortSignal;
}

const ENTRY = fileURLToPath(new URL('role.ts', import.meta.url));

interface Ports {
  readonly port: number;
  readonly managementPort?: number;
}

/**
 * Waits for the first message of the process, which contains its ports. If the process ends first, its last error line
 * is the reason.
 */
function awaitPorts(child: ChildProcess, signal: AbortSignal): Promise<Ports> {
  const { promise, resolve, reject } = Promise.withResolvers<Ports>();
  let complaint = '';
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('tenure:')) complaint = line;
    });
  }
  child.once('message', (message) => resolve(message as Ports));
  child.once('error', reject);
  child.once('exit', (code, killed) =>
    reject(new Error(complaint || `ended with ${killed ?? code}`)),
  );
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  if (signal.aborted) reject(signal.reason);
  return promise;
}

/**
 * Starts a process and waits until it is ready. If it does not become ready, no process remains.
 *
 * @throws Error with the last lines of its output
 */
export async function startRoleProcess(options: RoleProcessOptions): Promise<RoleProcess> {
  const { roles, environment, signal } = options;
  const child = spawn(process.execPath, [...NODE_FLAGS, options.entry ?? ENTRY], {
    // The process gets a process group of its own: a Ctrl-C then reaches only its parent, which ends it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...NODE_ENVIRONMENT,
      ...environment,
      BACKEND_PORT: '0',
      MANAGEMENT_PORT: '0',
      TENURE_ROLES: roles,
    },
  });
  const ended = Promise.withResolvers<Ending>();
  child.once('exit', (code, killed) => ended.resolve({ code, signal: killed }));
  if (options.logFile === undefined) child.stdout?.resume();
  else {
    const file = createWriteStream(options.logFile, { flags: 'a' });
    child.stdout?.pipe(file, { end: false });
    child.stderr?.pipe(file, { end: false });
    child.once('close', () => file.end());
  }
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const tell = (what: NodeJS.Signals): void => {
    if (!hasEnded()) child.kill(what);
  };
  try {
    const { port, managementPort = port } = await awaitPorts(child, signal);
    return {
      pid: child.pid ?? 0,
      port,
      managementPort,
      ended: ended.promise,
      get hasEnded() {
        return hasEnded();
      },
      signal: tell,
      end: async (what, withinMs) => {
        tell(what);
        const timer = withinMs === undefined ? null : setTimeout(() => tell('SIGKILL'), withinMs);
        const ending = await ended.promise;
        if (timer !== null) clearTimeout(timer);
        return ending;
      },
      ask: async (message) => {
        const answered = once(child, 'message');
        child.send(message);
        const [answer] = (await answered) as [unknown];
        return answer;
      },
    };
  } catch (error) {
    tell('SIGKILL');
    if (child.pid !== undefined && !hasEnded()) await once(child, 'exit');
    throw new Error(`a process with ${roles} did not start: ${String(error)}`, { cause: error });
  }
}
