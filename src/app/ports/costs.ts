import type { Operation } from '../../domain/change.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import type { OpsScope } from './ops-scope.ts';
import type { Io } from './io.ts';

/** The traffic that attempts used on the network. */
export interface Cost {
  /** Traffic in bytes of the attempts whose cost the ledger has reported. */
  readonly bytes: bigint;
  /** Number of attempts whose cost is unknown, without attempts that were refused before they reached the network. */
  readonly unknown: number;
}

/** Groupings of costs. A day is the UTC day on which the operations were accepted. */
export const COST_GROUPINGS = ['day', 'operation', 'party'] as const;
export type CostGrouping = (typeof COST_GROUPINGS)[number];

/** The values that the operations of a group have in common; `null` for a property by which they are not grouped. */
export interface CostKey {
  /** Such as `2026-01-31`. */
  readonly day: string | null;
  readonly operation: Operation | null;
  /** The party that the operations concern, whichever caller requested them. */
  readonly party: Party | null;
}

export interface CostGroup extends Cost {
  readonly key: CostKey;
  /** Number of operations with an attempt, and number of their attempts. */
  readonly operations: number;
  readonly attempts: number;
}

export interface CostQuery {
  readonly scope: OpsScope;
  /** Range of the acceptance time, including `from` and excluding `until`; ISO 8601. */
  readonly from: string;
  readonly until: string;
  readonly party?: Party;
  readonly operations?: readonly Operation[];
  readonly by: readonly CostGrouping[];
  readonly after?: CostKey;
  readonly limit: number;
}

/** Costs of operations, including those whose attempts were pruned. */
export interface Costs {
  /**
   * Returns groups ordered by day, newest first, then by operation and party.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: CostQuery, io: Io): Promise<readonly CostGroup[]>;
  of(change: ChangeId, io: Io): Promise<Cost>;
}
