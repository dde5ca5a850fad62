import { DAY_MS } from './time.ts';

/** The maximum use of one tenant; 0 means unlimited. The provider has no quotas. */
export interface Quotas {
  /** Open operations of the tenant's callers. */
  readonly openOperations: number;
  /** Comments of one UTC day that took effect or are still open. */
  readonly commentsPerDay: number;
  readonly webhooks: number;
  /** Bytes that participants paid for the attempts of the operations of one UTC day. */
  readonly trafficPerDay: number;
}

export const NO_QUOTAS: Quotas = {
  openOperations: 0,
  commentsPerDay: 0,
  webhooks: 0,
  trafficPerDay: 0,
};

/** Returns the beginning of the UTC day of an instant. Both are milliseconds since 1970. */
export const beginOfDay = (nowMs: number): number => nowMs - (nowMs % DAY_MS);
