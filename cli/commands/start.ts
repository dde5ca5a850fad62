import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { refuseForeignFolder } from '../../embedded/data-folder.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/main/node-flags.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';
import type { RunState } from '../../src/main/run-state.ts';
import { EXIT } from '../exit.ts';
import { complain } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { table } from '../table.ts';
import { askReadiness, whyNotReady } from './readiness.ts';

/** The message with which this command, before it ends, tells the process that it started to keep running. */
export const LET_GO = 'let-go';

const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url));
/** The timeout of a start: longer than Tenure itself waits for a ledger, so that Tenure can report the reason. */
const START_MS = 180_000;

type Message =
  | { readonly ready: true }
  | { readonly failed: string }
  | { readonly interrupted: true };

/**
 * Stops a start when this command is interrupted. The detached process does not get the terminal's signals itself. A
 * second signal ends this command at once.
 *
 * @returns a function that stops watching for signals
 */
function watchInterrupt(child: ChildProcess, onInterrupt: () => void): () => void {
  const interrupt = (): void => {
    console.error('\nInterrupted: Tenure is stopping. This takes some seconds.');
    onInterrupt();
    child.kill('SIGTERM');
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  };
}

/** Starts `tenure run` detached from this terminal, and waits until it reports that it is ready. */
function launch(dataDir: string, args: readonly string[]): Promise<Message> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const log = openSync(join(dataDir, 'logs', 'tenure.log'), 'a');
  const child = spawn(process.execPath, [...NODE_FLAGS, ENTRY, 'run', ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...NODE_ENVIRONMENT, ...process.env },
  });
  closeSync(log);
  const { promise, resolve } = Promise.withResolvers<Message>();
  const timer = setTimeout(() => resolve({ failed: 'Tenure was not ready in time' }), START_MS);
  let isInterrupted = false;
  const unwatch = watchInterrupt(child, () => {
    isInterrupted = true;
  });
  // An interrupted start is only over once the process has exited.
  child.once('message', (message) => (isInterrupted ? undefined : resolve(message as Message)));
  child.once('error', (error) => resolve({ failed: error.message }));
  child.once('exit', (code) =>
    resolve(isInterrupted ? { interrupted: true } : { failed: `Tenure ended with code ${code}` }),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    unwatch();
    if (child.connected) child.send(LET_GO, () => child.disconnect());
    child.unref();
  });
}

const LINES_TOKEN = `
A token of the provider, and of a user (public demo credentials of LocalNet):
  cli/tenure token provider
  cli/tenure token user`;

/** Lists all addresses, for people. */
export function describeRun(state: RunState): string {
  const addresses = table(
    ['', ''],
    state.addresses.map(({ name, url }) => [name, url]),
  );
  return `${addresses.trimStart()}\n${state.localnet === null ? '' : LINES_TOKEN}`;
}

export async function start(options: { readonly freePorts?: boolean } = {}): Promise<void> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const before = await readRunState(dataDir);
  if (before !== null && (await isTenure(before.pid))) {
    const ready = await askReadiness(before);
    const isReady = ready.status === 'ready';
    const but = ready.status === 'not ready' ? ', but is not ready' : `, but ${ready.status}`;
    console.log(`Tenure is running already (pid ${before.pid})${isReady ? '' : but}.`);
    console.log(
      whyNotReady(ready)
        .map((line) => `${line}\n`)
        .join(''),
    );
    console.log(describeRun(before));
    if (!isReady) process.exitCode = 1;
    return;
  }
  await refuseForeignFolder(dataDir);
  const began = performance.now();
  const args = options.freePorts === true ? ['--free-ports'] : [];
  const answer = await whileWaiting('starting', launch(dataDir, args));
  if ('interrupted' in answer) {
    complain('the start was interrupted, and all its processes have ended', EXIT.interrupted);
    return;
  }
  if ('failed' in answer) {
    complain(`${answer.failed} (log: ${join(dataDir, 'logs', 'tenure.log')})`);
    return;
  }
  const state = await readRunState(dataDir);
  if (state === null) return complain('Tenure is ready but has written no state file');
  console.log(
    `Tenure is ready (${((performance.now() - began) / 1000).toFixed(1)} s, pid ${state.pid}).\n`,
  );
  console.log(describeRun(state));
}
