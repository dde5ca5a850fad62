/** A point at which a simulated process, or a system that it calls, can be delayed, cut off or killed. */
export interface StepPoint {
  /** The name under which the process connected. */
  readonly process: string;
  /** The name of the call: `tx.lock`, `outbox.startAttempt`, `queue.add` and so on. */
  readonly call: string;
  /**
   * - `before`: the call has not begun. The transaction keeps its locks.
   * - `before-commit`: everything is done and nothing is committed.
   * - `after`: the call has succeeded (a transaction is committed), and its caller has no answer yet.
   * - `repeat`: the transaction has failed for a transient reason, holds no locks, and is about to be repeated.
   */
  readonly at: 'before' | 'before-commit' | 'after' | 'repeat';
}

/** How a simulation interferes with the connection of one process. Without hooks everything succeeds at once. */
export interface Hooks {
  /**
   * Awaited at every step; its delay acts as a delay of the network. An error breaks the connection at that step:
   * uncommitted writes are rolled back, and the caller gets the error. The promise may never settle; in that case the
   * call's deadline or the death of the process ends the call.
   */
  readonly step?: (point: StepPoint) => Promise<void>;
  /**
   * Calls `run` after this many milliseconds, unless the returned function cancels it. Without it calls have no time
   * limit.
   */
  readonly after?: After;
}

export type After = (ms: number, run: () => void) => () => void;

/** Returns the promise of a killed process, which never settles. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
