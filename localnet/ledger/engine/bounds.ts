import { getHeapStatistics } from 'node:v8';
import { LedgerError } from '../ledger-error.ts';

export interface Bounds {
  /** The number of steps of the machine. An operation on large data counts as several steps. */
  readonly steps: number;
  readonly milliseconds: number;
  /** How many bytes the heap may grow, including garbage. */
  readonly heapBytes: number;
  /** The maximum number of evaluations that wait for another one at the same time. */
  readonly frames: number;
}

/** Limits of one submission. They are necessary because interpretation blocks the process. */
const BOUNDS: Bounds = {
  steps: 20_000_000,
  milliseconds: 5000,
  heapBytes: 1_000_000_000,
  frames: 2_000_000,
};
/** Limits for computing the views of one contract, which happens when the contract is read. */
export const VIEW_BOUNDS: Partial<Bounds> = { steps: 1_000_000, milliseconds: 250 };
/** The number of steps between two checks of the clock and the heap. */
const STEPS_A_LOOK = 65_536;
/** The number of steps before the first check, which records the initial heap size. */
const STEPS_UNSEEN = 1024;
/** The number of parts that can be copied in the time of one step. */
const COPIED_A_STEP = 16;

/** Counts the steps, time and memory of one submission. Throws INTERPRETATION_TIME_EXCEEDED if a limit is exceeded. */
export class Meter {
  readonly #bounds: Bounds;
  readonly #startMs = performance.now();
  /** The heap size at the first check. Most submissions end before the first check. */
  #startHeap: number | undefined;
  #steps = 0;
  #next: number;

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#next = Math.min(STEPS_UNSEEN, this.#bounds.steps);
  }

  get steps(): number {
    return this.#steps;
  }

  get framesMax(): number {
    return this.#bounds.frames;
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#next) this.#look();
  }

  /** Counts parts that an operation copies or passes on. */
  copy(parts: number): void {
    this.spend(parts / COPIED_A_STEP);
  }

  #look(): void {
    const { steps, milliseconds, heapBytes } = this.#bounds;
    if (this.#steps > steps) throw exceeded(`${steps} steps`);
    if (performance.now() - this.#startMs > milliseconds) throw exceeded(`${milliseconds} ms`);
    const heap = usedHeap();
    this.#startHeap ??= heap;
    if (heap - this.#startHeap > heapBytes) throw exceeded(`${heapBytes} bytes of memory`);
    this.#next = Math.min(this.#steps + STEPS_A_LOOK, steps);
  }
}

/** Returns whether an error means that a submission has exceeded a limit. Contract code cannot catch such an error. */
export const isExceeded = (error: unknown): boolean =>
  error instanceof LedgerError && error.code === 'INTERPRETATION_TIME_EXCEEDED';

const usedHeap = (): number => getHeapStatistics().used_heap_size;

/** Returns the error for a submission that exceeds a limit. A participant uses one code for all such limits. */
export const exceeded = (limit: string): LedgerError =>
  new LedgerError(
    'INTERPRETATION_TIME_EXCEEDED',
    `Interpretation aborted: the submission needs more than ${limit}.`,
  );
