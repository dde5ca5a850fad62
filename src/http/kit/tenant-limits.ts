import type { FastifyReply } from 'fastify';
import type { TenantCaller } from '../../domain/turns.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { HTTP_LIMITS } from '../limits.ts';

/* What limits count: requests over time, requests that are open at a time, and bytes of their bodies. */

/** What one request costs its limits, and what is left of the tightest one. */
export interface Allowance {
  /** The policy with the fewest requests left. */
  readonly policy: string;
  readonly left: number;
  /** Until the policy allows one more; the request is refused if `left` is below zero. */
  readonly afterMs: number;
}

/** One limit that a request counts against. */
export interface RatePolicy {
  readonly policy: string;
  /** The one that is counted. */
  readonly key: string;
  /** Requests a minute. */
  readonly perMinute: number;
}

/** Requests of one key since the window began. */
interface Window {
  count: number;
  readonly endsMs: number;
}

/** Requests over time. Each key has a window of a minute that begins with its first request. */
export class Rates {
  readonly #windows = new Map<string, Window>();
  readonly #nowMs: () => number;

  /** @param nowMs a clock that does not go back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts one request against all of the policies, or, if one of them has none left, against none. */
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
    // In the order of the last use; the oldest makes room.
    this.#windows.delete(of);
    this.#windows.set(of, window);
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > HTTP_LIMITS.rateKeysMax && oldest.done !== true)
      this.#windows.delete(oldest.value);
    return window;
  }
}

/** How many of one kind a tenant, and a caller of it, may have open at a time. */
export interface PlacesMax {
  readonly ofTenant: number;
  readonly ofCaller: number;
}

/** What is open at a time, counted by tenant and, within it, by subject. */
export class Places {
  readonly #tenants = new Map<string, Map<string, number>>();
  #all = 0;

  /** How many are open. */
  get size(): number {
    return this.#all;
  }

  /** @returns gives the place back, or tells whose limit is reached */
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

/** The room that the body of one request takes. */
export interface HeldRoom {
  /** Keeps less than the request was thought to need. */
  shrink(bytes: number): void;
  release(): void;
}

/** Bytes of the bodies of requests that are open, counted by tenant and, over all tenants, by process. */
export class BodyRoom {
  readonly #tenants = new Map<string, number>();
  #all = 0;

  /** @returns the room, or whose limit is reached */
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

/**
 * Refused requests of strangers in the current second, by address. The first so many are answered in full; whatever an
 * address sends beyond them in the second is turned away at little cost.
 */
export class RefusalPace {
  readonly #max: { readonly ofAddress: number; readonly ofAll: number };
  readonly #nowMs: () => number;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #endsMs = 0;

  /**
   * @param max refusals in a second
   * @param nowMs a clock that does not go back
   */
  constructor(
    max: { readonly ofAddress: number; readonly ofAll: number },
    nowMs: () => number = () => performance.now(),
  ) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  count(address: string): void {
    this.#renew();
    this.#all += 1;
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
  }

  /** Whether this address, or all addresses together, have been refused so often that the next request is not read. */
  isSpent(address: string): boolean {
    this.#renew();
    return this.#all >= this.#max.ofAll || (this.#counts.get(address) ?? 0) >= this.#max.ofAddress;
  }

  /** Without this, no address needs to be looked at. */
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
 * The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11. Names of policies are
 * strings of structured fields (RFC 9651); ours have only letters and hyphens.
 */

/** A limit as callers are told of it. */
export interface ToldPolicy {
  readonly policy: string;
  readonly quota: number;
  /** What is counted. */
  readonly unit: 'requests' | 'concurrent-requests' | 'content-bytes';
}

const inS = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

function policyItem({ policy, quota, unit }: ToldPolicy): string {
  const counted = unit === 'requests' ? `w=${inS(HTTP_LIMITS.rateWindowMs)}` : `qu="${unit}"`;
  return `"${policy}";q=${quota};${counted}`;
}

/** Tells which limits a request counts against, and what is left of the tightest one. */
export function tellLimits(
  reply: FastifyReply,
  policies: readonly ToldPolicy[],
  tightest: { readonly policy: string; readonly left: number; readonly afterMs: number },
): void {
  const { policy, left, afterMs } = tightest;
  void reply.headers({
    'ratelimit-policy': policies.map(policyItem).join(', '),
    ratelimit: `"${policy}";r=${Math.max(0, left)};t=${inS(afterMs)}`,
  });
}

/** Tells when to come back to a limit that is used up. @returns that, in seconds */
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
