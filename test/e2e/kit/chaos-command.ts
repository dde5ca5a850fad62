import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { NODE_FLAGS } from '../../../src/main/node-flags.ts';

/** Starts `tenure chaos` with these options; the process is interrupted if it still runs when its test ends. */
export function chaos(...options: string[]): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'cli/main.ts', 'chaos', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  return child;
}
