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

/** How far a stream is from where its ledger ended when its database was seen to have started anew. */
export interface Replay {
  /** Whether a projector has looked since the database server started. */
  readonly isChecked: boolean;
  /** Requests wait until the stream has reached this offset; `null`: nothing is read again. */
  readonly to: bigint | null;
}
