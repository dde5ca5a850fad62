import type { ParticipantName } from '../ports.ts';

/** Settings that can be overridden while the network runs. */
export interface LedgerConditions {
  /** Returns by how many microseconds a participant's clock is ahead of the ledger's. */
  skewMicros(participant: ParticipantName): bigint;
  /** Returns by how many microseconds the ledger's clock is ahead of wall time. */
  clockMicros(): bigint;
  /**
   * Returns the maximum deduplication duration that replaces the configured one, or `undefined` if the configured one
   * applies.
   */
  deduplicationMs(participant: ParticipantName): number | undefined;
  /**
   * Returns the time from sequencing to verdict that replaces the configured one, or `undefined` if the configured one
   * applies.
   */
  latencyMs(): number | undefined;
}

/** The conditions under which the configured settings apply. */
export const AS_CONFIGURED: LedgerConditions = {
  skewMicros: () => 0n,
  clockMicros: () => 0n,
  deduplicationMs: () => undefined,
  latencyMs: () => undefined,
};
