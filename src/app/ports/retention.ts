import type { Io } from './io.ts';

/* Ports of the core for retention: see `ports.ts`. */

/** The bounds of one batch. */
export interface PruneBatch {
  readonly olderThanMs: number;
  readonly limit: number;
}

/**
 * Prunes finished and old rows in batches, under the clock's lease. Counts are `null` if another process holds the
 * lease.
 */
export interface Retention {
  /** Prunes attempts, effects and bodies of finished changes. The changes themselves stay. */
  changes(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes events, from the smallest number on. */
  events(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes deliveries that were taken or given up. */
  deliveries(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes ended bulk acts with their items. The audit log has a retention of its own. */
  acts(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Prunes rows of the audit log, from the beginning of their chain on. */
  audit(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Returns the newest update of the projection of this age, by the ledger's time, that no open change needs. */
  cut(olderThanMs: number, io: Io): Promise<bigint | null>;
  /**
   * Makes the projection begin after this offset. Returns false if another process holds the lease, or if the
   * projection already begins later.
   */
  beginAt(cut: bigint, leaseEpoch: bigint, io: Io): Promise<boolean>;
  /** Prunes archived contracts, exercises or updates up to the cut, in order of offsets; `at` is `null` at the end. */
  archived(
    what: 'contracts' | 'exercises' | 'updates',
    batch: { readonly cut: bigint; readonly after: bigint; readonly limit: number },
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{ readonly pruned: number; readonly at: bigint | null } | null>;
}
