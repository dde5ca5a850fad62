/** The longest delay that a timer supports. A longer one would fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Resolves after `delayMs`, or when `signal` is aborted. Never rejects. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Wakeup().wait(signal, Math.min(delayMs, TIMER_MS_MAX));
}

/**
 * Lets any number of tasks wait for the next publication. A task that first checks and then waits does not miss a
 * publication.
 */
export class Wakeup {
  readonly #waiters = new Set<() => void>();

  /** Wakes all waiters that are waiting at present. */
  notify(): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const wake of waiters) wake();
  }

  /** Resolves at the next `notify`, after `timeoutMs`, or when `signal` is aborted. Never rejects. */
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
