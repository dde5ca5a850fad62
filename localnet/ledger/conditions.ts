import type { ParticipantName } from '../ports.ts';

/** Settings that can be overridden while the network runs. */
export interface LedgerConditions {
  /** Returns by how many microseconds a participant's clock is ahead of the ledger's. */
  skewMicros(participant: ParticipantName): bigint;
  /** Returns by how many microseconds the ledger's clock is ahead of wall time. */
  clockMicros(): bigint;
  /** Returns a maximum that overrides the configured one; `undefined` means no override. */
  deduplicationMs(participant: ParticipantName): number | undefined;
  /** Returns a time from sequencing to verdict that overrides the configured one; `undefined` means no override. */
  latencyMs(): number | undefined;
}

/** Conditions without overrides. */
export const AS_CONFIGURED: LedgerConditions = {
  skewMicros: () => 0n,
  clockMicros: () => 0n,
  deduplicationMs: () => undefined,
  latencyMs: () => undefined,
};
