import { PROJECTOR_LIMITS } from './limits.ts';

const { batchElementsMin, batchElementsMax, batchElementsAtFirst, batchMs, batchMsMax } =
  PROJECTOR_LIMITS;

/**
 * How many elements one transaction takes. It grows while there is a backlog and transactions are short: each costs a
 * commit and a dozen statements, whatever is in it. It shrinks when they become long: locks are held, and callers wait,
 * for as long as they take.
 */
export class BatchSize {
  #elements: number = batchElementsAtFirst;

  get elements(): number {
    return this.#elements;
  }

  /** A transaction of so many elements took so long. */
  took(elements: number, ms: number): void {
    if (ms > batchMsMax) this.#become(this.#elements / 2);
    else if (elements >= this.#elements && ms < batchMs) this.#become(this.#elements * 2);
  }

  #become(elements: number): void {
    this.#elements = Math.max(batchElementsMin, Math.min(batchElementsMax, Math.floor(elements)));
  }
}
