/** A place where a simulated process and what it talks to can be held up, cut off or killed. */
export interface StepPoint {
  /** The name that the process connected under. */
  readonly process: string;
  /** The name of the call: `tx.lock`, `outbox.startAttempt`, `queue.add` and so on. */
  readonly call: string;
  /**
   * - `before`: the call has not begun. The transaction keeps the locks that it holds.
   * - `before-commit`: everything is done and nothing is committed.
   * - `after`: the call has succeeded (a transaction is committed), and its caller has no answer yet.
   * - `repeat`: the transaction has failed for a transient reason, holds no locks, and is about to be repeated.
   */
  readonly at: 'before' | 'before-commit' | 'after' | 'repeat';
}

/** How a simulation meddles with one process's connection. Without hooks everything happens at once and goes well. */
export interface Hooks {
  /**
   * Awaited at every step: a delay is a delay of the network. An error breaks the connection there: uncommitted writes
   * are rolled back, and the caller gets the error. It may never settle; then the call's deadline or the death of the
   * process ends the call.
   */
  readonly step?: (point: StepPoint) => Promise<void>;
  /** Calls `run` after this many milliseconds, unless the returned function cancels it. Without it no call is late. */
  readonly after?: After;
}

export type After = (ms: number, run: () => void) => () => void;

/** Returns the promise of a killed process, which never settles. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
