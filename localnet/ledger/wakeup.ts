/** The longest delay that a timer takes; longer ones would fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Resolves when `delayMs` have passed or `signal` aborts; it never rejects. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Wakeup().wait(signal, Math.min(delayMs, TIMER_MS_MAX));
}

/**
 * Lets any number of waiters sleep until the next publication. No publication is missed if a waiter checks first and
 * then waits.
 */
export class Wakeup {
  readonly #waiters = new Set<() => void>();

  /** Wakes all current waiters. */
  notify(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  /** Resolves at the next `notify`, when `timeoutMs` have passed, or when `signal` aborts; it never rejects. */
  wait(signal: AbortSignal, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      signal.addEventListener('abort', wake);
      this.#waiters.add(wake);
    });
  }
}
