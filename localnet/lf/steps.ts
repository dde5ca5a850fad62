import { validationError } from './errors.ts';

/** A name is put together from what a package has once, so that few bytes may make long ones. */
const CHARS_A_STEP = 16;
/** Limit on the steps of checking packages that arrive together. No published DAR takes more than 12,700. */
const STEPS_MAX = 2_000_000;

/** Types and names are shared, so few bytes may ask for more than can be looked at. */
export class Steps {
  #left: number;

  constructor(max = STEPS_MAX) {
    this.#left = max;
  }

  /**
   * @param problem what is said when there are none left
   * @throws LedgerError DAR_VALIDATION_ERROR
   */
  take(steps: number, problem: string): void {
    this.#left -= steps;
    if (this.#left < 0) throw validationError(problem);
  }

  /** For a text that is made. */
  takeText(text: string, problem: string): void {
    this.take(1 + text.length / CHARS_A_STEP, problem);
  }
}

/** Limit on the table entries of packages that arrive together. No published DAR has more than 74,000. */
const ENTRIES_MAX = 2_000_000;

/** Counts what is kept of packages while they are read: a hundred kilobytes may unpack to millions of entries. */
export const entrySteps = (): Steps => new Steps(ENTRIES_MAX);
