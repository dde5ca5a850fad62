/** Bounds of an inspection. Units are in the names. */
export const DOCTOR_LIMITS = {
  /** Clocks of machines with NTP differ by less. */
  clocksApartMsMax: 1_000,
  /** The ledger's newest time is as old as its last event: an older one says nothing about its clock. */
  ledgerStaleMs: 60_000,
  /** A commit that waits longer for a standby is not merely waiting for the network. */
  commitWaitMs: 1_000,
  /** Two log files: a replica that keeps up is closer. */
  replicaBytesMax: 32 * 1024 * 1024,
  /** Beyond this usage of the NOTIFY queue, some session has not read it for long. */
  notifyUsageMax: 0.5,
  /** Broken places of the audit log's chain that are named. */
  auditBreaksShown: 20,
  /** More would not help: the store is broken as a whole. */
  violationsMax: 200,
  /** Ledger elements that are in memory at once, with their related rows. */
  page: 200,
  /** Earlier changes of a lane that the next part is compared with. */
  carriedMax: 50,
  /** Due effects are dispatched within a poll interval of the relay; beyond this, no relay dispatches. */
  overdueMs: 60_000,
  /** A subscription is looked at soon after its time, and after a suspension no offer is recorded that much later. */
  lookToleranceMs: 86_400_000,
  suspensionToleranceMs: 60_000,
  /** Two poll intervals of the relay and a slow dispatch. */
  outboxMsMax: 30_000,
} as const;
