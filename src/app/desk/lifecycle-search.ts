import type { Party } from '../../domain/ids.ts';
import type { Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import type { Count } from '../ports/views.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';

/** A filter of active lifecycles: all given conditions must hold. */
export interface LifecycleFilter {
  readonly scope: OpsScope;
  readonly kind?: LifecycleKind;
  readonly state?: string;
  /** Its provider or its user. */
  readonly party?: Party;
  readonly user?: Party;
  readonly provider?: Party;
  /** Begun at or after, and before, these ledger times; ISO 8601. */
  readonly from?: string;
  readonly before?: string;
}

/** Position in the order of age. */
export type LifecyclePosition = Pick<Lifecycle, 'createdAt' | 'id'>;

export interface LifecycleQuery extends LifecycleFilter {
  /** The oldest first by default. */
  readonly order?: 'newest' | 'oldest';
  readonly after?: LifecyclePosition;
  readonly limit: number;
}

export interface FoundLifecycle {
  readonly lifecycle: Lifecycle;
  /** The time since which it has its state, by its history; ISO 8601. */
  readonly stateSince: string;
}

export interface LifecycleCount extends Count {
  readonly kind: LifecycleKind;
  readonly state: string;
  /** The beginning of the oldest lifecycle. ISO 8601. */
  readonly oldestAt: string;
}

/** Finds active lifecycles. @throws ProblemError `SEARCH_TOO_BROAD` */
export interface LifecycleSearch {
  /** Finds lifecycles in the order of their age. */
  find(query: LifecycleQuery, io: Io): Promise<readonly FoundLifecycle[]>;
  /** Counts the lifecycles of each kind and state. */
  count(filter: LifecycleFilter, io: Io): Promise<readonly LifecycleCount[]>;
}
