import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { forwardedOf } from './public-address.ts';
import type { ToldPolicy } from './tenant-limits.ts';
import { tellLimits, tellRetry } from './tenant-limits.ts';
import type { HttpApp } from './request-context.ts';
import { callerOf, isSafeMethod } from './request-context.ts';
import type { RatePolicy } from './tenant-limits.ts';
import { Places, Rates } from './tenant-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false`: requests of the route are not counted. */
    readonly rateLimit?: false;
  }
}

/** What each of them may have. `null`: as much as it likes. */
export interface RateLimits {
  /** Requests a minute of one tenant, and of one caller of it. */
  readonly perTenant: number | null;
  readonly perCaller: number | null;
  /** Requests a minute of an address, on routes that need no token. */
  readonly perAddress: number | null;
  /** Requests of one tenant that are open at a time. One caller may have half of them. */
  readonly readsPerTenant: number | null;
  readonly writesPerTenant: number | null;
  /** Streams of events of one tenant that are open at a time. */
  readonly streamsPerTenant: number | null;
  /** Not requests but failed authentications, of one address. */
  readonly failuresPerAddress: number | null;
  /** Not requests but open connections, of one address that is no trusted proxy. */
  readonly connectionsPerAddress: number | null;
}

/** The part of a limit of the whole deployment that this process may give. */
export type LimitShare = (limit: number) => number;

/** Groups of an IPv6 address, all eight of them, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [bare = ''] = address.split('%');
  const [left = [], right = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

/** What an address counts as: an IPv4 address, also where it is written as IPv6, or an IPv6 network of 64 bits. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::`;
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

/** Where a request comes from, as trusted proxies say: an address, or an IPv6 network. */
export function addressOf(request: FastifyRequest): string {
  const { address } = forwardedOf(request);
  // A proxy may pass on anything.
  return isIP(address) === 0 ? 'nowhere' : networkOf(address);
}

interface RateLimit {
  readonly policy: string;
  readonly key: string;
  readonly quota: number | null;
}

const TOLD_AS = {
  tenant: 'of your tenant',
  caller: 'of one caller',
  address: 'of one address',
} as const;

/** @throws ProblemError `RATE_LIMITED` before any work is done */
function countRate(
  rates: Rates,
  share: LimitShare,
  reply: FastifyReply,
  limits: readonly RateLimit[],
): void {
  const set = limits.flatMap((limit) =>
    limit.quota === null ? [] : [{ ...limit, quota: limit.quota }],
  );
  const policies = set.map<RatePolicy>(({ policy, key, quota }) => ({
    policy,
    key,
    perMinute: share(quota),
  }));
  const allowance = rates.take(policies);
  if (allowance === null) return;
  const told = set.map<ToldPolicy>(({ policy, quota }) => ({ policy, quota, unit: 'requests' }));
  if (allowance.left >= 0) {
    tellLimits(reply, told, allowance);
    return;
  }
  const afterS = tellRetry(reply, told, allowance.policy, allowance.afterMs);
  const { quota = 0 } = set.find(({ policy }) => policy === allowance.policy) ?? {};
  const whose = TOLD_AS[allowance.policy as keyof typeof TOLD_AS];
  fail(
    'RATE_LIMITED',
    `no more than ${quota} requests ${whose} a minute; the next is taken in ${afterS} s`,
  );
}

interface OpenRequests {
  readonly kind: 'reads' | 'writes';
  readonly places: Places;
  readonly max: number | null;
}

/** @throws ProblemError `RATE_LIMITED` before any work is done */
function holdPlace(
  { kind, places, max }: OpenRequests,
  share: LimitShare,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (max === null) return;
  const ofTenant = share(max);
  const place = places.take(callerOf(request), { ofTenant, ofCaller: Math.ceil(ofTenant / 2) });
  if (typeof place === 'function') {
    reply.raw.once('finish', place).once('close', place);
    return;
  }
  const quota = place === 'tenant' ? max : Math.ceil(max / 2);
  const policy = `${place}-${kind}`;
  const told: ToldPolicy = { policy, quota, unit: 'concurrent-requests' };
  const afterS = tellRetry(reply, [told], policy, HTTP_LIMITS.retryAfterMs);
  fail(
    'RATE_LIMITED',
    `no more than ${quota} ${kind} ${TOLD_AS[place]} at a time; come again in ${afterS} s`,
  );
}

/** Limits the callers of a scope, tenants first, once each is known and before a body is read. */
export function limitCallers(app: HttpApp, limits: RateLimits, share: LimitShare): void {
  const rates = new Rates();
  const [reads, writes] = [new Places(), new Places()];
  app.addHook('onRequest', async (request, reply) => {
    const { party, subject } = callerOf(request);
    countRate(rates, share, reply, [
      { policy: 'tenant', key: party, quota: limits.perTenant },
      { policy: 'caller', key: `${party} ${subject}`, quota: limits.perCaller },
    ]);
    // Streams stay open, and have a limit of their own.
    if (request.routeOptions.config.produces === 'text/event-stream') return;
    const open: OpenRequests = isSafeMethod(request.method)
      ? { kind: 'reads', places: reads, max: limits.readsPerTenant }
      : { kind: 'writes', places: writes, max: limits.writesPerTenant };
    holdPlace(open, share, request, reply);
  });
}

/** Limits the addresses of requests that need no token. */
export function createAddressLimit(
  { perAddress }: RateLimits,
  share: LimitShare,
): (app: HttpApp) => void {
  const rates = new Rates();
  return (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config.rateLimit === false || request.is404) return;
      const key = addressOf(request);
      countRate(rates, share, reply, [{ policy: 'address', key, quota: perAddress }]);
    });
  };
}

/** Limits the licence keys of a scope, each as one caller, before a key is looked up. */
export function limitLicenseKeys(app: HttpApp, { perCaller }: RateLimits, share: LimitShare): void {
  const rates = new Rates();
  app.addHook('onRequest', async (request, reply) => {
    const key = hash('sha256', request.headers.authorization ?? '', 'base64');
    countRate(rates, share, reply, [{ policy: 'caller', key, quota: perCaller }]);
  });
}
