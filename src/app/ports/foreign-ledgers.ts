import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Ports of the core for participants that hold another ledger than the one that the store follows. */

/** A stream whose participant holds another history than the store. Nothing is submitted to that participant. */
export interface ForeignLedger {
  readonly stream: string;
  readonly participant: ParticipantName;
  /** How the foreign ledger was noticed, and what to do about it. */
  readonly reason: string;
  /** ISO 8601, by the database's clock. */
  readonly since: string;
}

/** The part of `Tx` that concerns foreign ledgers. */
export interface ForeignLedgerTx {
  foreignLedgers(): Promise<readonly ForeignLedger[]>;
  /**
   * Prevents new attempts to this participant once the transaction is committed. Returns false if another process holds
   * the lease.
   */
  markForeign(ledger: Omit<ForeignLedger, 'since'>, leaseEpoch: bigint): Promise<boolean>;
  /** Resumes the changes that waited for these streams. Returns false if another process holds the lease. */
  clearForeign(streams: readonly string[], leaseEpoch: bigint): Promise<boolean>;
}

export interface ForeignLedgerReads {
  /** Returns the foreign ledgers, those marked longest ago first. */
  foreignLedgers(io: Io): Promise<readonly ForeignLedger[]>;
}
