import { MAIN_LIMITS } from './limits.ts';

/*
 * A process that is told to stop ends, whatever it has left open: a client of a store that is gone may go on trying to
 * reach it. Neither timer keeps a process that has nothing to do.
 */

/** Ends the process with code 1 where it has not stopped in order by then. Called when it is told to stop. */
export function endAtTheLatest(): void {
  setTimeout(() => process.exit(1), MAIN_LIMITS.stopMs).unref();
}

/** Ends the process a moment after all of it has stopped, with the code that is set. */
export function endSoon(): void {
  setTimeout(() => process.exit(), MAIN_LIMITS.lingerMs).unref();
}
