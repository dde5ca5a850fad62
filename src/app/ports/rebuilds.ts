import type { Change } from '../../domain/change.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { ActiveContract } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Io } from './io.ts';
import type { Tx } from './transaction.ts';

/* What a rebuild of the projection asks of the world, besides the ports of everybody. */

/** A request of an operator to make the projection agree with the ledger again. */
export interface RebuildRequest {
  readonly id: string;
  /** Nothing is committed but the report. */
  readonly isDryRun: boolean;
}

/** What a transaction that rebuilds may do besides. */
export interface RebuildTx extends Tx {
  /** Inserts what is missing and puts right what differs. */
  correctContracts(
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<{ readonly added: number; readonly corrected: number }>;
  /** Contracts that are active as the projection has it. */
  activeContracts(): Promise<readonly ContractId[]>;
  /** Their end was not seen: they are archived as of a position. */
  endContracts(
    contracts: readonly ContractId[],
    at: { readonly offset: bigint; readonly effectiveAt: string },
  ): Promise<void>;
  /** Lifecycles to which the contracts lead, ended ones too, not locked. */
  lifecyclesOf(
    contracts: readonly ContractId[],
  ): Promise<readonly { readonly contractId: ContractId; readonly lifecycle: Lifecycle }[]>;
  /** Those that have not ended, not locked. */
  standing(): Promise<readonly Pick<Lifecycle, 'id' | 'lane' | 'contractId'>[]>;
  /** So that lifecycles can be saved that had ended. */
  reopen(ids: readonly LifecycleId[]): Promise<void>;
  openChanges(): Promise<readonly Change[]>;
  /** Puts cursors elsewhere, also back. History is whole from there on. False when the lease is another's. */
  resetCursors(cursors: readonly NewCursor[], leaseEpoch: bigint): Promise<boolean>;
}

/** Where the stream of a name goes on. */
export interface NewCursor {
  readonly stream: string;
  readonly to: bigint;
  /** The offset up to which the participant tells nothing any more. */
  readonly pruned?: bigint;
}

export interface Rebuilds {
  /** The request that waits, if any. */
  asked(io: Io): Promise<RebuildRequest | null>;
  answer(
    id: string,
    answer: { readonly report: JsonRecord } | { readonly error: string },
    io: Io,
  ): Promise<void>;
  transact<T>(io: Io, work: (tx: RebuildTx) => Promise<T>): Promise<T>;
}
