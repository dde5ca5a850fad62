import { validationError } from './errors.ts';

/** A name consists of shared strings, so a few bytes may describe long names. */
const CHARS_A_STEP = 16;
/** Limit on the steps of checking packages that arrive together. No published DAR takes more than 12,700. */
const STEPS_MAX = 2_000_000;

/** Limits work. Types and names are shared, so a few bytes may require more steps than are acceptable. */
export class Steps {
  #left: number;

  constructor(max = STEPS_MAX) {
    this.#left = max;
  }

  /**
   * @param problem the error's text when no steps are left
   * @throws LedgerError DAR_VALIDATION_ERROR
   */
  take(steps: number, problem: string): void {
    this.#left -= steps;
    if (this.#left < 0) throw validationError(problem);
  }

  /** Counts the creation of a text. */
  takeText(text: string, problem: string): void {
    this.take(1 + text.length / CHARS_A_STEP, problem);
  }
}

/** Limit on the table entries of packages that arrive together. No published DAR has more than 74,000. */
const ENTRIES_MAX = 2_000_000;

/** Limits the memory for packages while they are read: a hundred kilobytes may unpack to millions of entries. */
export const entrySteps = (): Steps => new Steps(ENTRIES_MAX);
