import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';
import { STORE_LIMITS } from '../store/limits.ts';

/** Bounds of starting and stopping a process. Units are in the names. */
export const MAIN_LIMITS = {
  /** How long a change may wait to be recorded; a change that is expected to wait longer is refused at once. */
  admissionMs: 5 * SECOND_MS,
  /** Shortest interval between two refreshes of this process's share in limits of the deployment. */
  limitShareMs: SECOND_MS,
  /** Requests to an authorization server that a tenant has named: timeout, and size of the answer. */
  issuerExchangeMs: 5 * SECOND_MS,
  issuerBytesMax: 256 * 1024,
  /** Interval of the deletion of ended sessions. */
  sessionPruneMs: MINUTE_MS,
  /** Requests to a target: timeout, and how much of the answer is read. */
  webhookExchangeMs: 15 * SECOND_MS,
  webhookAnswerBytesMax: 64 * 1024,
  /** How long a process that may not migrate waits for the migration job, and how often it checks. */
  migrationWaitMs: 2 * MINUTE_MS,
  migrationLookMs: SECOND_MS,
  /** Poll interval for the answer to a rebuild request. */
  rebuildLookMs: 100,
  /** While a provider drains: poll interval, and how long its tables are waited for. */
  cellLookMs: 200,
  cellLockMs: 3_000,
  /** How long the thaw of a provider is retried while processes hold its tables. */
  cellThawMs: 60 * SECOND_MS,
  cellStatementMs: 30 * SECOND_MS,
  /** Timeout of asking whose a ledger user is: an unresponsive participant must not delay a start. */
  cellAskMs: 2 * SECOND_MS,
  /** Interval at which another cell with the same ledger user is recorded. */
  otherCellMs: 10 * SECOND_MS,
  /** Available memory from which processes get more than the small size. */
  largeFromBytes: 2 * 2 ** 30,
  closeMs: 5_000,
  /**
   * A process that is told to stop ends within this time: longer than an orderly stop, shorter than manifests allow.
   */
  stopMs: 55 * SECOND_MS,
  lingerMs: SECOND_MS,
  /**
   * Timeouts of checking and encrypting secrets, and of setting the number of queues, which waits for dispatching
   * relays.
   */
  secretsMs: 30 * SECOND_MS,
  shardsMs: 15 * SECOND_MS,
  /** Something is written every few seconds, so an older outage has passed. */
  outageRecentMs: 10_000,
  /** Waiting commits are reported about once a second, so an older report has passed; and the log interval. */
  standbyRecentMs: 4_000,
  standbyLogMs: 30_000,
  /** Connections to a replica: searches are few, and slow. */
  replicaPool: 4,
  /** Timeout for summing up connections at a start. */
  connectionSumMs: 5_000,
  tenantsOpenMs: 10_000,
  /** Timeout of one request to a participant at a start. */
  startCallMs: 5_000,
  /**
   * The longest deduplication period of a participant plus a day, so that a late completion still finds its attempt.
   */
  keepDaysMin: 8,
  /** Timeout for sending the last spans, after everything else has stopped. */
  spansFlushMs: 2_000,
  /**
   * No change is accepted before the projector is prepared. A start waits at most this long: a large ledger takes more
   * time.
   */
  projectorPrepareMs: 10_000,
  projectorLookMs: 10,
  /** Timeout of one call of the doctor. */
  doctorCallMs: 5_000,
  /** Timeout of one statement of an inspection: the first may have to sort a large table. */
  doctorStatementMs: 10 * 60 * 1_000,
  /** How long a stream may take to reach the ledger end that was read. */
  doctorFollowedMs: 5_000,
  doctorLookMs: 100,
  /** A stream that is silent for this long has reported everything. */
  doctorQuietMs: 3_000,
  doctorCloseMs: 2_000,
} as const;

// Relations between bounds of areas that must not import each other.
assert(
  MAIN_LIMITS.webhookExchangeMs < STORE_LIMITS.webhookClaimMs,
  'one delivery is tried by one at a time',
);
