import type { Io } from '../../../src/app/ports/io.ts';
import { QueueUnavailableError } from '../../../src/queue/queue-error.ts';
import type { After, Hooks, StepPoint } from './hooks.ts';
import { never } from './hooks.ts';

/** The connection of one process to the queue, from its start to its end. */
export class QueueLine {
  readonly process: string;
  readonly #hooks: Hooks;
  #killed = false;

  constructor(process: string, hooks: Hooks) {
    this.process = process;
    this.#hooks = hooks;
  }

  get isKilled(): boolean {
    return this.#killed;
  }

  /** The process's own timers, if it has any. */
  get after(): After | undefined {
    return this.#hooks.after;
  }

  kill(): void {
    this.#killed = true;
  }

  /** @throws the error that the hook throws */
  async step(call: string, at: StepPoint['at']): Promise<void> {
    if (this.#killed) return never();
    await this.#hooks.step?.({ process: this.process, call, at });
    return this.#killed ? never() : undefined;
  }

  /**
   * Makes a call of the process within its time limits. If these pass, the call continues, but its caller does not wait
   * for it any longer.
   * @throws QueueUnavailableError; the signal's reason
   */
  async call<T>(name: string, io: Io, work: () => Promise<T> | T): Promise<T> {
    io.signal.throwIfAborted();
    const { promise: over, reject } = Promise.withResolvers<never>();
    const abort = () => reject(io.signal.reason);
    io.signal.addEventListener('abort', abort, { once: true });
    const cancel = this.after?.(io.deadlineMs, () =>
      reject(new QueueUnavailableError(`no answer within ${io.deadlineMs} ms`)),
    );
    const asked = this.#asked(name, work);
    asked.catch(() => undefined);
    try {
      return await Promise.race([asked, over]);
    } finally {
      io.signal.removeEventListener('abort', abort);
      cancel?.();
    }
  }

  async #asked<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    try {
      await this.step(name, 'before');
      const value = await work();
      await this.step(name, 'after');
      return value;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new QueueUnavailableError(`the queue does not answer: ${words}`, { cause: error });
    }
  }
}
