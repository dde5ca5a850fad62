import { randomUUID } from 'node:crypto';
import type { Operated } from '../../chaos/caller.ts';
import { until } from './queue-under-test.ts';

interface Answered {
  readonly commandId: string;
  readonly answer: Operated;
  /** Milliseconds since the load began. */
  readonly atMs: number;
}

/** A number of callers, each of which requests one operation after another and waits for each answer. */
export class SteadyLoad {
  readonly answered: Answered[] = [];
  readonly #over = new AbortController();
  readonly #actors: Promise<void>[];
  readonly #beganMs = performance.now();
  #broken: unknown = null;

  constructor(actors: number, operate: (commandId: string, actor: number) => Promise<Operated>) {
    this.#actors = Array.from({ length: actors }, async (_, actor) => {
      try {
        while (!this.#over.signal.aborted) {
          const commandId = randomUUID();
          const answer = await operate(commandId, actor);
          this.answered.push({ commandId, answer, atMs: performance.now() - this.#beganMs });
        }
      } catch (error) {
        this.#broken ??= error;
      }
    });
  }

  /** Waits for this number of further answers. @throws the error of a caller that failed */
  async more(count: number): Promise<void> {
    const wanted = this.answered.length + count;
    await until(() => {
      if (this.#broken !== null) throw this.#broken;
      return this.answered.length >= wanted;
    }, `${count} more are answered`);
  }

  /** Returns the longest time in which no caller received an answer. */
  longestStallMs(): number {
    const times = this.answered.map(({ atMs }) => atMs);
    return Math.max(...times.map((at, i) => at - (times[i - 1] ?? 0)));
  }

  longestOperationMs(): number {
    return Math.max(...this.answered.map(({ answer }) => answer.tookMs));
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#actors);
    if (this.#broken !== null) throw this.#broken;
  }
}
