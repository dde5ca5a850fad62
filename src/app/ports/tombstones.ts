import type { CommandId, Party, UpdateId } from '../../domain/ids.ts';

/**
 * Marks an effect of an operation that this database does not have: the operation was accepted after the backup from
 * which the database was restored, or lost in a failover to an asynchronous standby. The ledger delivers the effect,
 * and the tombstone prevents a second effect of the same command ID.
 */
export interface Tombstone {
  readonly commandId: CommandId;
  /** The acting parties of the command. The command ID is unique for each party. */
  readonly actAs: readonly Party[];
  readonly updateId: UpdateId;
}

/** The number of tombstones and the newest one, for people. */
export interface TombstoneSummary {
  readonly count: number;
  readonly newest: readonly (Tombstone & { readonly recordedAt: string })[];
}

/** Describes whether submissions that the database has lost may still take effect. */
export interface Lost {
  /**
   * The record time until which a lost submission may take effect. `NOT_YET_KNOWN` until the participant has answered a
   * call that was made after every such submission; `null` if no lost submission can take effect.
   */
  readonly lostUntil: string | null;
  /**
   * Set if the ledger user was replaced while such a submission may have been under way, because the ledger detects
   * duplicates per user. Requests wait until `lostUntil` has passed; by then, the effects after this offset have been
   * read. `null` if requests do not wait.
   */
  readonly heldFrom: bigint | null;
}

/**
 * How far a stream has come after a restart of the database: it is compared with the ledger end at the time when the
 * restart was noticed.
 */
export interface Replay extends Lost {
  /** Whether a projector has made this comparison since the database server started. */
  readonly isChecked: boolean;
  /** Requests wait until the stream has reached this offset; `null` if no replay is needed. */
  readonly to: bigint | null;
  /**
   * The ledger user of the stream's completions; `null` for the stream of updates, and until a version that stores the
   * user follows the completions.
   */
  readonly ledgerUser: string | null;
}

/** The ledger's state at the start of a replay. */
export interface ReplayStart {
  readonly to: bigint;
  /** The ledger user whose completions the participant sends; `null` for the stream of updates. */
  readonly ledgerUser: string | null;
}
