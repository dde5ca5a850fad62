import type { Change } from '../../domain/change.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { ActiveContract } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Io } from './io.ts';
import type { Tx } from './transaction.ts';

/* Ports for rebuilding the projection, in addition to the common ones. */

/** An operator's request to make the projection agree with the ledger again. */
export interface RebuildRequest {
  readonly id: string;
  /** Whether only a report is written, and no correction. */
  readonly isDryRun: boolean;
}

/** A transaction with the additional operations of a rebuild. */
export interface RebuildTx extends Tx {
  /** Inserts missing contracts and corrects differing ones. */
  correctContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<{ readonly added: number; readonly corrected: number }>;
  /** Returns the contracts that are active according to the projection. */
  activeContracts(): Promise<readonly ContractId[]>;
  /** Archives contracts whose end was not observed, as of a position. */
  endContracts(
    contracts: readonly ContractId[],
    at: { readonly offset: bigint; readonly effectiveAt: string },
  ): Promise<void>;
  /** Returns the lifecycles of the contracts, including ended ones, without locks. */
  lifecyclesOf(
    contracts: readonly ContractId[],
  ): Promise<readonly { readonly contractId: ContractId; readonly lifecycle: Lifecycle }[]>;
  /** Returns the lifecycles that have not ended, without locks. */
  standing(): Promise<readonly Pick<Lifecycle, 'id' | 'lane' | 'contractId'>[]>;
  /** Allows lifecycles that have ended to be saved again. */
  reopen(ids: readonly LifecycleId[]): Promise<void>;
  openChanges(): Promise<readonly Change[]>;
  /**
   * Moves cursors, also backwards. The history is complete from these positions on. Returns false if another process
   * holds the lease.
   */
  resetCursors(cursors: readonly NewCursor[], leaseEpoch: bigint): Promise<boolean>;
}

/** The new position of a stream. */
export interface NewCursor {
  readonly stream: string;
  readonly to: bigint;
  /** The offset up to which the participant has pruned. */
  readonly pruned?: bigint;
}

export interface Rebuilds {
  /** Returns the request for a rebuild that waits, or `null`. */
  asked(io: Io): Promise<RebuildRequest | null>;
  answer(
    id: string,
    answer: { readonly report: JsonRecord } | { readonly error: string },
    io: Io,
  ): Promise<void>;
  transact<T>(io: Io, work: (tx: RebuildTx) => Promise<T>): Promise<T>;
}
