/** A place where a simulated process and what it talks to can be held up, cut off or killed. */
export interface StepPoint {
  /** The name that the process connected under. */
  readonly process: string;
  /** What the process asked for: `tx.lock`, `outbox.startAttempt`, `queue.add` and so on. */
  readonly call: string;
  /**
   * - `before`: what was asked for has not begun. Locks that the transaction holds already are held meanwhile.
   * - `before-commit`: everything is done and nothing is committed.
   * - `after`: it has happened, for transactions: is committed; whoever asked has not heard.
   * - `repeat`: the transaction has failed for reasons that pass, holds nothing, and is about to be tried again.
   */
  readonly at: 'before' | 'before-commit' | 'after' | 'repeat';
}

/** How a simulation meddles with one process's connection. Without hooks everything happens at once and goes well. */
export interface Hooks {
  /**
   * Waited for at every step: a delay is the network's. What it throws breaks the connection there: what was not
   * committed is undone, and the caller gets the error. It may never settle; then the call's deadline or the death of
   * the process ends the call.
   */
  readonly step?: (point: StepPoint) => Promise<void>;
  /** Calls `run` after so many milliseconds unless cancelled by what it returns. Without it no call is ever late. */
  readonly after?: After;
}

export type After = (ms: number, run: () => void) => () => void;

/** What a killed process waits for. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
