import type { ChangeFilter } from '../../domain/change-filter.ts';
import type { Change, ChangeState } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import type { Pause } from '../../domain/pause.ts';
import type { Grouping } from '../../domain/grouping.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';
import type { Count, Order } from '../ports/views.ts';
import type { TimeWindow } from './time-window.ts';

/** Position in a list that is ordered by time of acceptance. */
export interface ChangePosition {
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly id: string;
}

export interface ChangeQuery {
  readonly scope: OpsScope;
  readonly filter: ChangeFilter;
  readonly order: Order;
  readonly after?: ChangePosition;
  readonly limit: number;
}

export interface FoundChange {
  readonly change: Change;
  /** The pause that holds the change back, and that a person can end. */
  readonly pause: Pause | null;
  /** The fingerprint of the change's failure. */
  readonly failure: string | null;
  /** The number of submissions, including those that do not count against the budget. */
  readonly submissions: number;
  /** The ledger's code: the code in the change's error or, while the change is open, in its newest answer. */
  readonly ledgerCode: string | null;
}

export interface ChangeCounts {
  readonly total: Count;
  /**
   * The groups, the largest first. The key is `null` for changes that lack the grouped property, for example the code
   * of changes that the ledger has not refused.
   */
  readonly groups: readonly (Count & {
    readonly key: string | null;
    /** For groups by time: the number of changes by state. */
    readonly states?: Readonly<Partial<Record<ChangeState, number>>>;
  })[];
}

export interface CountQuery extends Pick<ChangeQuery, 'scope' | 'filter'> {
  readonly groupBy: Grouping | null;
}

/**
 * Searches and counts changes. Each call has a time limit.
 *
 * @throws ProblemError `SEARCH_TOO_BROAD` if the limit is exceeded
 */
export interface ChangeSearch {
  find(query: ChangeQuery, io: Io): Promise<readonly FoundChange[]>;
  count(query: CountQuery, io: Io): Promise<ChangeCounts>;
  /** Counts the changes accepted in each step of a time window, the earliest step first. The counts are exact. */
  countByTime(
    query: Pick<ChangeQuery, 'scope'> & { readonly window: TimeWindow },
    io: Io,
  ): Promise<ChangeCounts>;
  /**
   * Returns when a change reached the head of its lane, and thereby the outbox. ISO 8601; `null` before that, and after
   * this time was pruned.
   */
  turnOf(change: ChangeId, io: Io): Promise<string | null>;
}
