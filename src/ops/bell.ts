import { setTimeout as sleep } from 'node:timers/promises';

/** Rings until somebody has heard. Rung at first: whoever waits has not looked yet. */
export class Bell {
  #ring: () => void = () => undefined;
  #isRung = true;

  wake(): void {
    this.#isRung = true;
    this.#ring();
  }

  /** Until it rings, the time is over or the signal fires. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung) {
      const over = new AbortController();
      this.#ring = () => over.abort();
      const any = AbortSignal.any([over.signal, signal]);
      await sleep(ms, undefined, { signal: any }).catch(() => undefined);
    }
    this.#isRung = false;
  }
}
