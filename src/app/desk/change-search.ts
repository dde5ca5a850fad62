import type { ChangeFilter } from '../../domain/change-filter.ts';
import type { Change, ChangeState } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import type { Pause } from '../../domain/pause.ts';
import type { Grouping } from '../../domain/grouping.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';
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
  /** The fingerprint of the failure that it ended with. */
  readonly failure: string | null;
  /** Submissions, counted against the budget or not. */
  readonly submissions: number;
  /** The ledger's code: of its error, or of the newest answer while it is open. */
  readonly ledgerCode: string | null;
}

/** Exact, or with `more` the least that it is. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

export interface ChangeCounts {
  readonly total: Count;
  /** The largest first; `null` is what has none, such as changes that the ledger has not refused. */
  readonly groups: readonly (Count & {
    readonly key: string | null;
    /** Where they are grouped by time: how many there are in each state that there is. */
    readonly states?: Readonly<Partial<Record<ChangeState, number>>>;
  })[];
}

export interface CountQuery extends Pick<ChangeQuery, 'scope' | 'filter'> {
  readonly groupBy: Grouping | null;
}

/**
 * Finds changes. Each call is bounded in time.
 *
 * @throws ProblemError `SEARCH_TOO_BROAD` when that was too little
 */
export interface ChangeSearch {
  find(query: ChangeQuery, io: Io): Promise<readonly FoundChange[]>;
  count(query: CountQuery, io: Io): Promise<ChangeCounts>;
  /** Counts the changes accepted in each step of a window, the earliest step first. Exact. */
  countByTime(
    query: Pick<ChangeQuery, 'scope'> & { readonly window: TimeWindow },
    io: Io,
  ): Promise<ChangeCounts>;
  /** When a change reached the head of its lane, and so the outbox: ISO 8601. `null`: not yet, or long ago. */
  turnOf(change: ChangeId, io: Io): Promise<string | null>;
}
