import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the store. Units are in the names. */
export const STORE_LIMITS = {
  /**
   * Callers that one dispatch round considers, in key order: this number from the longest-waiting one on, and this
   * number before it.
   */
  turnLeapsMax: 1_000,
  /**
   * Effects of all callers together that such a round reads for each one that it takes, besides one of each caller:
   * more than one, because some callers have fewer effects than their turns.
   */
  turnRowsPerTaken: 5,
  /** Links of the audit log's chain that the doctor reads at once, and unchained rows that the doctor names. */
  auditLinksRead: 10_000,
  auditUnchainedShown: 5,
  /** A row of the audit log that was committed within this time is chained, even if its transaction began earlier. */
  auditSettledMs: 60 * MINUTE_MS,
  /** Rows that one transaction deletes, of those that end with another row. */
  partMax: 1_000,
  /** Secrets that one transaction encrypts again. */
  secretsSealed: 200,
  /** The newest effects of lost operations that a person is shown. */
  tombstonesShown: 5,
  /** Changes that one read looks at, of those that wait for a position: from a random one on, and from the first. */
  lanesWaitingMax: LIMITS.overdueLanesMax,
  /** Oldest updates that are read, of those that carry a change's workflow ID and may be its effect. */
  updatesCarryingMax: 100,
  /** Newest attempts of a change that are read and shown, in addition to the undecided ones. */
  attemptsShownMax: 100,
  /** Allocations that are shown for one request. */
  allocationsMax: 16,
  /** The newest comments among which an acceptance of terms is looked for. */
  termsSearchedMax: 1_000,
  /** Newest contracts of one kind from which a subscription is judged. */
  subscriptionFactsMax: 50,
  /** Subscriptions that one transaction looks at to announce a price. */
  priceBatchMax: 500,
  /** Lifecycles that a refusal names when the caller must choose between several. */
  alikeMax: 20,
  /** Lifecycles that are moved to lanes of their own at a time, and how long the move may wait for locks. */
  lanesApartMax: 500,
  lanesApartWaitMs: 500,
  /** Effects that one queue refused, while other queues took theirs, are due again after this. */
  refusedAgainMs: 500,
  /** How long a circuit stays open: the first time, doubled each time, up to the maximum. */
  circuitMs: 500,
  circuitMsMax: 30 * SECOND_MS,
  /** Longest interval between probes of an unreachable participant: about two hundred an hour. */
  unreachableMsMax: 20 * SECOND_MS,
  /**
   * Effects that wait for the next probe come due spread over this time, so that a different one is the probe each
   * time.
   */
  probeSpreadMs: 500,
  /** After completions are followed again, the stream has this long to report on earlier submissions. */
  retoldMs: 500,
  /** Minimum age of a change's first attempt without an outcome before it may be lost; doubled with each attempt. */
  unheardMs: 2 * SECOND_MS,
  /**
   * For this long after an effect was put off, the relay looks for effects put off for a circuit that no longer exists.
   */
  strayMs: 45 * SECOND_MS,
  /** When database sessions end, the effects of their processes become due at random within this time per effect. */
  endedSpreadMs: 10,
  endedSpreadMsMax: 5 * SECOND_MS,
  /** Effects that one transaction blocks, releases or moves for a pause, a mark, a circuit or a stream. */
  heldTogetherMax: 1_000,
  /** A relay looks for blocked effects without a cause at this interval, and reads at most this number of them. */
  releaseLookMs: 2 * SECOND_MS,
  releaseLookMax: 500,
  /** How long an inspection waits for a table that another transaction has locked. */
  snapshotLockMs: 3 * SECOND_MS,
  /** A probe without an answer for this long gives its turn to another effect. */
  probeMs: 30 * SECOND_MS,
  /** Acts of one party that are processed at a time: all acts of a deployment share one rate. */
  bulkActsRunningMax: 20,
  /** Changes that a preview shows, and refusals that an act reports. */
  bulkSampleMax: 10,
  /** Timeout of one search of the operations desk. */
  searchMs: 5 * SECOND_MS,
  /** How long the previous secret of a webhook also signs. */
  webhookRotationMs: DAY_MS,
  /** Retry delay of a delivery that could not be tried for an internal reason. */
  webhookPutOffMs: 5 * SECOND_MS,
  /** A delivery claimed for this long may be claimed by another process. */
  webhookClaimMs: 60 * SECOND_MS,
  /** Concurrent tries by one process for one webhook that works. */
  webhookTriesMax: 4,
  /** Concurrent tries by one process for all webhooks of one party. */
  webhookTriesPerPartyMax: 25,
  /** Pause after a webhook fails: from the minimum, doubled up to the maximum. */
  webhookPauseMsMin: SECOND_MS,
  webhookPauseMsMax: 5 * MINUTE_MS,
  /**
   * A webhook is disabled when every delivery has failed for this long, or when its backlog reaches this while it
   * fails.
   */
  webhookFailingMsMax: 5 * DAY_MS,
  webhookBacklogMax: 10_000,
  /** A webhook that has failed for this long raises an alarm before it is disabled. */
  webhookAlarmMs: 3 * DAY_MS,
  /** Failures further apart than this do not add up. It is longer than the longest pause between tries. */
  webhookFailuresApartMsMax: 2 * DAY_MS,
  /** Messages of an address that are remembered as accepted while their deliveries are tried again. */
  mailsRemembered: 16,
  /**
   * The projector's transactions wait for no other process, so one that is idle for this long belongs to a paused
   * process.
   */
  projectorIdleMs: 5 * SECOND_MS,
  /** Clock reports of a process older than this do not count. */
  clockReportMsMax: MINUTE_MS,
  /** Deletion age of the answers that a participant gave about itself at an address. */
  participantAnswerMsMax: 90 * DAY_MS,
  /** Number of newest updates that are searched for one that Tenure submitted. */
  clockUpdatesMax: 200,
  /** Most tries of a transaction after serialisation failures or deadlocks. */
  transactionTriesMax: 8,
  /** Rows of a table that are in memory at once, with their related rows. */
  evidencePage: 200,
  /** Lines of one lifecycle's history that are in memory at once. */
  evidenceHistoryPage: 1_000,
  vitalsListedMax: 20,
  /** Counts of a kind stop at this number. */
  figuresCountedMax: 20_000,
  /** Most items of an act that are skipped in one search for the next item, so that the search is bounded. */
  bulkPassedOverMax: 1_000,
  /** The newest rows that are scanned before an index in another order is used. */
  searchRecent: 2_000,
  /** The books: contracts that one transaction reads, and reminders that one transaction announces. */
  bookContractsMax: 500,
  remindersMax: 200,
  /**
   * Several reminders may be due at the same moment, so the next read begins this long before the last announced one.
   */
  reminderMomentS: 0.000_001,
  /** A reminder whose cause was due longer ago than this is dropped. */
  reminderDaysKept: 400,
  /** Timeout for opening one connection. */
  connectMs: 5_000,
  /**
   * Timeout for asking one server its role: with every new connection, and in the periodic check of several servers.
   */
  serverAskMs: 2_000,
  /** Interval at which all servers of a database are asked whether another one was promoted. */
  serversLookMs: 5_000,
  /**
   * How long a read waits for a replica to replay a write, how often it checks, and how long a late replica is unused.
   */
  replicaWaitMs: 250,
  replicaLookMs: 10,
  replicaRestMs: 5_000,
  /**
   * A migration's timeouts: for its own lock, and for each try to lock the tables. Other statements queue behind a
   * waiting lock, so a pause between two tries lets them run.
   */
  migrationLockMs: 60_000,
  migrationTableLockMs: 3_000,
  migrationAgainMs: 500,
  /** A connection that is unused for this long is closed. */
  idleConnectionMs: 30_000,
  /**
   * On a server that shares the cores of this process: connections in addition to one per core, for statements that
   * wait for the disk and for sessions between two statements. Another connection is opened after waiting this long for
   * one.
   */
  connectionsBesideCores: 1,
  patienceMs: 100,
  /** A statement may outlive the deadline by this factor, so most transactions keep the timeout of the connection. */
  statementLateFactor: 1.25,
  /** Extra time of the client's own timer after the server's statement timeout, for the answer to arrive. */
  answerGraceMs: 5_000,
  /**
   * A connection whose statement has had no answer for `silenceMs` is checked over another connection, and again after
   * as long. Connections are looked at every `silenceLookMs`. A check may take `silenceAskMs`.
   */
  silenceMs: SECOND_MS,
  silenceLookMs: 250,
  silenceAskMs: 2_000,
  /** Extra time that the database has beyond the statement timeout, to report the timeout itself. */
  askGraceMs: 2_000,
  /** A dead network looks like a channel without notifications; a query at this interval tells them apart. */
  listenHeartbeatMs: 10_000,
  /** Customers and references that one search finds at most, each. */
  searchFoundMax: 500,
} as const;

assert(
  STORE_LIMITS.strayMs > STORE_LIMITS.probeMs + STORE_LIMITS.probeSpreadMs,
  'what is put off is looked for until it is due by itself',
);
assert(STORE_LIMITS.probeMs > LIMITS.redispatchMs, 'a probe is over before another is let through');
