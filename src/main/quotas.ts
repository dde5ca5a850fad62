import type { Quotas } from '../domain/quota.ts';
import { LIMITS } from '../domain/limits.ts';
import { limit } from './setting-kinds.ts';

/** Quotas of tenants, as documented in `.env.example`. */
export const QUOTA_SETTINGS = {
  TENURE_QUOTA_OPEN_OPERATIONS: limit(1_000_000, {
    default: 0,
    description: 'Operations of one tenant that may be open at a time; 0: any number',
  }),
  TENURE_QUOTA_COMMENTS_PER_DAY: limit(1_000_000, {
    default: 0,
    description: 'Comments that one tenant may make in a day, by UTC; 0: any number',
  }),
  TENURE_QUOTA_WEBHOOKS: limit(LIMITS.webhooksPerPartyMax, {
    default: 0,
    description: `Webhooks that one tenant may have; 0: ${LIMITS.webhooksPerPartyMax}, which is also the most`,
  }),
  TENURE_QUOTA_TRAFFIC_PER_DAY: limit(Number.MAX_SAFE_INTEGER, {
    default: 0,
    description:
      'Bytes of ledger traffic that operations of one tenant may cost in a day, by UTC; 0: any number',
  }),
};

export const quotasOf = (env: Readonly<Record<keyof typeof QUOTA_SETTINGS, number>>): Quotas => ({
  openOperations: env.TENURE_QUOTA_OPEN_OPERATIONS,
  commentsPerDay: env.TENURE_QUOTA_COMMENTS_PER_DAY,
  webhooks: env.TENURE_QUOTA_WEBHOOKS,
  trafficPerDay: env.TENURE_QUOTA_TRAFFIC_PER_DAY,
});
