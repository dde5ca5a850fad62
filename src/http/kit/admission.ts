import { ProblemError, problem } from '../../domain/problems.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { Turns } from '../../domain/turns.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** What a process can record at a time, and how long anybody waits for a turn. */
export interface AdmissionLimits {
  /** As many as one transaction records: more would only wait for the next. */
  readonly atOnce: number;
  readonly waitMsMax: number;
}

/** How much the newest measurement counts. */
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
 * Lets in what can be recorded in time, and refuses the rest before anything of it is recorded: whoever is refused
 * late has waited for nothing, and whoever is refused after being recorded does not know it.
 *
 * Turns go round among the tenants, and within a tenant among its callers: one that asks for much waits behind itself
 * and not in front of others.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiting = new Turns<() => void>();
  /** When each that is under way began. */
  readonly #running = new Set<{ readonly beganMs: number }>();
  #meanMs = HTTP_LIMITS.admissionGuessMs;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * @param signal gives up the turn, not what has begun
   * @throws ProblemError `OVERLOADED` before `work` is begun
   * @throws the signal's reason, also before
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
    // The slot changes hands here and now: nobody else can come between.
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

  /** By what has been measured, and by what is under way: it may be stuck. */
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
