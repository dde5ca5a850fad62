import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';

/** A tenant's use of its limited resources. */
export interface QuotaUse {
  readonly openOperations: number;
  readonly commentsPerDay: number;
}

/** The operations that are comments, and the beginning of the day whose comments count, ISO 8601. */
export interface DayOfComments {
  readonly comments: readonly string[];
  readonly since: string;
}

/** Up to which number the use of a tenant is counted; 0 to skip it. */
export interface QuotaBounds extends DayOfComments, QuotaUse {}

/** Requests the traffic of operations that a tenant requested at this instant, ISO 8601, or later. */
export interface TrafficQuery {
  readonly party: Party;
  readonly since: string;
}

/** Bytes that participants paid for the attempts of these operations. */
export interface Traffic {
  readonly party: Party;
  readonly bytes: number;
  /** The part of operations from before `settledUntil`, ISO 8601; all of these have ended. */
  readonly settledBytes: number;
  readonly settledUntil: string;
}

/** The complete use of one tenant. */
export interface TenantUse extends QuotaUse {
  readonly party: Party;
  readonly webhooks: number;
  /** Bytes of the day; 0 unless the query requests them. */
  readonly trafficPerDay: number;
}

export interface TenantUseQuery extends DayOfComments {
  readonly scope: OpsScope;
  /** The last party of the previous page. */
  readonly after?: Party;
  readonly limit: number;
  readonly withTraffic: boolean;
}

export interface TenantUses {
  /**
   * Returns the tenants with any use, by party. The provider is not a tenant.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: TenantUseQuery, io: Io): Promise<readonly TenantUse[]>;
}
