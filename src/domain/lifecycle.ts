import type { ContractId, LaneId, LifecycleId, Party } from './ids.ts';
import type { JsonRecord } from './json.ts';

/*
 * Terms
 * - lifecycle: one install request, install, licence or renewal from birth to end. It keeps its identity while its
 *   contract ID changes; every contract ID it ever had leads to it (its lineage).
 * - machine:   the XState definition of a kind of lifecycle. snapshot: where one lifecycle is.
 * - lane:      a sequence of changes that run one after the other. Its mailbox holds the waiting changes, in order.
 * - fact:      a statement of the update stream; never an assumption of Tenure.
 */

/** The name of a kind of lifecycle, as its machine has it. */
export type LifecycleKind = string;

/** A lifecycle's row. `context` is the machine's context: JSON only. */
export interface Lifecycle {
  readonly id: LifecycleId;
  readonly kind: LifecycleKind;
  /** Version of the machine definition that wrote `state` and `context`. */
  readonly machineVersion: number;
  readonly state: string;
  readonly context: JsonRecord;
  readonly lane: LaneId;
  /**
   * The lifecycle to which this one belongs, such as the licence of a renewal: the lifecycle whose step began this one,
   * else the one that a caller named irrevocably. `null` where there is no such lifecycle or the origin is not known.
   */
  readonly originId: LifecycleId | null;
  readonly provider: Party;
  readonly appUser: Party;
  /** The current contract of the lifecycle; its last one after the lifecycle has ended. */
  readonly contractId: ContractId;
  /** Copied from the contract where its definition says so: a number, by which lists are ordered. */
  readonly licenseNum: bigint | null;
  /** Copied likewise: when the licence or renewal lapses. ISO 8601 with microseconds. */
  readonly expiresAt: string | null;
  /** Rises by one with every step; the ETag. */
  readonly version: number;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** Columns that are copied from the contract, so that lists need not read the payload. */
export type LifecycleColumns = Pick<Lifecycle, 'licenseNum' | 'expiresAt'>;

export const NO_COLUMNS: LifecycleColumns = { licenseNum: null, expiresAt: null };

/** The columns that a lifecycle has, as events report them. */
export const columnsTold = ({
  licenseNum,
  expiresAt,
  originId,
}: LifecycleColumns & Pick<Lifecycle, 'originId'>): JsonRecord => ({
  ...(originId === null ? {} : { licenseLifecycleId: originId }),
  ...(licenseNum === null ? {} : { licenseNum: String(licenseNum) }),
  ...(expiresAt === null ? {} : { expiresAt }),
});

/** One entry of a lifecycle's history, oldest first by `seq`. */
export interface HistoryEntry {
  readonly lifecycleId: LifecycleId;
  /** The lifecycle's version after this happened. */
  readonly seq: number;
  /** ISO 8601: wall time for acts of callers, effective time for facts of the ledger. */
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
