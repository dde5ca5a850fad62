import type { RateLimits } from '../http/kit/rate-limits.ts';
import type { Environment } from './environment.ts';
import { corsOriginsOf } from './cors-settings.ts';
import { rateLimitsOf } from './rate-limits.ts';

/** Limits for callers, and the other origins whose pages may call the API. */
export const httpLimitsOf = (
  env: Environment,
): { readonly rateLimits: RateLimits; readonly corsOrigins: ReadonlySet<string> } => ({
  rateLimits: rateLimitsOf(env),
  corsOrigins: corsOriginsOf(env),
});
