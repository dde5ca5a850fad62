import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Ports of the core for ledgers that are not the store's. */

/** A stream whose participant holds another history than the store; nothing is sent to that participant. */
export interface ForeignLedger {
  readonly stream: string;
  readonly participant: ParticipantName;
  /** How the difference was found, and what to do about it. */
  readonly reason: string;
  /** ISO 8601, by the database's clock. */
  readonly since: string;
}

/** Part of a transaction. */
export interface ForeignLedgerTx {
  foreignLedgers(): Promise<readonly ForeignLedger[]>;
  /** Prevents new attempts to this participant from the commit on. Returns false if another process holds the lease. */
  markForeign(ledger: Omit<ForeignLedger, 'since'>, leaseEpoch: bigint): Promise<boolean>;
  /** Resumes the changes that waited. Returns false if another process holds the lease. */
  clearForeign(streams: readonly string[], leaseEpoch: bigint): Promise<boolean>;
}

export interface ForeignLedgerReads {
  /** Returns the oldest first. */
  foreignLedgers(io: Io): Promise<readonly ForeignLedger[]>;
}
