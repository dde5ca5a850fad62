import { ProblemError, problem } from '../../domain/problems.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { Turns } from '../../domain/turns.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** The number of requests that a process records concurrently, and the longest wait for a turn. */
export interface AdmissionLimits {
  /** As many as one transaction records: more requests would only wait for the next transaction. */
  readonly atOnce: number;
  readonly waitMsMax: number;
}

/** The weight of the newest measurement. */
const WEIGHT = 0.1;

const refusal = (waitMs: number): ProblemError =>
  new ProblemError(
    problem(
      'OVERLOADED',
      'there are more callers than can be answered in time; nothing was recorded',
      { extra: { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) } },
    ),
  );

/**
 * Admits requests that can be recorded in time, and refuses the others before anything is recorded. A late refusal
 * would waste the caller's wait, and a refusal after the recording would mislead the caller.
 *
 * Turns rotate among the tenants, and within a tenant among its callers: a caller with many requests waits behind its
 * own requests and not in front of others.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiting = new Turns<() => void>();
  /** The start times of the requests in progress. */
  readonly #running = new Set<{ readonly beganMs: number }>();
  #meanMs = HTTP_LIMITS.admissionGuessMs;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * @param signal gives up the wait for a turn, but does not stop begun work
   * @throws ProblemError `OVERLOADED` before `work` begins
   * @throws the signal's reason, also before `work` begins
   */
  async run<T>(who: TenantCaller, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const slot =
      this.#running.size < this.#limits.atOnce ? this.#take() : await this.#turn(who, signal);
    try {
      return await work();
    } finally {
      this.#running.delete(slot);
      this.#meanMs += WEIGHT * (performance.now() - slot.beganMs - this.#meanMs);
      this.#next();
    }
  }

  #take(): { readonly beganMs: number } {
    const slot = { beganMs: performance.now() };
    this.#running.add(slot);
    return slot;
  }

  async #turn(who: TenantCaller, signal: AbortSignal): Promise<{ readonly beganMs: number }> {
    const expectedMs = this.#expectedMs(who);
    if (expectedMs > this.#limits.waitMsMax) throw refusal(expectedMs);
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly beganMs: number }>();
    // Hands over the slot synchronously, so that no other request takes it.
    const begin = (): void => resolve(this.#take());
    const leave = (reason: unknown): void => {
      this.#waiting.remove(who, begin);
      reject(reason);
    };
    const timer = setTimeout(() => leave(refusal(this.#limits.waitMsMax)), this.#limits.waitMsMax);
    const onAbort = (): void => leave(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(who, begin);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Estimates the wait from measurements and from the requests in progress, which may be stuck. */
  #expectedMs(who: TenantCaller): number {
    const nowMs = performance.now();
    const ages = [...this.#running].map(({ beganMs }) => nowMs - beganMs);
    const ageMs = ages.reduce((sum, age) => sum + age, 0) / Math.max(1, ages.length);
    return (this.#waiting.upTo(who) * Math.max(this.#meanMs, ageMs)) / this.#limits.atOnce;
  }

  #next(): void {
    if (this.#running.size < this.#limits.atOnce) this.#waiting.take()?.();
  }
}
