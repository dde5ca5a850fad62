import { MAIN_LIMITS } from './limits.ts';

/*
 * Ensures that a process ends after it was told to stop, even if a library keeps a handle open. No case is known that
 * needs this: the clients of a lost store end when they are closed. The timers do not keep a process alive.
 */

/** Called when the process is told to stop. Ends the process with code 1 if it has not ended by itself in time. */
export function endAtTheLatest(): void {
  setTimeout(() => process.exit(1), MAIN_LIMITS.stopMs).unref();
}

/** Ends the process a moment after everything has stopped, with the exit code that was set. */
export function endSoon(): void {
  setTimeout(() => process.exit(), MAIN_LIMITS.lingerMs).unref();
}
