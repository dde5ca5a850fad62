import type { FastifyReply } from 'fastify';
import type { TenantCaller } from '../../domain/turns.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { HTTP_LIMITS } from '../limits.ts';

/* The units of limits: requests over time, open requests, and bytes of their bodies. */

/** The cost of one request for its limits, and the rest of the tightest limit. */
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
  /** The key that is counted. */
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
    // In the order of the last use; the oldest is evicted.
    this.#windows.delete(of);
    this.#windows.set(of, window);
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > HTTP_LIMITS.rateKeysMax && oldest.done !== true)
      this.#windows.delete(oldest.value);
    return window;
  }
}

/** The limits of a tenant, and of each of its callers, for open requests of one kind. */
export interface PlacesMax {
  readonly ofTenant: number;
  readonly ofCaller: number;
}

/** Open requests, counted by tenant and, within the tenant, by subject. */
export class Places {
  readonly #tenants = new Map<string, Map<string, number>>();
  #all = 0;

  /** The number of open requests. */
  get size(): number {
    return this.#all;
  }

  /** @returns a function that releases the place, or the kind of limit that is reached */
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

/** The reserved room for the body of one request. */
export interface HeldRoom {
  /** Keeps less room than was reserved. */
  shrink(bytes: number): void;
  release(): void;
}

/** Bytes of the bodies of open requests, counted by tenant and, over all tenants, by process. */
export class BodyRoom {
  readonly #tenants = new Map<string, number>();
  #all = 0;

  /** @returns the room, or the kind of limit that is reached */
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
 * Refused requests of strangers in the current second, by address. A first number of them is answered in full; further
 * requests of an address in that second are refused at little cost.
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

  /** The limit as callers see it. */
  get told(): ToldPolicy {
    const { ofAddress } = this.#max;
    return { policy: 'refusals', quota: ofAddress, unit: 'requests', windowMs: SECOND_MS };
  }

  count(address: string): void {
    this.#renew();
    this.#all += 1;
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
  }

  /**
   * Whether this address, or all addresses together, have been refused too often, so that the next request is not read.
   */
  isSpent(address: string): boolean {
    this.#renew();
    return this.#all >= this.#max.ofAll || (this.#counts.get(address) ?? 0) >= this.#max.ofAddress;
  }

  /** While this is false, no address needs to be checked. */
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

/** A limit as callers see it. */
export interface ToldPolicy {
  readonly policy: string;
  readonly quota: number;
  /** The unit of the limit. */
  readonly unit: 'requests' | 'concurrent-requests' | 'content-bytes';
  /** @default the window of rates, for requests only */
  readonly windowMs?: number;
}

const inS = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

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

/** Returns the headers that name the limits of a request, and the rest of the tightest limit. */
export const limitHeaders = (
  policies: readonly ToldPolicy[],
  { policy, left, afterMs }: Allowance,
): Readonly<Record<string, string>> => ({
  'ratelimit-policy': policies.map(policyItem).join(', '),
  ratelimit: `"${policy}";r=${Math.max(0, left)};t=${inS(afterMs)}`,
});

/** Sets the headers that name the limits of a request, and the rest of the tightest limit. */
export const tellLimits = (
  reply: FastifyReply,
  policies: readonly ToldPolicy[],
  tightest: Allowance,
): void => void reply.headers(limitHeaders(policies, tightest));

/** Returns the headers of a request that exceeds a limit. */
export const exceededHeaders = (
  told: ToldPolicy,
  afterMs: number,
): Readonly<Record<string, string>> => ({
  'retry-after': String(inS(afterMs)),
  ...limitHeaders([told], { policy: told.policy, left: 0, afterMs }),
});

/** Sets the header with the retry delay of a used-up limit. @returns the delay in seconds */
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
