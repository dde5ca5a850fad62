import type { Io } from './io.ts';

/* Ports of the core for retention. */

/** The bounds of one batch. */
export interface PruneBatch {
  readonly olderThanMs: number;
  readonly limit: number;
}

/**
 * Prunes finished and old rows in batches, under the scheduler's lease. Counts are `null` if another process holds the
 * lease.
 */
export interface Retention {
  /** Prunes attempts, effects and bodies of finished changes. The rows of the changes are kept. */
  changes(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes events, starting with the smallest number. */
  events(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes deliveries that were accepted or given up. */
  deliveries(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes ended bulk acts with their items. Their rows in the audit log are kept longer. */
  acts(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes rows of the audit log, starting at the beginning of their chain. */
  audit(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /**
   * Returns the offset of the newest update that is older than this age, by the ledger's time, and that no open change
   * needs.
   */
  cut(olderThanMs: number, io: Io): Promise<bigint | null>;
  /**
   * Makes the projection begin after this offset. Returns false if another process holds the lease, or if the
   * projection already begins at a later offset.
   */
  beginAt(cut: bigint, leaseEpoch: bigint, io: Io): Promise<boolean>;
  /**
   * Prunes archived contracts, exercises or updates up to the cut, ordered by offset; the returned `at` is `null` at
   * the end.
   */
  archived(
    what: 'contracts' | 'exercises' | 'updates',
    batch: { readonly cut: bigint; readonly after: bigint; readonly limit: number },
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{ readonly pruned: number; readonly at: bigint | null } | null>;
}
