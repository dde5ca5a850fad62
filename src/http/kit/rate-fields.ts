import type { FastifyReply } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';

/*
 * The fields `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11. Names of policies are
 * strings of structured fields (RFC 9651); ours have only letters and hyphens.
 */

/** A limit as callers are told of it. */
export interface ToldPolicy {
  readonly policy: string;
  readonly quota: number;
  /** What is counted. */
  readonly unit: 'requests' | 'concurrent-requests';
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
