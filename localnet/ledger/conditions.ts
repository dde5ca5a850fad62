import type { ParticipantName } from '../ports.ts';

/** Settings that can be overridden while the network runs. */
export interface LedgerConditions {
  /** Microseconds that a participant's clock is ahead of the ledger's. */
  skewMicros(participant: ParticipantName): bigint;
  /** Microseconds that the ledger's clock is ahead of wall time. */
  clockMicros(): bigint;
  /** Instead of the configured maximum; `undefined`: that. */
  deduplicationMs(participant: ParticipantName): number | undefined;
  /** Instead of the configured time from sequencing to verdict; `undefined`: that. */
  latencyMs(): number | undefined;
}

/** Everything is as it was configured. */
export const AS_CONFIGURED: LedgerConditions = {
  skewMicros: () => 0n,
  clockMicros: () => 0n,
  deduplicationMs: () => undefined,
  latencyMs: () => undefined,
};
