import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const CLI = resolve('cli/tenure');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that runs. */
export interface Started {
  readonly finished: Promise<Finished>;
  /** As Ctrl-C does. */
  interrupt(): void;
}

/** Starts `cli/tenure` in a folder, with nothing inherited that could point elsewhere. */
export function startCommand(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Started {
  const child = spawn(CLI, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TENURE_DATA_DIR: '.tenure',
      BACKEND_PORT: '0',
      ...env,
    },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  child.stdin.end(input);
  const { promise, resolve: done } = Promise.withResolvers<Finished>();
  child.once('close', (code) => done({ code, out, err }));
  return { finished: promise, interrupt: () => void child.kill('SIGINT') };
}

/** {@link startCommand}, and its end. */
export const runCommand = (...given: Parameters<typeof startCommand>): Promise<Finished> =>
  startCommand(...given).finished;
