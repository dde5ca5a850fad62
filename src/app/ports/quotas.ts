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

/** All that one tenant uses. */
export interface TenantUse extends QuotaUse {
  readonly party: Party;
  readonly webhooks: number;
}

export interface TenantUseQuery extends DayOfComments {
  readonly scope: OpsScope;
  /** The last party of the page before. */
  readonly after?: Party;
  readonly limit: number;
}

export interface TenantUses {
  /**
   * The tenants that use something, by party. The provider is none.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: TenantUseQuery, io: Io): Promise<readonly TenantUse[]>;
}
