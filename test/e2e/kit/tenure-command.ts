import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const CLI = resolve('cli/tenure');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running command. */
export interface Started {
  readonly finished: Promise<Finished>;
  /** Returns what the command has written to its standard output so far. */
  output(): string;
  /** Sends SIGINT, as Ctrl-C does. */
  interrupt(): void;
  /** Sends SIGKILL, as the operating system does when memory runs out. */
  kill(): void;
}

const environmentOf = (folder: string, more: Readonly<Record<string, string>>) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  TENURE_DATA_DIR: '.tenure',
  BACKEND_PORT: '0',
  ...more,
});

/**
 * Starts `cli/tenure` or another program in a folder, without environment variables that could make it use another
 * Tenure.
 */
export function startCommand(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
  program = CLI,
): Started {
  const child = spawn(program, args, {
    cwd: folder,
    env: environmentOf(folder, env),
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  child.stdin.end(input);
  const { promise, resolve: done } = Promise.withResolvers<Finished>();
  child.once('close', (code) => done({ code, out, err }));
  return {
    finished: promise,
    output: () => out,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Calls {@link startCommand}, and waits until the command has ended. */
export const runCommand = (...given: Parameters<typeof startCommand>): Promise<Finished> =>
  startCommand(...given).finished;

/** Runs a command on a terminal of its own (util-linux; BSD's `script` has other options). */
const SCRIPT = '/usr/bin/script';

/**
 * Whether terminals are available. Without them, the checks that need one are skipped with a message, which is an error
 * in CI.
 */
export const hasTerminals = process.platform === 'linux' && existsSync(SCRIPT);
if (!hasTerminals) {
  const said = `no ${SCRIPT} of util-linux found: what is asked on a terminal is not tested`;
  if (process.env['CI'] === 'true') throw new Error(said);
  console.warn(said);
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Like {@link runCommand}, but on a terminal. Once the terminal shows `asked`, types `answer` and presses Enter.
 *
 * @returns `out` is everything that the terminal showed
 */
export function answerCommand(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { asked, answer }: { readonly asked: string; readonly answer: string },
): Promise<Finished> {
  const line = `stty cols 160; exec ${[CLI, ...args].map(quoted).join(' ')}`;
  const child = spawn(SCRIPT, ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { ...environmentOf(folder, env), SHELL: '/bin/sh', TERM: 'xterm' },
  });
  let out = '';
  let err = '';
  let isAnswered = false;
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (isAnswered || !out.includes(asked)) return;
    isAnswered = true;
    child.stdin.write(`${answer}\r`);
  });
  child.stderr.on('data', (chunk) => (err += chunk));
  const { promise, resolve: done } = Promise.withResolvers<Finished>();
  child.once('close', (code) => done({ code, out, err }));
  return promise;
}
