import { MAIN_LIMITS } from './limits.ts';

/*
 * A process that is told to stop ends, whatever a library has left open. Nothing is known to need that: clients of a
 * store that is gone end when they are closed. Neither timer keeps a process that has nothing to do.
 */

/** Ends the process with code 1 where it has not stopped in order by then. Called when it is told to stop. */
export function endAtTheLatest(): void {
  setTimeout(() => process.exit(1), MAIN_LIMITS.stopMs).unref();
}

/** Ends the process a moment after all of it has stopped, with the code that is set. */
export function endSoon(): void {
  setTimeout(() => process.exit(), MAIN_LIMITS.lingerMs).unref();
}
