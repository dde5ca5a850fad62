/** Bounds of an inspection. The unit is the last part of each name. */
export const DOCTOR_LIMITS = {
  /** The clocks of machines with NTP differ by less than this. */
  clocksApartMsMax: 1_000,
  /**
   * If the newest time that the ledger reported is older than this, the ledger may just be idle, so the time says
   * nothing about its clock.
   */
  ledgerStaleMs: 60_000,
  /** A commit that waits longer than this for a standby is delayed by more than the network. */
  commitWaitMs: 1_000,
  /** The size of two log files. A replica that keeps up is behind by less. */
  replicaBytesMax: 32 * 1024 * 1024,
  /** If more of the NOTIFY queue is used, some session has not read its notifications for a long time. */
  notifyUsageMax: 0.5,
  /** How many broken places in the audit log's chain are named. */
  auditBreaksShown: 20,
  /** A longer list would not help, because the store as a whole is broken. */
  violationsMax: 200,
  /** How many ledger elements are in memory at once, with their related rows. */
  page: 200,
  /** How many earlier renewals of a lane are compared with the next part. */
  carriedMax: 50,
  /**
   * Relays dispatch a due effect within a poll interval. If it is due for longer than this, no relay is dispatching.
   */
  overdueMs: 60_000,
  /**
   * How long after its time a subscription may be checked, and how long after the start of a suspension an offer may
   * still be recorded.
   */
  lookToleranceMs: 86_400_000,
  suspensionToleranceMs: 60_000,
  /** The sum of two poll intervals of the relay and the time of a slow dispatch. */
  outboxMsMax: 30_000,
} as const;
