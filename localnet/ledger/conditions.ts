import type { ParticipantName } from '../ports.ts';

/** Settings that can be overridden while the network runs. */
export interface LedgerConditions {
  /** Microseconds that a participant's clock is ahead of the ledger's. */
  skewMicros(participant: ParticipantName): bigint;
  /** Microseconds that the ledger's clock is ahead of wall time. */
  clockMicros(): bigint;
  /** Overrides the configured maximum; `undefined`: no override. */
  deduplicationMs(participant: ParticipantName): number | undefined;
  /** Overrides the configured time from sequencing to verdict; `undefined`: no override. */
  latencyMs(): number | undefined;
}

/** Conditions without overrides. */
export const AS_CONFIGURED: LedgerConditions = {
  skewMicros: () => 0n,
  clockMicros: () => 0n,
  deduplicationMs: () => undefined,
  latencyMs: () => undefined,
};
