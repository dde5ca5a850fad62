import { DAY_MS } from './time.ts';

/** How much one tenant may use; 0: any amount. The provider has no quotas. */
export interface Quotas {
  /** Requests of the tenant's callers that have not ended. */
  readonly openOperations: number;
  /** Comments of one day, by UTC, that took effect or are open. */
  readonly commentsPerDay: number;
  readonly webhooks: number;
  /** Bytes that participants paid for attempts of the operations of one day, by UTC. */
  readonly trafficPerDay: number;
}

export const NO_QUOTAS: Quotas = {
  openOperations: 0,
  commentsPerDay: 0,
  webhooks: 0,
  trafficPerDay: 0,
};

/** When the day of an instant begins, by UTC. Both are milliseconds since 1970. */
export const beginOfDay = (nowMs: number): number => nowMs - (nowMs % DAY_MS);
