import { isIP } from 'node:net';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';
import { ProblemError, problem } from '../../domain/problems.ts';
import { forwardedOf } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/** Requests that one of them may make in a minute; `null`: as many as it likes. */
export interface RateLimits {
  readonly perCaller: number | null;
  /** Of those who need not say who they are. */
  readonly perAddress: number | null;
  /** Not requests but failed authentications, of one address. */
  readonly failuresPerAddress: number | null;
  /** Not requests but open connections, of one address that is no trusted proxy. */
  readonly connectionsPerAddress: number | null;
}

const limitFor = (request: FastifyRequest, limits: RateLimits): number | null =>
  request.caller === null ? limits.perAddress : limits.perCaller;

/**
 * Who is counted: a person or program of a party, however often it gets a new token; else an address or IPv6 network.
 */
function keyOf(request: FastifyRequest): string {
  if (request.caller !== null) return `${request.caller.party} ${request.caller.subject}`;
  return addressOf(request);
}

/** Where a request comes from, as trusted proxies say: an address, or an IPv6 network. */
export function addressOf(request: FastifyRequest): string {
  const { address } = forwardedOf(request);
  // A proxy may pass on anything.
  return isIP(address) === 0 ? 'nowhere' : normalizeIP(address);
}

/**
 * Limits the routes that are registered after it, each process for itself. Counts once the caller is known, so that
 * nobody can use up what is another's.
 */
export async function limitRates(app: HttpApp, limits: RateLimits): Promise<void> {
  if (limits.perCaller === null && limits.perAddress === null) return;
  await app.register(rateLimit, {
    global: true,
    hook: 'onRequest',
    timeWindow: HTTP_LIMITS.rateWindowMs,
    cache: HTTP_LIMITS.rateKeysMax,
    enableDraftSpec: true,
    keyGenerator: keyOf,
    allowList: (request) => limitFor(request, limits) === null,
    max: (request) => limitFor(request, limits) ?? 0,
    errorResponseBuilder: (_request, { max, ttl }) =>
      new ProblemError(
        problem(
          'RATE_LIMITED',
          `no more than ${max} requests a minute; the next is taken in ${Math.ceil(ttl / 1_000)} s`,
        ),
      ),
  });
}
