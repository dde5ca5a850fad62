import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';
import { STORE_LIMITS } from '../store/limits.ts';

/** Bounds of starting and stopping a process. The unit is the last part of each name. */
export const MAIN_LIMITS = {
  /** How long a change may wait to be recorded. A change that would have to wait longer is refused at once. */
  admissionMs: 5 * SECOND_MS,
  /** The shortest interval between two counts of the processes that share the deployment's limits. */
  limitShareMs: SECOND_MS,
  /** Requests to an authorization server that a tenant chose: the timeout, and the maximum size of an answer. */
  issuerExchangeMs: 5 * SECOND_MS,
  issuerBytesMax: 256 * 1024,
  /** The interval at which ended sessions are deleted. */
  sessionPruneMs: MINUTE_MS,
  /** Requests to the target of a webhook: the timeout, and how much of an answer is read. */
  webhookExchangeMs: 15 * SECOND_MS,
  webhookAnswerBytesMax: 64 * 1024,
  /**
   * How long a process that may not migrate waits for the migration job, and how often it checks whether the job is
   * done.
   */
  migrationWaitMs: 2 * MINUTE_MS,
  migrationLookMs: SECOND_MS,
  /** The interval at which the answer to a rebuild request is polled. */
  rebuildLookMs: 100,
  /** While a provider drains before a move: the poll interval, and how long to wait for locks on its tables. */
  cellLookMs: 200,
  cellLockMs: 3_000,
  /** How long the thaw of a provider is retried while other processes hold locks on its tables. */
  cellThawMs: 60 * SECOND_MS,
  cellStatementMs: 30 * SECOND_MS,
  /** Timeout of reading to which cell a ledger user belongs: an unresponsive participant must not delay a start. */
  cellAskMs: 2 * SECOND_MS,
  /** The shortest interval between two records of another cell that uses the same ledger user. */
  otherCellMs: 10 * SECOND_MS,
  /** If at least this much memory is available, processes get more than the small size. */
  largeFromBytes: 2 * 2 ** 30,
  closeMs: 5_000,
  /**
   * A process that is told to stop ends within this time. It is longer than an orderly stop takes, and shorter than the
   * time that the manifests allow.
   */
  stopMs: 55 * SECOND_MS,
  lingerMs: SECOND_MS,
  /**
   * Timeouts: of checking and encrypting secrets, and of setting the number of queues, which waits for relays that are
   * dispatching.
   */
  secretsMs: 30 * SECOND_MS,
  shardsMs: 15 * SECOND_MS,
  /** An older outage has passed, because something is written every few seconds. */
  outageRecentMs: 10_000,
  /**
   * Waiting commits are reported about once a second, so an older report no longer applies. Then the interval at which
   * they are logged.
   */
  standbyRecentMs: 4_000,
  standbyLogMs: 30_000,
  /** The number of connections to a replica. Searches are few, but slow. */
  replicaPool: 4,
  /** Timeout of adding up the needed connections at a start. */
  connectionSumMs: 5_000,
  tenantsOpenMs: 10_000,
  /** Timeout of one request to a participant at a start. */
  startCallMs: 5_000,
  /**
   * The longest deduplication period of a participant plus one day, so that the attempt of a late completion is still
   * stored.
   */
  keepDaysMin: 8,
  /** Timeout for sending the last spans, after everything else has stopped. */
  spansFlushMs: 2_000,
  /**
   * No change is accepted before the projector is prepared. A start waits at most this long until it is, because
   * preparing takes longer for a large ledger.
   */
  projectorPrepareMs: 10_000,
  projectorLookMs: 10,
  /** Timeout of each call that the doctor makes. */
  doctorCallMs: 5_000,
  /** Timeout of one statement of an inspection; the first may have to sort a large table. */
  doctorStatementMs: 10 * 60 * 1_000,
  /** How long the doctor waits for a stream to reach the ledger end that was read before. */
  doctorFollowedMs: 5_000,
  doctorLookMs: 100,
  /** If a stream reports nothing for this long, the doctor assumes that the stream has reported everything. */
  doctorQuietMs: 3_000,
  doctorCloseMs: 2_000,
} as const;

// Compares bounds of areas that must not import each other.
assert(
  MAIN_LIMITS.webhookExchangeMs < STORE_LIMITS.webhookClaimMs,
  'one delivery is tried by one at a time',
);
