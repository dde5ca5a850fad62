/** A point at which a simulated process, or a system that it calls, can be delayed, disconnected or killed. */
export interface StepPoint {
  /** The name under which the process connected. */
  readonly process: string;
  /** The name of the call, such as `tx.lock`, `outbox.startAttempt` or `queue.add`. */
  readonly call: string;
  /**
   * - `before`: the call has not begun. The transaction keeps its locks.
   * - `before-commit`: everything is done except the commit.
   * - `after`: the call has succeeded, so a transaction is committed, but its caller has no answer yet.
   * - `repeat`: the transaction has failed for a transient reason, holds no locks, and is about to be repeated.
   */
  readonly at: 'before' | 'before-commit' | 'after' | 'repeat';
}

/** How a simulation interferes with the connection of one process. Without hooks, everything succeeds at once. */
export interface Hooks {
  /**
   * Called and awaited at every step. A delay acts like a delay of the network. An error breaks the connection at that
   * step: uncommitted writes are rolled back, and the caller gets the error. If the promise never settles, the call
   * ends with its deadline or with the death of the process.
   */
  readonly step?: (point: StepPoint) => Promise<void>;
  /**
   * Calls `run` after this number of milliseconds, unless the returned function cancels this. Without it, calls have no
   * time limit.
   */
  readonly after?: After;
}

export type After = (ms: number, run: () => void) => () => void;

/** Returns a promise that never settles, which is what the calls of a killed process get. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
