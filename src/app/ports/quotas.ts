import type { Party } from '../../domain/ids.ts';
import type { Io } from './io.ts';
import type { OpsScope } from './ops-scope.ts';

/** A tenant's use of its limited resources. */
export interface QuotaUse {
  readonly openOperations: number;
  readonly commentsPerDay: number;
}

/** The operations that count as comments, and the beginning of the day whose comments are counted, ISO 8601. */
export interface DayOfComments {
  readonly comments: readonly string[];
  readonly since: string;
}

/** The number up to which each use of a tenant is counted; 0 to skip the count. */
export interface QuotaBounds extends DayOfComments, QuotaUse {}

/** Selects the operations that a tenant requested at this instant or later, ISO 8601. */
export interface TrafficQuery {
  readonly party: Party;
  readonly since: string;
}

/** Bytes that participants paid for the attempts of the selected operations. */
export interface Traffic {
  readonly party: Party;
  readonly bytes: number;
  /**
   * The part of `bytes` that belongs to operations from before `settledUntil`, ISO 8601; all these operations have
   * ended.
   */
  readonly settledBytes: number;
  readonly settledUntil: string;
}

/** The complete use of one tenant. */
export interface TenantUse extends QuotaUse {
  readonly party: Party;
  readonly webhooks: number;
  /** Bytes used on the current day; 0 unless the query requests them. */
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
   * Returns the tenants that use anything, ordered by party. The provider is not a tenant.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: TenantUseQuery, io: Io): Promise<readonly TenantUse[]>;
}
