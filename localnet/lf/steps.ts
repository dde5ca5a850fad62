import { validationError } from './errors.ts';

/**
 * How many characters of a name count as one step. Names consist of shared strings, so a few bytes may stand for long
 * names.
 */
const CHARS_A_STEP = 16;
/** The maximum number of steps for checking packages that arrive together. No published DAR takes more than 12,700. */
const STEPS_MAX = 2_000_000;

/** Limits the amount of work. Types and names are shared, so a few bytes may require more work than is acceptable. */
export class Steps {
  #left: number;

  constructor(max = STEPS_MAX) {
    this.#left = max;
  }

  /**
   * @param problem the text of the error if no steps are left
   * @throws LedgerError DAR_VALIDATION_ERROR
   */
  take(steps: number, problem: string): void {
    this.#left -= steps;
    if (this.#left < 0) throw validationError(problem);
  }

  /** Counts the steps for creating a text. */
  takeText(text: string, problem: string): void {
    this.take(1 + text.length / CHARS_A_STEP, problem);
  }
}

/** The maximum number of table entries of packages that arrive together. No published DAR has more than 74,000. */
const ENTRIES_MAX = 2_000_000;

/**
 * Returns a limit on the memory for packages while they are read: a hundred kilobytes may unpack to millions of table
 * entries.
 */
export const entrySteps = (): Steps => new Steps(ENTRIES_MAX);
