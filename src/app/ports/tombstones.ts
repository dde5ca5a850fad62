import type { CommandId, Party, UpdateId } from '../../domain/ids.ts';

/**
 * An effect of an operation that this database does not have: an operation that was accepted after the copy was taken
 * from which the database was restored, or that a failover to an asynchronous standby lost. The ledger tells of the
 * effect, and the tombstone keeps its command ID from a second one.
 */
export interface Tombstone {
  readonly commandId: CommandId;
  /** The parties that acted; a command ID belongs to each of them. */
  readonly actAs: readonly Party[];
  readonly updateId: UpdateId;
}

/** How many tombstones there are, for people. */
export interface TombstoneSummary {
  readonly count: number;
  readonly newest: readonly (Tombstone & { readonly recordedAt: string })[];
}

/** Whether submissions that the database has lost may still take effect. */
export interface Lost {
  /**
   * The record time until which a submission may take effect that the database has lost. `NOT_YET_KNOWN` until the
   * participant has been heard after every such submission was sent; `null`: none can.
   */
  readonly lostUntil: string | null;
  /**
   * The ledger user was rotated while such a submission may have been under way, and the ledger knows duplicates by
   * user. Requests wait until `lostUntil` has passed; effects after this offset are read by then. `null`: requests do
   * not wait.
   */
  readonly heldFrom: bigint | null;
}

/** How far a stream is from where its ledger ended when its database was seen to have started anew. */
export interface Replay extends Lost {
  /** Whether a projector has looked since the database server started. */
  readonly isChecked: boolean;
  /** Requests wait until the stream has reached this offset; `null`: nothing is read again. */
  readonly to: bigint | null;
  /** The user to whom the stream tells completions; `null` for updates, and until a version that keeps it follows. */
  readonly ledgerUser: string | null;
}

/** The ledger as it is when a stream is compared with it. */
export interface ReplayStart {
  /** The ledger end. */
  readonly to: bigint;
  /** The user to whom the participant tells completions; `null` for the stream of updates. */
  readonly ledgerUser: string | null;
}
