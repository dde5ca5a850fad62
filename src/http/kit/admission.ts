import { ProblemError, problem } from '../../domain/problems.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { Turns } from '../../domain/turns.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** How many requests a process records at the same time, and the longest time that a request waits for its turn. */
export interface AdmissionLimits {
  /** As many as one transaction records, because further requests would only wait for the next transaction. */
  readonly atOnce: number;
  readonly waitMsMax: number;
  /**
   * The maximum number of recorded changes of one tenant whose outcomes callers await while other tenants write too. At
   * the maximum, the tenant's next request waits for its turn.
   *
   * @default HTTP_LIMITS.awaitedPerTenant
   */
  readonly awaitedMax?: number;
}

/** A request that is being recorded. */
interface Slot {
  readonly party: string;
  readonly beganMs: number;
}

/** The changes of one tenant whose outcomes callers await. */
interface Awaited {
  count: number;
  /** The mean time that callers of the tenant wait for an outcome. */
  meanMs: number;
  /** The tenant counts as writing until this time after its last change. */
  untilMs: number;
}

/** The weight of the newest measurement in the mean. */
const WEIGHT = 0.1;

/** The changes that each tenant has begun within the last `begunWindowMs`. */
class Beginnings {
  readonly #times = new Map<string, number[]>();

  add(party: string): void {
    this.#times.set(party, [...this.#recent(party), performance.now()]);
  }

  count = (party: string): number => this.#recent(party).length;

  #recent(party: string): readonly number[] {
    const sinceMs = performance.now() - HTTP_LIMITS.begunWindowMs;
    const recent = (this.#times.get(party) ?? []).filter((ms) => ms > sinceMs);
    if (recent.length === 0) this.#times.delete(party);
    return recent;
  }
}

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
 * own requests and does not delay others.
 *
 * Each recorded change slows all other changes in progress, because they share the processes. So while several tenants
 * write, the requests of a tenant wait here as soon as that tenant has many changes in progress. If callers of other
 * tenants wait long for their outcomes, the number of changes that the tenant may begin in each `begunWindowMs` is
 * limited too. The two limits allow the same rate if the ledger takes a second, so with a slow ledger the second limit
 * delays no request.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiting = new Turns<() => void>();
  readonly #running = new Set<Slot>();
  readonly #awaited = new Map<string, Awaited>();
  readonly #begun = new Beginnings();
  #meanMs = HTTP_LIMITS.admissionGuessMs;
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` when it is the caller's turn.
   *
   * @param signal aborting it ends the wait for a turn, but not work that has begun
   * @throws ProblemError `OVERLOADED` before `work` begins
   * @throws the signal's reason, also before `work` begins
   */
  async run<T>(who: TenantCaller, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const isFree = this.#running.size < this.#limits.atOnce && this.#mayGo(who.party);
    const slot = isFree ? this.#take(who) : await this.#turn(who, signal);
    try {
      return await work();
    } finally {
      this.#running.delete(slot);
      this.#meanMs += WEIGHT * (performance.now() - slot.beganMs - this.#meanMs);
      this.#next();
    }
  }

  /** Counts a recorded change of the tenant until its caller has been answered or has waited for `awaitedMs`. */
  async awaiting<T>({ party }: TenantCaller, outcome: () => Promise<T>): Promise<T> {
    const awaited = this.#awaited.get(party) ?? { count: 0, meanMs: 0, untilMs: 0 };
    this.#awaited.set(party, awaited);
    awaited.count += 1;
    const beganMs = performance.now();
    let isCounted = true;
    const leave = (): void => {
      if (!isCounted) return;
      isCounted = false;
      awaited.count -= 1;
      awaited.meanMs = (awaited.meanMs + performance.now() - beganMs) / 2;
      awaited.untilMs = performance.now() + HTTP_LIMITS.writingMs;
      this.#next();
    };
    // A change that waits long for the ledger must not block the tenant's further requests.
    const timer = setTimeout(leave, HTTP_LIMITS.awaitedMs);
    try {
      return await outcome();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  #mayGo(party: string): boolean {
    const { awaitedMax = HTTP_LIMITS.awaitedPerTenant } = this.#limits;
    let count = this.#awaited.get(party)?.count ?? 0;
    for (const slot of this.#running) if (slot.party === party) count += 1;
    const hasBegunMany = this.#begun.count(party) >= HTTP_LIMITS.begunMax;
    const isBounded = count >= awaitedMax || (hasBegunMany && this.#areOthersDelayed(party));
    return !isBounded || this.#isAlone(party);
  }

  #areOthersDelayed(party: string): boolean {
    for (const [other, { meanMs }] of this.#awaited)
      if (other !== party && meanMs > HTTP_LIMITS.delayedMs) return true;
    return false;
  }

  /** Whether no other tenant has written for a while. */
  #isAlone(party: string): boolean {
    const nowMs = performance.now();
    let isAlone = [...this.#running].every((slot) => slot.party === party);
    for (const [other, { count, untilMs }] of this.#awaited) {
      if (count === 0 && untilMs < nowMs) this.#awaited.delete(other);
      else if (other !== party) isAlone = false;
    }
    return isAlone;
  }

  #take({ party }: TenantCaller): Slot {
    const slot = { party, beganMs: performance.now() };
    this.#running.add(slot);
    this.#begun.add(party);
    return slot;
  }

  async #turn(who: TenantCaller, signal: AbortSignal): Promise<Slot> {
    const expectedMs = this.#expectedMs(who);
    if (expectedMs > this.#limits.waitMsMax) throw refusal(expectedMs);
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    // Hands over the slot synchronously, so that no other request takes it.
    const begin = (): void => resolve(this.#take(who));
    const leave = (reason: unknown): void => {
      this.#waiting.remove(who, begin);
      reject(reason);
    };
    const timer = setTimeout(() => leave(refusal(this.#limits.waitMsMax)), this.#limits.waitMsMax);
    const onAbort = (): void => leave(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(who, begin);
    this.#next();
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
    while (this.#running.size < this.#limits.atOnce) {
      const begin = this.#waiting.take((party) => this.#mayGo(party));
      if (begin === undefined) break;
      begin();
    }
    if (this.#waiting.size > 0) this.#nextSoon();
  }

  /** Checks again after a short time, because a tenant may get its next turn merely because time has passed. */
  #nextSoon(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#next();
    }, HTTP_LIMITS.begunLookMs);
  }
}
