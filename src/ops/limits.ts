import { LIMITS } from '../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of background work. The unit is the last part of each name. */
export const OPS_LIMITS = {
  /** The longest intervals between two searches for bulk acts: while there are none, and while some are delayed. */
  bulkLookMs: 5 * SECOND_MS,
  bulkRestMs: SECOND_MS,
  /** The maximum number of label sets for requests in the metrics; each has a dozen lines in the exposition. */
  requestSeriesMax: 600,
  /** The interval between two searches for overdue changes. */
  alarmLookMs: 5 * SECOND_MS,
  /**
   * The interval between two searches for old rows; then the size of the batches in which they are deleted, and the
   * pause between two batches.
   */
  retentionLookMs: 60 * MINUTE_MS,
  retentionBatchMax: 1_000,
  retentionPauseMs: 100,
  /** The interval at which the books (payments, receipts, roll-ups) are updated, and the pause between two parts. */
  booksLookMs: 30 * SECOND_MS,
  booksPauseMs: 100,
  /** The interval between two searches for lanes that hold more than one licence. */
  lanesLookMs: 5 * MINUTE_MS,
  /** The maximum number of timers that are read at once. */
  timerBatchMax: 100,
  /** The longest wait for the next due time, in case a wake-up is lost. */
  timerPollMs: 30 * SECOND_MS,
  /** The poll interval while changes of a policy are open, and while the ledger's time is static. */
  timerWatchMs: SECOND_MS,
  /** Wake-ups within this time lead to one check. */
  timerGatherMs: 50,
  /** Replaces `timerGatherMs` if more timers are due than may have open changes: a wait would cost throughput. */
  timerGatherFullMs: 10,
  /** A refusal within this time after the lapse may mean that a clock is ahead of the ledger's. */
  timerTooEarlyMs: MINUTE_MS,
  /** The delay after a timer's first definite failure, and the maximum to which it doubles with each failure. */
  timerBackoffMs: MINUTE_MS,
  timerBackoffMsMax: 60 * MINUTE_MS,
  /** The delay of a timer whose change could not be recorded. */
  timerPutOffMs: 30 * SECOND_MS,
  /** After a failure no timer of the policy fires for this time. It doubles with each failure, up to the maximum. */
  policyPauseMs: 5 * SECOND_MS,
  policyPauseMsMax: 5 * MINUTE_MS,
  /** The maximum number of open completions and withdrawals that a renewal policy has requested. */
  renewalsInFlightMax: 10,
  /** Events are collected for this time and numbered together, because each numbering is one commit. */
  eventGatherMs: 25,
  /** The longest interval between two searches for events without a number. */
  eventLookMs: 5 * SECOND_MS,
  /**
   * The interval at which refusals are written to the audit log, and the maximum number of rows written each time.
   * Similar refusals share one row.
   */
  refusalSpanMs: 5 * MINUTE_MS,
  refusalsMax: 20,
  /** The maximum number of audit log rows that are chained at once. */
  auditChainedMax: 500,
  /** The maximum number of characters of a target's error that are stored. */
  webhookErrorCharsMax: 500,
  /** A webhook whose last answer took longer than this gets only one delivery at a time. */
  webhookSlowMs: 5 * SECOND_MS,
  /** The number of webhooks whose turns one process remembers. */
  webhooksRemembered: 1_000,
  /** The interval between two searches for due deliveries: after recent deliveries, and otherwise. */
  webhookPollMs: SECOND_MS,
  webhookLookMs: 5 * SECOND_MS,
  /** The interval at which processes compare their clocks with the database's. */
  clockLookMs: 10 * SECOND_MS,
  /** The timeout of one export: a collector that hangs delays only its own spans. */
  exportMs: 5_000,
  exportEveryMs: 1_000,
  /** The timeout for reading one source of metrics. */
  readingMs: 2_000,
  /**
   * Readings younger than this are reused. Collectors read every 10 to 60 s; several collectors, or a collector and a
   * person, can share one reading.
   */
  readingFreshMs: 3_000,
  /** The duration of one batch of bulk items at the allowed rate. */
  bulkSliceMs: 200,
  /** The maximum number of remembered ledger ends that a stream has not reached yet. */
  lagSeenMax: 256,
  /** If a duty of the scheduler ran for at least this long, its failures are counted from 0 again. */
  dutyLastedMs: 60_000,
} as const;

assert(
  LIMITS.webhookTriesOfAllMax < OPS_LIMITS.webhooksRemembered,
  'what is in hand is remembered',
);
