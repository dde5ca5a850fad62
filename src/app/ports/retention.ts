import type { Io } from './io.ts';

/* What the core asks of whoever prunes: see `ports.ts`. */

/** One batch of what is pruned. */
export interface PruneBatch {
  readonly olderThanMs: number;
  readonly limit: number;
}

/**
 * Takes away what is finished and old, a batch at a time, under the lease of the clock. Every count is `null` when the
 * lease is another's.
 */
export interface Retention {
  /** Attempts, effects and bodies of finished changes. The changes themselves stay. */
  changes(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Events, from the smallest number on. */
  events(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Deliveries that were taken or given up. */
  deliveries(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Bulk acts that have ended, with their items. The audit log has retention of its own. */
  acts(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** Rows of the audit log, from the beginning of their chain on. */
  audit(batch: PruneBatch, leaseEpoch: bigint, io: Io): Promise<number | null>;
  /** The newest update of the projection that is so old, by the ledger's time, and that nothing open needs. */
  cut(olderThanMs: number, io: Io): Promise<bigint | null>;
  /** The projection begins after this offset from now on. False when the lease is another's, or it begins later. */
  beginAt(cut: bigint, leaseEpoch: bigint, io: Io): Promise<boolean>;
  /** What was archived, exercised or told up to the cut, walked in order of offsets; `at` is `null` at the end. */
  archived(
    what: 'contracts' | 'exercises' | 'updates',
    batch: { readonly cut: bigint; readonly after: bigint; readonly limit: number },
    leaseEpoch: bigint,
    io: Io,
  ): Promise<{ readonly pruned: number; readonly at: bigint | null } | null>;
}
