import { LIMITS } from '../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of background work. Units are in the names. */
export const OPS_LIMITS = {
  /** Longest interval between searches for acts to process: while there are none, and while some are delayed. */
  bulkLookMs: 5 * SECOND_MS,
  bulkRestMs: SECOND_MS,
  /** Label sets of requests in the metrics; each has a dozen lines in the exposition. */
  requestSeriesMax: 600,
  /** Interval of the search for overdue changes and their alarms. */
  alarmLookMs: 5 * SECOND_MS,
  /** Interval of the search for old rows, and size of and pause between the batches in which they are deleted. */
  retentionLookMs: 60 * MINUTE_MS,
  retentionBatchMax: 1_000,
  retentionPauseMs: 100,
  /** Interval of the books, and the pause between their parts. */
  booksLookMs: 30 * SECOND_MS,
  booksPauseMs: 100,
  /** Interval of the search for lanes that hold more than one licence. */
  lanesLookMs: 5 * MINUTE_MS,
  /** Timers that are taken at once. */
  timerBatchMax: 100,
  /** Longest wait for the nearest due time, in case a wake-up was lost. */
  timerPollMs: 30 * SECOND_MS,
  /** Poll interval while changes of a policy are open, and while the ledger's time is static. */
  timerWatchMs: SECOND_MS,
  /** Wake-ups within this time cause one check. */
  timerGatherMs: 50,
  /** Like `timerGatherMs`, when more timers are due than may be in flight: unused places are lost throughput. */
  timerGatherFullMs: 10,
  /** A refusal this soon after the lapse may mean that a clock was ahead. */
  timerTooEarlyMs: MINUTE_MS,
  /** Delay after a timer's first definite failure, doubled with each up to the maximum. */
  timerBackoffMs: MINUTE_MS,
  timerBackoffMsMax: 60 * MINUTE_MS,
  /** Delay of a timer whose change could not be recorded. */
  timerPutOffMs: 30 * SECOND_MS,
  /**
   * After a failure nothing of the policy fires for this time, doubled with each failure in a row up to the maximum.
   */
  policyPauseMs: 5 * SECOND_MS,
  policyPauseMsMax: 5 * MINUTE_MS,
  /** Completions and withdrawals of a renewal policy that may be open at once. */
  renewalsInFlightMax: 10,
  /** Events are collected for this time and numbered together, because each numbering is a commit. */
  eventGatherMs: 25,
  /** Longest interval between two searches for events. */
  eventLookMs: 5 * SECOND_MS,
  /** Refusals are audited once in this time, with one row for alike refusals and at most this number of rows. */
  refusalSpanMs: 5 * MINUTE_MS,
  refusalsMax: 20,
  /** Rows of the audit log that are chained at once. */
  auditChainedMax: 500,
  /** Characters that are stored of a target's error. */
  webhookErrorCharsMax: 500,
  /** A webhook whose last answer took longer than this gets one delivery at a time. */
  webhookSlowMs: 5 * SECOND_MS,
  /** Webhooks whose turns one process remembers. */
  webhooksRemembered: 1_000,
  /** Interval of the search for due deliveries: with recent deliveries, and without. */
  webhookPollMs: SECOND_MS,
  webhookLookMs: 5 * SECOND_MS,
  /** Interval at which processes compare their clocks with the database's. */
  clockLookMs: 10 * SECOND_MS,
  /** Timeout of one export: a collector that hangs delays only its own spans. */
  exportMs: 5_000,
  exportEveryMs: 1_000,
  /** Timeout of one source of readings. */
  readingMs: 2_000,
  /** Collectors read every 10 to 60 s; several collectors, or a person beside them, share one reading. */
  readingFreshMs: 3_000,
  /** The time whose allowed number of items makes one batch. */
  bulkSliceMs: 200,
  /** Known ledger ends that a stream has not reached yet. */
  lagSeenMax: 256,
  /** A duty of the clock that ran for this long starts a new count of failures. */
  dutyLastedMs: 60_000,
} as const;

assert(
  LIMITS.webhookTriesOfAllMax < OPS_LIMITS.webhooksRemembered,
  'what is in hand is remembered',
);
