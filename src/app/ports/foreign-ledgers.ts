import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* What the core asks of the world about ledgers that are not the store's. */

/** A stream whose participant was found to hold another history than the store: nothing is sent to it. */
export interface ForeignLedger {
  readonly stream: string;
  readonly participant: ParticipantName;
  /** How it was found, and what to do about it. */
  readonly reason: string;
  /** ISO 8601, the database's. */
  readonly since: string;
}

/** Part of a transaction. */
export interface ForeignLedgerTx {
  foreignLedgers(): Promise<readonly ForeignLedger[]>;
  /** From the commit on no attempt begins that would go to this participant. False when the lease is another's. */
  markForeign(ledger: Omit<ForeignLedger, 'since'>, leaseEpoch: bigint): Promise<boolean>;
  /** What waited for them goes on. False when the lease is another's. */
  clearForeign(streams: readonly string[], leaseEpoch: bigint): Promise<boolean>;
}

export interface ForeignLedgerReads {
  /** The oldest first. */
  foreignLedgers(io: Io): Promise<readonly ForeignLedger[]>;
}
