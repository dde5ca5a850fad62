import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';

/** How much a tenant uses of what its operations are limited by. */
export interface QuotaUse {
  readonly openOperations: number;
  readonly commentsPerDay: number;
}

/** Which operations are comments, and the begin of the day whose comments count, ISO 8601. */
export interface DayOfComments {
  readonly comments: readonly string[];
  readonly since: string;
}

/** How far the use of a tenant is counted; 0: not at all. */
export interface QuotaBounds extends DayOfComments, QuotaUse {}

/** Asks for the traffic of operations that a tenant asked for at this instant, ISO 8601, or after. */
export interface TrafficQuery {
  readonly party: Party;
  readonly since: string;
}

/** Bytes that participants paid for the attempts of these operations. */
export interface Traffic {
  readonly party: Party;
  readonly bytes: number;
  /** The part of operations from before `settledUntil`, ISO 8601, all of which have ended. */
  readonly settledBytes: number;
  readonly settledUntil: string;
}

/** All that one tenant uses. */
export interface TenantUse extends QuotaUse {
  readonly party: Party;
  readonly webhooks: number;
  /** Bytes of the day; 0 unless the query asks for them. */
  readonly trafficPerDay: number;
}

export interface TenantUseQuery extends DayOfComments {
  readonly scope: OpsScope;
  /** The last party of the page before. */
  readonly after?: Party;
  readonly limit: number;
  readonly withTraffic: boolean;
}

export interface TenantUses {
  /**
   * The tenants that use something, by party. The provider is none.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: TenantUseQuery, io: Io): Promise<readonly TenantUse[]>;
}
