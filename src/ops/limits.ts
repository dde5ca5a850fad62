import { LIMITS } from '../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of what runs in the background. Units are in the names. */
export const OPS_LIMITS = {
  /** Acts to work off are looked for at least this often while there are none, and while some are left alone. */
  bulkLookMs: 5 * SECOND_MS,
  bulkRestMs: SECOND_MS,
  /** Label sets of requests in the metrics; each has a dozen lines in a rendering. */
  requestSeriesMax: 600,
  /** What has waited too long is looked for this often, and so much of it is told. */
  alarmLookMs: 5 * SECOND_MS,
  /** What is old is looked for this often, and taken away in batches of so many rows, with pauses between them. */
  retentionLookMs: 60 * MINUTE_MS,
  retentionBatchMax: 1_000,
  retentionPauseMs: 100,
  /** The books are kept this often, in parts with pauses between them. */
  booksLookMs: 30 * SECOND_MS,
  booksPauseMs: 100,
  /** Lanes that hold more than one licence are looked for this often. */
  lanesLookMs: 5 * MINUTE_MS,
  /** Timers that are taken at once. */
  timerBatchMax: 100,
  /** Who waits for the nearest due time looks at least this often, should a wake-up have been lost. */
  timerPollMs: 30 * SECOND_MS,
  /** While changes of a policy are on their way, and while the ledger's time stands still until it is set. */
  timerWatchMs: SECOND_MS,
  /** Wake-ups that come together cost one look. */
  timerGatherMs: 50,
  /** Where more is due than may be on its way: room that is not filled is throughput that is lost. */
  timerGatherFullMs: 10,
  /** What lapsed less long ago may have been refused because a clock was ahead. */
  timerTooEarlyMs: MINUTE_MS,
  /** The distance after a timer's first definite failure, doubled with each to the second. */
  timerBackoffMs: MINUTE_MS,
  timerBackoffMsMax: 60 * MINUTE_MS,
  /** A timer whose change could not be recorded. */
  timerPutOffMs: 30 * SECOND_MS,
  /** After a failure nothing of the policy fires for so long: doubled with each in a row, to the second. */
  policyPauseMs: 5 * SECOND_MS,
  policyPauseMsMax: 5 * MINUTE_MS,
  /** Completions and withdrawals of a renewal policy on their way at once. */
  renewalsInFlightMax: 10,
  /** Events wait for others for so long, and are numbered with them: each numbering is a commit. */
  eventGatherMs: 25,
  /** And they are looked for at least this often. */
  eventLookMs: 5 * SECOND_MS,
  /** Refusals are audited once in this time, with one row for alike refusals and at most this number of rows. */
  refusalSpanMs: 5 * MINUTE_MS,
  refusalsMax: 20,
  /** Rows of the audit log that are chained at once. */
  auditChainedMax: 500,
  /** How much of a failure of a target is kept. */
  webhookErrorCharsMax: 500,
  /** A webhook whose last answer took longer than this is tried with one delivery at a time. */
  webhookSlowMs: 5 * SECOND_MS,
  /** Webhooks whose turns one process remembers. */
  webhooksRemembered: 1_000,
  /** Deliveries that are due are looked for at least this often, and where none was tried lately in the second. */
  webhookPollMs: SECOND_MS,
  webhookLookMs: 5 * SECOND_MS,
  /** Processes compare their clocks with the database's this often. */
  clockLookMs: 10 * SECOND_MS,
  /** One export: a collector that hangs holds up nothing but its own spans. */
  exportMs: 5_000,
  exportEveryMs: 1_000,
  /** One source of readings. */
  readingMs: 2_000,
  /** Collectors ask every 10 to 60 s; several of them, or a person beside them, cost no more than one. */
  readingFreshMs: 3_000,
  /** How much is taken at a time: what the rate allows in so long. */
  bulkSliceMs: 200,
  /** Ends of a participant that were seen and not reached yet; what is older than these is forgotten first. */
  lagSeenMax: 256,
  /** A duty of the clock that ran for so long has not failed in a row. */
  dutyLastedMs: 60_000,
} as const;

assert(
  LIMITS.webhookTriesOfAllMax < OPS_LIMITS.webhooksRemembered,
  'what is in hand is remembered',
);
