import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedAnswer, SeedOrder } from './seed-runner.ts';
import { NODE_FLAGS } from '../../../src/main/node-flags.ts';

const RUNNER = fileURLToPath(new URL('seed-runner.ts', import.meta.url));

/**
 * The time after which a history counts as one that never ends. It is far longer than any history takes, even on a
 * machine with other work.
 */
const HANGS_MS = 600_000;

const spawn = (): ChildProcess =>
  fork(RUNNER, { execArgv: [...NODE_FLAGS], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/**
 * A process that runs one seed at a time. It is needed because a history replaces the clock of the process in which it
 * runs.
 */
export class SeedProcess {
  #child = spawn();

  /** Runs a seed. If a history kills its process or does not end, this is reported as a finding. */
  run(order: SeedOrder): Promise<SeedAnswer> {
    const child = this.#child;
    return new Promise((resolve) => {
      const hangs = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
      const gone = (code: number | null) => {
        clearTimeout(hangs);
        this.#child = spawn();
        const what =
          code === null ? 'it does not come to an end' : `its process ended with ${code}`;
        const findings = [{ invariant: 'simulation', what }];
        const outcome = { seed: order.seed, digest: '', findings, injected: {}, counts: {} };
        resolve({ outcome, trace: null });
      };
      child.once('exit', gone);
      child.once('message', (answer: SeedAnswer) => {
        clearTimeout(hangs);
        child.off('exit', gone);
        resolve(answer);
      });
      child.send(order);
    });
  }

  close(): void {
    this.#child.disconnect();
  }
}
