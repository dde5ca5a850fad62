import type { ContractId, LaneId, LifecycleId, Party } from './ids.ts';
import type { JsonRecord } from './json.ts';

/*
 * Terms
 * - lifecycle: one install request, install, licence or renewal from beginning to end. It keeps its identity while its
 *   contract ID changes; every contract ID it ever had leads to it (its lineage).
 * - machine:   the XState definition of a kind of lifecycle. snapshot: the stored state of one lifecycle.
 * - lane:      a sequence of changes that run one after the other. Its mailbox holds the waiting changes, in order.
 * - fact:      a statement of the update stream; never an assumption of Tenure.
 */

/** The name of a kind of lifecycle, as in its machine. */
export type LifecycleKind = string;

/** A lifecycle's row. `context` is the machine's context and contains only JSON. */
export interface Lifecycle {
  readonly id: LifecycleId;
  readonly kind: LifecycleKind;
  /** Version of the machine definition that wrote `state` and `context`. */
  readonly machineVersion: number;
  readonly state: string;
  readonly context: JsonRecord;
  readonly lane: LaneId;
  /**
   * The lifecycle to which this one belongs, for example the licence of a renewal: the lifecycle whose step began this
   * one or, if that is unknown, the one that a caller has named irrevocably. `null` if no such lifecycle exists or is
   * known.
   */
  readonly originId: LifecycleId | null;
  readonly provider: Party;
  readonly appUser: Party;
  /** The current contract of the lifecycle; after its end, its last contract. */
  readonly contractId: ContractId;
  /** A number for the order of lists; copied from the contract if the template's definition says so. */
  readonly licenseNum: bigint | null;
  /** When the licence or renewal lapses; copied like `licenseNum`. ISO 8601 with microseconds. */
  readonly expiresAt: string | null;
  /** Incremented with every step; used as the ETag. */
  readonly version: number;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** Columns that are copied from the contract, so that lists can be read without the payload. */
export type LifecycleColumns = Pick<Lifecycle, 'licenseNum' | 'expiresAt'>;

export const NO_COLUMNS: LifecycleColumns = { licenseNum: null, expiresAt: null };

/** Returns the columns that have a value, in the form used in events. */
export const columnsTold = ({
  licenseNum,
  expiresAt,
  originId,
}: LifecycleColumns & Pick<Lifecycle, 'originId'>): JsonRecord => ({
  ...(originId === null ? {} : { licenseLifecycleId: originId }),
  ...(licenseNum === null ? {} : { licenseNum: String(licenseNum) }),
  ...(expiresAt === null ? {} : { expiresAt }),
});

/** One entry of a lifecycle's history. `seq` is its order. */
export interface HistoryEntry {
  readonly lifecycleId: LifecycleId;
  /** The lifecycle's version after this entry. */
  readonly seq: number;
  /** Wall time for acts of callers, effective time for facts of the ledger. ISO 8601. */
  readonly at: string;
  readonly kind: string;
  readonly state: string;
  readonly by: string | null;
  readonly commandId: string | null;
  readonly offset: bigint | null;
  readonly updateId: string | null;
  readonly contractId: string | null;
  readonly detail: JsonRecord;
}
