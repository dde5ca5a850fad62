import type { ChangeFilter } from '../../domain/change-filter.ts';
import type { Change, ChangeState } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import type { Pause } from '../../domain/pause.ts';
import type { Grouping } from '../../domain/grouping.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';
import type { Count } from '../ports/views.ts';
import type { TimeWindow } from './time-window.ts';

/** Position in the order of acceptance. */
export interface ChangePosition {
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly id: string;
}

export interface ChangeQuery {
  readonly scope: OpsScope;
  readonly filter: ChangeFilter;
  readonly order: 'newest' | 'oldest';
  readonly after?: ChangePosition;
  readonly limit: number;
}

export interface FoundChange {
  readonly change: Change;
  /** The pause that blocks it and that a person can end. */
  readonly pause: Pause | null;
  /** The fingerprint of its failure. */
  readonly failure: string | null;
  /** The number of submissions, whether they count against the budget or not. */
  readonly submissions: number;
  /** The ledger's code: that of its error, or that of the newest answer while the change is open. */
  readonly ledgerCode: string | null;
}

export interface ChangeCounts {
  readonly total: Count;
  /**
   * The largest group first. The key is `null` for changes without one, such as those that the ledger has not
   * refused.
   */
  readonly groups: readonly (Count & {
    readonly key: string | null;
    /** For groups by time: the number of changes in each state that occurs. */
    readonly states?: Readonly<Partial<Record<ChangeState, number>>>;
  })[];
}

export interface CountQuery extends Pick<ChangeQuery, 'scope' | 'filter'> {
  readonly groupBy: Grouping | null;
}

/**
 * Finds changes. Each call has a time limit.
 *
 * @throws ProblemError `SEARCH_TOO_BROAD` when the limit is exceeded
 */
export interface ChangeSearch {
  find(query: ChangeQuery, io: Io): Promise<readonly FoundChange[]>;
  count(query: CountQuery, io: Io): Promise<ChangeCounts>;
  /** Counts the changes accepted in each step of a window, the earliest step first. Exact. */
  countByTime(
    query: Pick<ChangeQuery, 'scope'> & { readonly window: TimeWindow },
    io: Io,
  ): Promise<ChangeCounts>;
  /**
   * The time at which a change reached the head of its lane, and so the outbox. ISO 8601; `null` before that,
   * or once it is pruned.
   */
  turnOf(change: ChangeId, io: Io): Promise<string | null>;
}
