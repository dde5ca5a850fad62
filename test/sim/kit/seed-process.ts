import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedAnswer, SeedOrder } from './seed-runner.ts';

const RUNNER = fileURLToPath(new URL('seed-runner.ts', import.meta.url));

/** A process that runs one seed at a time: a history replaces the clock of the process that it runs in. */
export class SeedProcess {
  readonly #child: ChildProcess = fork(RUNNER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

  run(order: SeedOrder): Promise<SeedAnswer> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null) =>
        reject(new Error(`the process of seed ${order.seed} ended with ${code}`));
      this.#child.once('exit', gone);
      this.#child.once('message', (answer: SeedAnswer) => {
        this.#child.off('exit', gone);
        resolve(answer);
      });
      this.#child.send(order);
    });
  }

  close(): void {
    this.#child.disconnect();
  }
}
