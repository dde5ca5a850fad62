import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the store. The unit is the last part of each name. */
export const STORE_LIMITS = {
  /**
   * The callers that one dispatch round considers, in key order: at most this number starting with the one that has
   * waited longest, and at most this number before that one.
   */
  turnLeapsMax: 1_000,
  /**
   * For each effect that such a round takes, how many effects it reads over all callers, in addition to one per caller.
   * It is more than one, because some callers have too few effects to use all their turns.
   */
  turnRowsPerTaken: 5,
  /** How many links of the audit log's chain the doctor reads at once, and how many unchained rows it names. */
  auditLinksRead: 10_000,
  auditUnchainedShown: 5,
  /**
   * The chain waits this long for rows of the audit log that are committed late: a row is chained if it is committed
   * within this time after a row with a later ID was chained.
   */
  auditSettledMs: 60 * MINUTE_MS,
  /** How many rows that end with another row are deleted in one transaction. */
  partMax: 1_000,
  /** How many secrets one transaction encrypts again. */
  secretsSealed: 200,
  /** How many effects of lost operations a person is shown, newest first. */
  tombstonesShown: 5,
  /**
   * How many of the changes that wait for a position one read considers: from a random one on, and from the first one.
   */
  lanesWaitingMax: LIMITS.overdueLanesMax,
  /** How many updates are read that carry a change's workflow ID and may be its effect, oldest first. */
  updatesCarryingMax: 100,
  /** How many attempts of a change are read and shown in addition to the undecided ones, newest first. */
  attemptsShownMax: 100,
  /** How many allocations are shown for one request. */
  allocationsMax: 16,
  /** How many comments are searched for an acceptance of terms, newest first. */
  termsSearchedMax: 1_000,
  /** How many contracts of one kind, newest first, are read to judge a subscription. */
  subscriptionFactsMax: 50,
  /** How many subscriptions one transaction reads to announce a price. */
  priceBatchMax: 500,
  /** How many lifecycles a refusal names if the caller must choose between several. */
  alikeMax: 20,
  /**
   * How many lifecycles are moved to lanes of their own in one transaction, and how long the move may wait for locks.
   */
  lanesApartMax: 500,
  lanesApartWaitMs: 500,
  /** After this time, effects are due again that one queue refused while other queues accepted theirs. */
  refusedAgainMs: 500,
  /** How long a circuit stays open at first, and the maximum to which this time doubles. */
  circuitMs: 500,
  circuitMsMax: 30 * SECOND_MS,
  /** The longest interval between two probes of an unreachable participant: about two hundred probes an hour. */
  unreachableMsMax: 20 * SECOND_MS,
  /**
   * Effects that wait for the next probe become due at different times within this span, so that each probe is a
   * different effect.
   */
  probeSpreadMs: 500,
  /** When completions are followed again, the stream has this long to report earlier submissions. */
  retoldMs: 500,
  /**
   * The age from which a change's first attempt may be lost if it has no outcome; doubled with each further attempt.
   */
  unheardMs: 2 * SECOND_MS,
  /**
   * For this long after a relay put off an effect, it searches for effects that wait for a circuit that no longer
   * exists.
   */
  strayMs: 45 * SECOND_MS,
  /**
   * When database sessions end, the effects of their processes become due at random times: within this time for each
   * effect, up to a maximum.
   */
  endedSpreadMs: 10,
  endedSpreadMsMax: 5 * SECOND_MS,
  /**
   * How many effects one transaction blocks, releases or moves because of a pause, a mark, a circuit or a stream. For a
   * pause or a mark, no change is recorded during this transaction.
   */
  heldTogetherMax: 500,
  /**
   * The interval at which a relay searches for blocked effects without a cause, and how many effects it reads each
   * time.
   */
  releaseLookMs: 2 * SECOND_MS,
  releaseLookMax: 500,
  /** How long an inspection waits for a table that another transaction has locked. */
  snapshotLockMs: 3 * SECOND_MS,
  /** If a probe has had no answer for this long, another effect becomes the probe. */
  probeMs: 30 * SECOND_MS,
  /** How many acts of one party run at the same time: all acts of a deployment share one rate. */
  bulkActsRunningMax: 20,
  /** How many changes a preview shows, and how many refusals an act reports. */
  bulkSampleMax: 10,
  /** Timeout of one search of the operations desk. */
  searchMs: 5 * SECOND_MS,
  /** For how long the previous secret of a webhook is used to sign, too. */
  webhookRotationMs: DAY_MS,
  /** The delay of a delivery that could not be tried for an internal reason. */
  webhookPutOffMs: 5 * SECOND_MS,
  /** After this time, another process may take over a delivery that a process has claimed. */
  webhookClaimMs: 60 * SECOND_MS,
  /** How many concurrent tries one process makes for one webhook, if the webhook works. */
  webhookTriesMax: 4,
  /** How many concurrent tries one process makes for all webhooks of one party. */
  webhookTriesPerPartyMax: 25,
  /** The pause after a failure of a webhook: the minimum, and the maximum to which it doubles. */
  webhookPauseMsMin: SECOND_MS,
  webhookPauseMsMax: 5 * MINUTE_MS,
  /**
   * A webhook is disabled if all its deliveries have failed for this long, or if it fails while its backlog has this
   * size.
   */
  webhookFailingMsMax: 5 * DAY_MS,
  webhookBacklogMax: 10_000,
  /** A webhook that has failed for this long raises an alarm before it is disabled. */
  webhookAlarmMs: 3 * DAY_MS,
  /**
   * Failures that are further apart than this are not counted together. It is longer than the longest pause between two
   * tries.
   */
  webhookFailuresApartMsMax: 2 * DAY_MS,
  /**
   * How many messages to one address are remembered as accepted, so that they are not sent again with a repeated
   * delivery.
   */
  mailsRemembered: 16,
  /** The projector's transactions wait for no other process. So if one is idle for this long, its process is paused. */
  projectorIdleMs: 5 * SECOND_MS,
  /** A clock report that is older than this does not count. */
  clockReportMsMax: MINUTE_MS,
  /** The age at which a participant's stored answers about itself are deleted. */
  participantAnswerMsMax: 90 * DAY_MS,
  /** How many updates are searched for one that Tenure submitted, newest first. */
  clockUpdatesMax: 200,
  /** The maximum number of tries of a transaction that fails with serialisation failures or deadlocks. */
  transactionTriesMax: 8,
  /** How many rows of a table are in memory at once, with their related rows. */
  evidencePage: 200,
  /** How many lines of one lifecycle's history are in memory at once. */
  evidenceHistoryPage: 1_000,
  vitalsListedMax: 20,
  /** The number at which counts for monitoring stop. */
  figuresCountedMax: 20_000,
  /** How many items of an act one search for its next item may skip, so that the search is bounded. */
  bulkPassedOverMax: 1_000,
  /** How many rows, newest first, are scanned before an index in another order is used. */
  searchRecent: 2_000,
  /** The books: how many contracts one transaction reads, and how many reminders it announces. */
  bookContractsMax: 500,
  remindersMax: 200,
  /**
   * The next search for reminders begins this long before the last announced one, because several may be due at the
   * same moment.
   */
  reminderMomentS: 0.000_001,
  /** A reminder is deleted when its cause was due longer ago than this. */
  reminderDaysKept: 400,
  /** Timeout of opening one connection. */
  connectMs: 5_000,
  /**
   * Timeout of asking one server for its role: with every new connection, and in the periodic check of several servers.
   */
  serverAskMs: 2_000,
  /** The interval at which all servers of a database are asked whether another one was promoted. */
  serversLookMs: 5_000,
  /**
   * How long a read waits for a replica to replay a write, how often it checks that, and how long a replica is not used
   * after it was late.
   */
  replicaWaitMs: 250,
  replicaLookMs: 10,
  replicaRestMs: 5_000,
  /**
   * Timeouts of a migration: for its own lock, and for each try to lock the tables. Then the pause between two tries,
   * in which other statements run that have queued behind the waiting lock.
   */
  migrationLockMs: 60_000,
  migrationTableLockMs: 3_000,
  migrationAgainMs: 500,
  /** A connection that is unused for this long is closed. */
  idleConnectionMs: 30_000,
  /**
   * For a server that shares the cores of this process. The number of connections beyond one per core, for statements
   * that wait for the disk and for sessions between two statements. Then how long a caller waits for a connection
   * before a further one is opened.
   */
  connectionsBesideCores: 1,
  patienceMs: 100,
  /**
   * A statement may run longer than the deadline by this factor, so that most transactions need not change the timeout
   * of their connection.
   */
  statementLateFactor: 1.25,
  /**
   * How much later than the server's statement timeout the client's own timer fires, so that the server's answer can
   * arrive.
   */
  answerGraceMs: 5_000,
  /**
   * A connection whose statement has had no answer for `silenceMs` is checked over another connection, and checked
   * again after each further `silenceMs`. Connections are examined every `silenceLookMs`. A check may take
   * `silenceAskMs`.
   */
  silenceMs: SECOND_MS,
  silenceLookMs: 250,
  silenceAskMs: 2_000,
  /** How long the database has after the statement timeout to report that timeout. */
  askGraceMs: 2_000,
  /**
   * The interval of a query that shows whether the connection works, because a dead network looks like a channel
   * without notifications.
   */
  listenHeartbeatMs: 10_000,
  /** The maximum number of customers, and of references, that one search finds. */
  searchFoundMax: 500,
} as const;

assert(
  STORE_LIMITS.strayMs > STORE_LIMITS.probeMs + STORE_LIMITS.probeSpreadMs,
  'what is put off is looked for until it is due by itself',
);
assert(STORE_LIMITS.probeMs > LIMITS.redispatchMs, 'a probe is over before another is let through');
