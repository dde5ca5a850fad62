import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Ending } from '../../../embedded/role-process.ts';

/** A process of a released version. */
export interface ReleasedRole extends AsyncDisposable {
  readonly port: number;
  /** Whether the process has ended, with or without a signal. */
  readonly hasEnded: boolean;
  /** Sends a signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<Ending>;
}

export interface ReleasedRoleOptions {
  /** The folder that contains the version's sources. */
  readonly folder: string;
  readonly roles: string;
  /** The whole environment of the process. It inherits no other variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
}

/**
 * Starts a process as a container image does, and waits until its log reports that it is ready. Nothing else in its
 * output is used, because versions may differ.
 *
 * @throws Error if the process ends before that
 */
export async function startReleasedRole(options: ReleasedRoleOptions): Promise<ReleasedRole> {
  const { folder, roles, environment } = options;
  const child = spawn(process.execPath, [join(folder, 'src/main/role.ts')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, TENURE_LOG_LEVEL: 'info', BACKEND_PORT: '0', TENURE_ROLES: roles },
  });
  const file = createWriteStream(options.logFile, { flags: 'a' });
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  child.once('close', () => file.end());
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const ready = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.includes('"Tenure is ready"')) return;
    ready.resolve((JSON.parse(line) as { readonly port: number }).port);
  });
  let complaint = '';
  createInterface({ input: child.stderr }).on('line', (line) => (complaint = line));
  child.once('exit', (code) => ready.reject(new Error(`${roles} ended: ${code} ${complaint}`)));
  const port = await ready.promise;
  const end = async (signal: NodeJS.Signals): Promise<Ending> => {
    child.kill(signal);
    const [code, killed] = await exited;
    return { code, signal: killed };
  };
  return {
    port,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    end,
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
    },
  };
}
