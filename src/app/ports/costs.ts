import type { Operation } from '../../domain/change.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import type { OpsScope } from './ops-scope.ts';
import type { Io } from './io.ts';

/** What was paid to the network for attempts. */
export interface Cost {
  /** Traffic, in bytes, of those attempts of which the ledger says what they cost. */
  readonly bytes: bigint;
  /** Attempts of which nobody has said what they cost: not those that were refused before they reached the network. */
  readonly unknown: number;
}

/** What costs are added up by. Days are of UTC, and those on which operations were accepted. */
export const COST_GROUPINGS = ['day', 'operation', 'party'] as const;
export type CostGrouping = (typeof COST_GROUPINGS)[number];

/** Operations that have something in common; `null` where they need not have. */
export interface CostKey {
  /** `2026-01-31`. */
  readonly day: string | null;
  readonly operation: Operation | null;
  /** Whom they are about, whoever asked. */
  readonly party: Party | null;
}

export interface CostGroup extends Cost {
  readonly key: CostKey;
  /** Those that were attempted, and how often they were. */
  readonly operations: number;
  readonly attempts: number;
}

export interface CostQuery {
  readonly scope: OpsScope;
  /** Acceptance, ISO 8601: at or after, and before. */
  readonly from: string;
  readonly until: string;
  readonly party?: Party;
  readonly operations?: readonly Operation[];
  readonly by: readonly CostGrouping[];
  readonly after?: CostKey;
  readonly limit: number;
}

/** What operations have cost, also those of which the attempts are no longer kept. */
export interface Costs {
  /**
   * The newest day first, then by operation and party.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: CostQuery, io: Io): Promise<readonly CostGroup[]>;
  of(change: ChangeId, io: Io): Promise<Cost>;
}
