import type { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { TenantCaller } from '../../domain/turns.ts';
import { Turns } from '../../domain/turns.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { HTTP_LIMITS } from '../limits.ts';

/* Counters for limits of requests over time, of open requests, of the bytes of their bodies, and of event loop time. */

/** The number of requests that the tightest limit still allows after a request was counted. */
export interface Allowance {
  /** The policy with the fewest requests left. */
  readonly policy: string;
  readonly left: number;
  /** How long until the policy allows one more request. If `left` is below zero, the present request is refused. */
  readonly afterMs: number;
}

/** One limit that a request counts against. */
export interface RatePolicy {
  readonly policy: string;
  /** The key under which requests are counted. */
  readonly key: string;
  /** The number of requests that are allowed per minute. */
  readonly perMinute: number;
}

/** Requests of one key since the window began. */
interface Window {
  count: number;
  readonly endsMs: number;
}

/** Counts requests over time. Each key has a window of a minute that begins with its first request. */
export class Rates {
  readonly #windows = new Map<string, Window>();
  readonly #nowMs: () => number;

  /** @param nowMs a clock that does not go back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts one request against all policies, or against none if one of them is used up. */
  take(policies: readonly RatePolicy[]): Allowance | null {
    const nowMs = this.#nowMs();
    const found = policies.map((each) => ({ ...each, window: this.#window(each, nowMs) }));
    const hasRoom = found.every(({ perMinute, window }) => window.count < perMinute);
    let tightest: Allowance | null = null;
    for (const { policy, perMinute, window } of found) {
      if (hasRoom) window.count += 1;
      const left = perMinute - window.count - (hasRoom ? 0 : 1);
      const afterMs = window.endsMs - nowMs;
      if (tightest === null || left < tightest.left) tightest = { policy, left, afterMs };
    }
    return tightest;
  }

  #window({ policy, key }: RatePolicy, nowMs: number): Window {
    const of = `${policy} ${key}`;
    const known = this.#windows.get(of);
    const isOver = known === undefined || known.endsMs <= nowMs;
    const window = isOver ? { count: 0, endsMs: nowMs + HTTP_LIMITS.rateWindowMs } : known;
    // The map is ordered by last use, so that the oldest key is evicted.
    this.#windows.delete(of);
    this.#windows.set(of, window);
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > HTTP_LIMITS.rateKeysMax && oldest.done !== true)
      this.#windows.delete(oldest.value);
    return window;
  }
}

/** The maximum numbers of open requests of one kind, for a tenant and for each of its callers. */
export interface PlacesMax {
  readonly ofTenant: number;
  readonly ofCaller: number;
}

/** Counts open requests by tenant and, within the tenant, by subject. */
export class Places {
  readonly #tenants = new Map<string, Map<string, number>>();
  #all = 0;

  /** The number of open requests. */
  get size(): number {
    return this.#all;
  }

  /** Counts a request as open. @returns a function that releases the place, or the kind of limit that is reached */
  take(caller: TenantCaller, max: PlacesMax): (() => void) | 'tenant' | 'caller' {
    const subjects = this.#tenants.get(caller.party) ?? new Map<string, number>();
    let ofTenant = 0;
    for (const count of subjects.values()) ofTenant += count;
    if (ofTenant >= max.ofTenant) return 'tenant';
    const own = subjects.get(caller.subject) ?? 0;
    if (own >= max.ofCaller) return 'caller';
    this.#tenants.set(caller.party, subjects);
    subjects.set(caller.subject, own + 1);
    this.#all += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#leave(caller, subjects);
      isOpen = false;
    };
  }

  #leave({ party, subject }: TenantCaller, subjects: Map<string, number>): void {
    this.#all -= 1;
    const left = (subjects.get(subject) ?? 1) - 1;
    if (left === 0) subjects.delete(subject);
    else subjects.set(subject, left);
    if (subjects.size === 0) this.#tenants.delete(party);
  }
}

/** The memory that is reserved for the body of one request. */
export interface HeldRoom {
  /** Reduces the reservation to this many bytes. */
  shrink(bytes: number): void;
  release(): void;
}

/** Counts the bytes of bodies of open requests, for each tenant and for the whole process. */
export class BodyRoom {
  readonly #tenants = new Map<string, number>();
  #all = 0;

  /** Reserves memory for a body. @returns the reservation, or the kind of limit that is reached */
  take(
    party: string,
    bytes: number,
    max: { readonly ofTenant: number; readonly ofProcess: number },
  ): HeldRoom | 'tenant' | 'process' {
    if ((this.#tenants.get(party) ?? 0) + bytes > max.ofTenant) return 'tenant';
    if (this.#all + bytes > max.ofProcess) return 'process';
    this.#add(party, bytes);
    let held = bytes;
    const shrink = (to: number): void => {
      const less = Math.max(0, held - to);
      held -= less;
      this.#add(party, -less);
    };
    return { shrink, release: () => shrink(0) };
  }

  #add(party: string, bytes: number): void {
    this.#all += bytes;
    const ofTenant = (this.#tenants.get(party) ?? 0) + bytes;
    if (ofTenant === 0) this.#tenants.delete(party);
    else this.#tenants.set(party, ofTenant);
  }
}

/** A time, and for how long the event loop had been busy by then. */
export interface LoopTime {
  readonly nowMs: number;
  readonly busyMs: number;
}

const loopTime = (): LoopTime => ({
  nowMs: performance.now(),
  busyMs: performance.eventLoopUtilization().active,
});

/**
 * Limits the process's time that callers' reads, refusals and large bodies use. At most one of them begins in each turn
 * of the event loop, and only if few others are in progress and the loop was busy for less than the permitted part of
 * the current window. Writes, the engine and probes are never delayed, so the rest of each window is theirs. Tenants
 * take turns.
 */
export class ReadTime {
  readonly #busyMsMax: number;
  readonly #loopTime: () => LoopTime;
  readonly #waiting = new Turns<() => void>();
  /** The time at which each read in progress began. */
  readonly #open = new Map<symbol, number>();
  #window = { endsMs: 0, busyMs: 0 };
  #timer: NodeJS.Timeout | null = null;
  #isTaken = false;

  /** @param percent how much of each window may be used */
  constructor(percent: number, time: () => LoopTime = loopTime) {
    this.#busyMsMax = (HTTP_LIMITS.loopWindowMs * percent) / 100;
    this.#loopTime = time;
  }

  /**
   * Waits until the request may begin.
   *
   * @param client emits `close` when the client disconnects, which ends the wait
   * @returns a function to call when the answer is complete
   * @throws Error if the client disconnects first
   */
  async enter(who: TenantCaller, client: EventEmitter): Promise<() => void> {
    if (this.#waiting.size > 0 || this.#isTaken || this.#leftMs() > 0)
      await this.#turn(who, client);
    else this.#take();
    const read = Symbol('read');
    this.#open.set(read, performance.now());
    return () => {
      if (this.#open.delete(read)) this.#schedule();
    };
  }

  async #turn(who: TenantCaller, client: EventEmitter): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.remove(who, resolve);
      reject(new Error('the client disconnected'));
    };
    client.once('close', leave);
    this.#waiting.add(who, resolve);
    this.#schedule();
    try {
      await promise;
    } finally {
      client.off('close', leave);
    }
  }

  /** Prevents all other requests from beginning in this turn of the event loop. */
  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = false;
      this.#schedule();
    });
  }

  /** Returns for how long no further request may begin, unless an answer is completed earlier. */
  #leftMs(): number {
    const { nowMs, busyMs } = this.#loopTime();
    if (nowMs >= this.#window.endsMs)
      this.#window = { endsMs: nowMs + HTTP_LIMITS.loopWindowMs, busyMs };
    const isOver = busyMs - this.#window.busyMs >= this.#busyMsMax;
    return isOver ? this.#window.endsMs - nowMs : this.#slotMs(nowMs);
  }

  /**
   * Returns for how long no slot is free. A read that has run for longer than a window waits for the database and no
   * longer counts.
   */
  #slotMs(nowMs: number): number {
    if (this.#open.size < HTTP_LIMITS.readsAtOnce) return 0;
    const [[read, beganMs] = [Symbol('none'), nowMs]] = this.#open;
    const leftMs = beganMs + HTTP_LIMITS.loopWindowMs - nowMs;
    if (leftMs <= 0) this.#open.delete(read);
    return Math.max(0, leftMs);
  }

  #schedule(): void {
    if (this.#waiting.size === 0 || this.#isTaken) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const leftMs = this.#leftMs();
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#schedule(), leftMs);
      return;
    }
    this.#take();
    this.#waiting.take()?.();
  }
}

/**
 * Counts refused requests without a caller in the current second, by address. The first ones are answered in full;
 * further requests of the address in that second are refused at little cost. If many addresses are refused, each of
 * them has only one refusal per second, so that no client can use up the refusals of other addresses.
 */
export class RefusalPace {
  readonly #max: { readonly ofAddress: number; readonly ofAll: number };
  readonly #nowMs: () => number;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #endsMs = 0;

  /**
   * @param max refusals per second
   * @param nowMs a clock that does not go back
   */
  constructor(
    max: { readonly ofAddress: number; readonly ofAll: number },
    nowMs: () => number = () => performance.now(),
  ) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /** The limit as it is shown to callers. */
  get told(): ToldPolicy {
    const { ofAddress } = this.#max;
    return { policy: 'refusals', quota: ofAddress, unit: 'requests', windowMs: SECOND_MS };
  }

  count(address: string): void {
    this.#renew();
    const ofAddress = this.#counts.get(address) ?? 0;
    // Requests that begin at the same time may exceed the limit of their address, and then count for it only.
    if (ofAddress < this.#max.ofAddress) this.#all += 1;
    this.#counts.set(address, ofAddress + 1);
  }

  /** Whether requests of this address have been refused too often in this second to read the next one. */
  isSpent(address: string): boolean {
    this.#renew();
    const max = this.#all < this.#max.ofAll ? this.#max.ofAddress : 1;
    return (this.#counts.get(address) ?? 0) >= max;
  }

  /** Whether any address may have reached its limit. While this is false, `isSpent` need not be checked. */
  get isNear(): boolean {
    return this.#all >= this.#max.ofAddress;
  }

  #renew(): void {
    if (this.#nowMs() < this.#endsMs) return;
    this.#endsMs = this.#nowMs() + SECOND_MS;
    this.#counts.clear();
    this.#all = 0;
  }
}

/*
 * The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11. The names of policies are
 * strings in structured fields (RFC 9651); ours contain only letters and hyphens.
 */

/** A limit as it is shown to callers. */
export interface ToldPolicy {
  readonly policy: string;
  readonly quota: number;
  /** The unit of the limit. */
  readonly unit: 'requests' | 'concurrent-requests' | 'content-bytes';
  /** The window of the limit. @default the window of rates if the unit is requests */
  readonly windowMs?: number;
}

// A time is a fraction, so a difference of two times may be slightly more than a whole second.
const inS = (ms: number): number => Math.max(1, Math.ceil(Math.round(ms) / 1_000));

function policyItem({ policy, quota, unit, windowMs }: ToldPolicy): string {
  const usualMs = unit === 'requests' ? HTTP_LIMITS.rateWindowMs : undefined;
  const window = windowMs ?? usualMs;
  const parts = [
    `"${policy}"`,
    `q=${quota}`,
    ...(unit === 'requests' ? [] : [`qu="${unit}"`]),
    ...(window === undefined ? [] : [`w=${inS(window)}`]),
  ];
  return parts.join(';');
}

/** Returns the headers that show the limits of a request, and what remains of the tightest one. */
export const limitHeaders = (
  policies: readonly ToldPolicy[],
  { policy, left, afterMs }: Allowance,
): Readonly<Record<string, string>> => ({
  'ratelimit-policy': policies.map(policyItem).join(', '),
  ratelimit: `"${policy}";r=${Math.max(0, left)};t=${inS(afterMs)}`,
});

/** Sets the headers that show the limits of a request, and what remains of the tightest one. */
export const tellLimits = (
  reply: FastifyReply,
  policies: readonly ToldPolicy[],
  tightest: Allowance,
): void => void reply.headers(limitHeaders(policies, tightest));

/** Returns the headers for a request that exceeds a limit. */
export const exceededHeaders = (
  told: ToldPolicy,
  afterMs: number,
): Readonly<Record<string, string>> => ({
  'retry-after': String(inS(afterMs)),
  ...limitHeaders([told], { policy: told.policy, left: 0, afterMs }),
});

/** Sets the retry delay of an exceeded limit as a header. @returns the delay in seconds */
export function tellRetry(
  reply: FastifyReply,
  policies: readonly ToldPolicy[],
  policy: string,
  afterMs: number,
): number {
  tellLimits(reply, policies, { policy, left: 0, afterMs });
  void reply.header('retry-after', String(inS(afterMs)));
  return inS(afterMs);
}
