import { MAIN_LIMITS } from './limits.ts';

/*
 * Ensures that a process that is told to stop ends, even if a library keeps a handle open. No case is known to need
 * this: clients of a lost store end when they are closed. Neither timer keeps an idle process alive.
 */

/** Called when the process is told to stop: ends it with code 1 if it has not stopped in order within the bound. */
export function endAtTheLatest(): void {
  setTimeout(() => process.exit(1), MAIN_LIMITS.stopMs).unref();
}

/** Ends the process, with the exit code that is set, a moment after everything has stopped. */
export function endSoon(): void {
  setTimeout(() => process.exit(), MAIN_LIMITS.lingerMs).unref();
}
