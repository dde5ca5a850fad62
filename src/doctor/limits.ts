/** Bounds of an inspection. Units are in the names. */
export const DOCTOR_LIMITS = {
  /** Clocks of machines that are kept by NTP differ by less. */
  clocksApartMsMax: 1_000,
  /** What the ledger tells of is as old as what happened there last: older than this, it says nothing of its clock. */
  ledgerStaleMs: 60_000,
  /** A commit that waits longer for a standby is not waiting for a network. */
  commitWaitMs: 1_000,
  /** Two files of the log: a replica that follows is nearer. */
  replicaBytesMax: 32 * 1024 * 1024,
  /** Beyond this part of the NOTIFY queue some session has not read it for long. */
  notifyUsageMax: 0.5,
  /** Places at which the audit log's chain is broken, that are named. */
  auditBreaksShown: 20,
  /** More would not help: something is thoroughly wrong. */
  violationsMax: 200,
  /** Elements of the ledger that are held at once, with what belongs to them. */
  page: 200,
  /** Changes of a lane that the next part of it is judged beside. */
  carriedMax: 50,
  /** Due effects are dispatched within a poll of the relay; beyond this, no relay dispatches. */
  overdueMs: 60_000,
  /** Two polls of the relay and a dispatch that takes long. */
  outboxMsMax: 30_000,
} as const;
