/**
 * A signal for one waiter at a time. Wake-ups without a waiter are remembered: however many there were, the next wait
 * returns at once.
 *
 * @example
 * const wakeup = new Wakeup();
 * const unsubscribe = listen(() => wakeup.wake());
 * while (!stopping.aborted) {
 *   await lookAfterWhatIsDue();
 *   await wakeup.wait(5_000, stopping);
 * }
 * unsubscribe();
 */
export class Wakeup {
  #isPending = false;
  #endWait: () => void = () => undefined;

  /** Whether a wake-up has come since the last `clear` or `wait`. */
  get isPending(): boolean {
    return this.#isPending;
  }

  wake(): void {
    this.#isPending = true;
    this.#endWait();
  }

  /** Discards remembered wake-ups, because the caller is handling their cause. */
  clear(): void {
    this.#isPending = false;
  }

  /**
   * Waits for a wake-up, the end of the time, or the signal. Never rejects.
   *
   * @param keepsAlive false if the process may exit during the wait
   * @returns false if the time ran out
   */
  async wait(ms: number, signal: AbortSignal, keepsAlive = true): Promise<boolean> {
    if (!this.#isPending && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = (): void => resolve();
      this.#endWait = end;
      signal.addEventListener('abort', end, { once: true });
      const timer = setTimeout(end, ms);
      if (!keepsAlive) timer.unref();
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
    const isEarly = this.#isPending || signal.aborted;
    this.#isPending = false;
    return isEarly;
  }
}

/**
 * Resolves after `ms`, or at once when the signal fires or has fired. Never rejects: the caller checks the signal.
 *
 * @param keepsAlive false if the process may exit during the wait
 *
 * @example
 * while (!stopping.aborted) {
 *   await lookAfterWhatIsDue();
 *   await sleep(5_000, stopping);
 * }
 */
export async function sleep(ms: number, signal: AbortSignal, keepsAlive = true): Promise<void> {
  await new Wakeup().wait(ms, signal, keepsAlive);
}
