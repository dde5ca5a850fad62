import type { RateLimits } from '../http/kit/rate-limits.ts';
import type { Environment } from './environment.ts';

/** Returns the rate limits. A setting of 0 means that there is no limit. */
export const rateLimitsOf = (env: Environment): RateLimits => ({
  perTenant: env.TENURE_TENANT_RATE_LIMIT || null,
  perCaller: env.TENURE_RATE_LIMIT || null,
  perAddress: env.TENURE_RATE_LIMIT_ANONYMOUS || null,
  readsPerTenant: env.TENURE_TENANT_READS || null,
  writesPerTenant: env.TENURE_TENANT_WRITES || null,
  readTimePercent: env.TENURE_READ_TIME || null,
  streamsPerTenant: env.TENURE_TENANT_STREAMS || null,
  failuresPerAddress: env.TENURE_FAILED_AUTHENTICATIONS || null,
  connectionsPerAddress: env.TENURE_CONNECTIONS_PER_ADDRESS || null,
});
