import { Wakeup } from '../app/ports/wakeup.ts';
import type { CompletionElement, LedgerUpdate } from '../domain/ledger.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

/** Stream elements that have arrived and that the projector has not taken yet, in order of arrival. */
export type StreamElement =
  | { readonly stream: 'updates'; readonly element: LedgerUpdate }
  | { readonly stream: 'completions'; readonly element: CompletionElement };

/** A bounded queue between the streams and the projector's transactions. */
export class Inbox {
  readonly #elements: StreamElement[] = [];
  readonly #capacity: number;
  readonly #arrived = new Wakeup();
  #room: (() => void)[] = [];
  /** Whether the last batch contained several transactions. */
  #isBurst = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(element: StreamElement): void {
    this.#elements.push(element);
    this.#arrived.wake();
  }

  /** Drops the elements that match. */
  discard(isUnwanted: (element: StreamElement) => boolean): void {
    const kept = this.#elements.filter((element) => !isUnwanted(element));
    this.#elements.splice(0, this.#elements.length, ...kept);
    this.#makeRoom();
  }

  /** Resolves once there is room for more elements, or once `signal` fires; after that, no more elements are taken. */
  room(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#elements.length < this.#capacity) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done, { once: true });
      this.#room.push(done);
    });
  }

  /** Waits for elements, at most `waitMs`, and takes up to `max`; takes none if `signal` fires. */
  async take(max: number, waitMs: number, signal: AbortSignal): Promise<StreamElement[]> {
    if (this.#elements.length === 0) {
      // All earlier elements were taken, so an earlier wake-up does not count.
      this.#arrived.clear();
      await this.#arrived.wait(waitMs, signal);
    }
    if (this.#elements.length === 0) return [];
    await this.#linger(max, signal);
    if (this.#isBurst) await this.#tillBurstEnds(max, signal);
    const taken = this.#elements.splice(0, max);
    this.#isBurst = taken.filter(({ element }) => element.kind === 'transaction').length > 1;
    this.#makeRoom();
    return taken;
  }

  /**
   * Waits until each update in the inbox has its completion and each accepted completion its update, or until time runs
   * out.
   */
  async #linger(max: number, signal: AbortSignal): Promise<void> {
    const endsAtMs = performance.now() + PROJECTOR_LIMITS.lingerMs;
    const alone = new Set<string>();
    let seen = 0;
    while (!signal.aborted) {
      for (const { element } of this.#elements.slice(seen)) {
        if (element.kind === 'position' || element.updateId === null) continue;
        if (!alone.delete(element.updateId)) alone.add(element.updateId);
      }
      seen = this.#elements.length;
      const leftMs = endsAtMs - performance.now();
      if (alone.size === 0 || seen >= max || leftMs <= 0) return;
      this.#arrived.clear();
      await this.#arrived.wait(leftMs, signal);
    }
  }

  /** Waits until no element has arrived for a moment. Transactions that arrive one at a time are not delayed. */
  async #tillBurstEnds(max: number, signal: AbortSignal): Promise<void> {
    const endsAtMs = performance.now() + PROJECTOR_LIMITS.burstMs;
    let hasCome = true;
    while (hasCome && this.#elements.length < max && !signal.aborted) {
      const leftMs = Math.min(PROJECTOR_LIMITS.burstGapMs, endsAtMs - performance.now());
      if (leftMs <= 0) return;
      this.#arrived.clear();
      hasCome = await this.#arrived.wait(leftMs, signal);
    }
  }

  #makeRoom(): void {
    if (this.#elements.length >= this.#capacity) return;
    for (const resolve of this.#room.splice(0)) resolve();
  }
}
