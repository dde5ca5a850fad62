import type { CommandId, Party, UpdateId } from '../../domain/ids.ts';

/**
 * An effect of an operation that this database does not have: it was accepted after the copy from which the database
 * was restored, or lost in a failover to an asynchronous standby. The ledger delivers the effect, and the tombstone
 * prevents a second effect of its command ID.
 */
export interface Tombstone {
  readonly commandId: CommandId;
  /** The acting parties; a command ID belongs to each of them. */
  readonly actAs: readonly Party[];
  readonly updateId: UpdateId;
}

/** Number and newest of the tombstones, for people. */
export interface TombstoneSummary {
  readonly count: number;
  readonly newest: readonly (Tombstone & { readonly recordedAt: string })[];
}

/** Whether submissions that the database has lost may still take effect. */
export interface Lost {
  /**
   * The record time until which a lost submission may take effect. `NOT_YET_KNOWN` until the participant has answered
   * after every such submission was sent; `null` if none can.
   */
  readonly lostUntil: string | null;
  /**
   * The ledger user was rotated while such a submission may have been under way, and the ledger detects duplicates per
   * user. Requests wait until `lostUntil` has passed; effects after this offset are read by then. `null` if requests do
   * not wait.
   */
  readonly heldFrom: bigint | null;
}

/** How far a stream is from the ledger end at the time when the restart of its database was noticed. */
export interface Replay extends Lost {
  /** Whether a projector has checked since the database server started. */
  readonly isChecked: boolean;
  /** Requests wait until the stream has reached this offset; `null` if nothing is read again. */
  readonly to: bigint | null;
  /**
   * The ledger user of the stream's completions; `null` for updates, and until a version that stores it follows them.
   */
  readonly ledgerUser: string | null;
}

/** The state of the ledger when a stream is compared with it. */
export interface ReplayStart {
  /** The ledger end. */
  readonly to: bigint;
  /** The ledger user whose completions the participant sends; `null` for the stream of updates. */
  readonly ledgerUser: string | null;
}
