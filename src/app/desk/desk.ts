import type { BookReads } from '../ports/books.ts';
import type { AuditLog } from './audit-log.ts';
import type { ChangeSearch } from './change-search.ts';
import type { Costs } from '../ports/costs.ts';
import type { FailureList } from './failure-list.ts';
import type { SeenSynchronizer } from './give-up-synchronizer.ts';
import type { LifecycleSearch } from './lifecycle-search.ts';
import type { TenantUses } from '../ports/quotas.ts';
import type { Io } from '../ports/io.ts';
import type { LeaseView } from '../ports/reads.ts';

/** How far a stream has been applied. Times are ISO 8601. */
export interface StreamPosition {
  readonly stream: string;
  readonly offset: bigint;
  /** The store has everything that happened after this offset. */
  readonly oldest: bigint;
  /** The record time of the newest applied element, if the stream reports times. */
  readonly recordTime: string | null;
  /** The number of operations that the database has lost, but whose effects the stream has reported. */
  readonly lost: number;
  /** Why requests for the participant are held; `null` if they are not. */
  readonly held: string | null;
}

/** The last record time that a participant has reported for a synchronizer. Times are ISO 8601. */
export interface SynchronizerPosition extends SeenSynchronizer {
  readonly toldAt: string;
  /**
   * The record time at which a person gave the synchronizer up; `null` if it is not given up, or has been reported
   * again since.
   */
  readonly givenUpAt: string | null;
}

/** The state of the whole deployment, including the changes of all parties. */
export interface Upkeep {
  streams(io: Io): Promise<readonly StreamPosition[]>;
  synchronizers(io: Io): Promise<readonly SynchronizerPosition[]>;
  leases(io: Io): Promise<readonly (LeaseView & { readonly name: string })[]>;
}

/** The ports through which the operations desk reads, in addition to those that all callers use. */
export interface Desk {
  readonly changes: ChangeSearch;
  readonly failures: FailureList;
  readonly lifecycles: LifecycleSearch;
  readonly audit: AuditLog;
  readonly costs: Costs;
  readonly tenantUses: TenantUses;
  readonly upkeep: Upkeep;
  /** The ports for payments and statistics. */
  readonly books: BookReads;
}
