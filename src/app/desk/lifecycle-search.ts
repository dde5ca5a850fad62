import type { Party } from '../../domain/ids.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import type { Count, Order } from '../ports/views.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';

/** Selects active lifecycles that meet all given conditions. */
export interface LifecycleFilter {
  readonly scope: OpsScope;
  readonly kind?: LifecycleKind;
  readonly state?: string;
  /** A party that is provider or user of the lifecycle. */
  readonly party?: Party;
  readonly user?: Party;
  readonly provider?: Party;
  /** Begun at or after the first ledger time, and before the second; ISO 8601. */
  readonly from?: string;
  readonly before?: string;
}

/** Position in a list that is ordered by age. */
export type LifecyclePosition = Pick<Lifecycle, 'createdAt' | 'id'>;

export interface LifecycleQuery extends LifecycleFilter {
  /** The oldest first by default. */
  readonly order?: Order;
  readonly after?: LifecyclePosition;
  readonly limit: number;
}

export interface FoundLifecycle {
  readonly lifecycle: Lifecycle;
  /** When the lifecycle entered its current state, according to its history; ISO 8601. */
  readonly stateSince: string;
}

export interface LifecycleCount extends Count {
  readonly kind: LifecycleKind;
  readonly state: string;
  /** When the oldest of these lifecycles began. ISO 8601. */
  readonly oldestAt: string;
}

/** Finds active lifecycles. @throws ProblemError `SEARCH_TOO_BROAD` */
export interface LifecycleSearch {
  /** Returns lifecycles ordered by age. */
  find(query: LifecycleQuery, io: Io): Promise<readonly FoundLifecycle[]>;
  /** Counts the lifecycles of each kind and state. */
  count(filter: LifecycleFilter, io: Io): Promise<readonly LifecycleCount[]>;
}
