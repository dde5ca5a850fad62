import { LIMITS } from '../domain/limits.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the store. Units are in the names. */
export const STORE_LIMITS = {
  /** Callers among whom one round shares out what may be dispatched, from the longest waiting on; as many before. */
  turnLeapsMax: 1_000,
  /** Links of the audit log's chain that the doctor reads at once, and rows outside the chain that the doctor names. */
  auditLinksRead: 10_000,
  auditUnchainedShown: 5,
  /** A row of the audit log that was committed within this time is chained, also when its transaction began before. */
  auditSettledMs: 60 * MINUTE_MS,
  /** Secrets that are sealed again in one transaction. */
  secretsSealed: 200,
  /** Effects of lost operations that are named to people, the newest. */
  tombstonesShown: 5,
  /** Lanes whose head waits for a position that has been reached: at most this number of each kind is read at once. */
  lanesWaitingMax: 10 * LIMITS.overdueLanesMax,
  /** Updates that carry the workflow ID of a change and may be its effect: the oldest, at most this number. */
  updatesCarryingMax: 100,
  /** Attempts of a change, besides those that are undecided: the newest so many are looked at and shown. */
  attemptsShownMax: 100,
  /** Allocations that are shown of those which name one request. */
  allocationsMax: 16,
  /** Lifecycles that a refusal names of those among which a caller may choose. */
  alikeMax: 20,
  /** Lifecycles that go into lanes of their own at a time, and how long all others may be waited for. */
  lanesApartMax: 500,
  lanesApartWaitMs: 500,
  /** What one of several queues did not take, while others took theirs, is due again after this. */
  refusedAgainMs: 500,
  /** For how long a participant is left alone: from the first, doubled each time, to the second. */
  circuitMs: 500,
  circuitMsMax: 30 * SECOND_MS,
  /** Between probes of one that cannot be reached, at most: two hundred in an hour. */
  unreachableMsMax: 20 * SECOND_MS,
  /** What is put off until the next probe comes due over so long, so that it is another's turn each time. */
  probeSpreadMs: 500,
  /** Completions that are followed again have so long to tell of what was submitted before. */
  retoldMs: 500,
  /** The first attempt of a change without an outcome is that old before it may be lost; doubled with each. */
  unheardMs: 2 * SECOND_MS,
  /** So long after something was put off it is looked for what is put off for a circuit that is there no more. */
  strayMs: 45 * SECOND_MS,
  /** A relay looks this often for blocked effects without a cause, at so many of them. */
  releaseLookMs: 2 * SECOND_MS,
  releaseLookMax: 500,
  /** An inspection waits so long for a table that another transaction has locked. */
  snapshotLockMs: 3 * SECOND_MS,
  /** A probe that has had no answer for so long is another's turn. */
  probeMs: 30 * SECOND_MS,
  /** Acts of one party that are worked off at a time: all acts of a deployment share one rate. */
  bulkActsRunningMax: 20,
  /** Changes that a preview shows, and refusals that an act tells of. */
  bulkSampleMax: 10,
  /** One search of the operations desk. */
  searchMs: 5 * SECOND_MS,
  /** How long what was the secret of a webhook signs as well. */
  webhookRotationMs: DAY_MS,
  /** A delivery that could not be tried, for reasons of ours, is tried after this. */
  webhookPutOffMs: 5 * SECOND_MS,
  /** A delivery that is being tried is another's after this. */
  webhookClaimMs: 60 * SECOND_MS,
  /** Tries at the same time by one process, of one webhook that works. */
  webhookTriesMax: 4,
  /** And of all webhooks of one party. */
  webhookTriesPerPartyMax: 25,
  /** A webhook that fails is left alone for so long, from the first, doubled to the second. */
  webhookPauseMsMin: SECOND_MS,
  webhookPauseMsMax: 5 * MINUTE_MS,
  /** A webhook is disabled when all has failed for so long, or so much waits for one that fails. */
  webhookFailingMsMax: 5 * DAY_MS,
  webhookBacklogMax: 10_000,
  /** A webhook that has failed for so long is alarmed, before it is disabled. */
  webhookAlarmMs: 3 * DAY_MS,
  /** Failures further from each other than this, longer than the longest pause between tries, do not add up. */
  webhookFailuresApartMsMax: 2 * DAY_MS,
  /**
   * The projector's transactions wait for no other process: one that is idle for so long belongs to a process that was
   * paused.
   */
  projectorIdleMs: 5 * SECOND_MS,
  /** What a process said of its clock longer ago does not count. */
  clockReportMsMax: MINUTE_MS,
  /** What a participant said of itself at an address is forgotten after this long. */
  participantAnswerMsMax: 90 * DAY_MS,
  /** Among so many of the newest updates one of ours is looked for. */
  clockUpdatesMax: 200,
  /** Repeats of a transaction after a serialisation failure or deadlock. */
  transactionTriesMax: 8,
  /** Rows of a table that are held at once, with all that belongs to them. */
  evidencePage: 200,
  /** Lines of one lifecycle's history that are held at once. */
  evidenceHistoryPage: 1_000,
  vitalsListedMax: 20,
  /** More than so many of a kind count as so many. */
  figuresCountedMax: 20_000,
  /** So many items of an act are passed over at most, so that a look at what is next has an end. */
  bulkPassedOverMax: 1_000,
  /** So many of the newest are looked through before an index is asked that has what is meant in another order. */
  searchRecent: 2_000,
  /** The books: contracts that one transaction reads, reminders that one transaction tells. */
  bookContractsMax: 500,
  remindersMax: 200,
  /** Reminders may be due at the same moment as the last one that was told: the next look begins before it. */
  reminderMomentS: 0.000_001,
  /** A cause that was due longer ago than this is not looked for any more. */
  reminderDaysKept: 400,
  /** Opening one connection. */
  connectMs: 5_000,
  /** One server says what it is; asked for with every new connection, and by itself where there are several. */
  serverAskMs: 2_000,
  /** All servers of a database are asked so often whether another was promoted. */
  serversLookMs: 5_000,
  /** A replica has so long to replay what was written, is asked so often, and rests so long when it has not. */
  replicaWaitMs: 250,
  replicaLookMs: 10,
  replicaRestMs: 5_000,
  /**
   * How long a migration waits for its lock, and for those of the tables: so long at a time, and with a pause in which
   * others go on. They wait behind it meanwhile.
   */
  migrationLockMs: 60_000,
  migrationTableLockMs: 3_000,
  migrationAgainMs: 500,
  /** A connection that is not used for so long is closed. */
  idleConnectionMs: 30_000,
  /**
   * On a server that shares our cores: connections beside one for each core, for what waits for the disk or for its
   * next statement. For one of them is waited so long before another is opened.
   */
  connectionsBesideCores: 1,
  patienceMs: 100,
  /** What our own clock gives the server beyond its own limit, for the answer to arrive. */
  answerGraceMs: 5_000,
  /**
   * A connection that has been asked something and says nothing for so long is asked after, over another one, and again
   * after as long. Looks are so far apart, and a question after it may take so long.
   */
  silenceMs: SECOND_MS,
  silenceLookMs: 250,
  silenceAskMs: 2_000,
  /** What the database is given beyond the time of its statements, to say that it was too little. */
  askGraceMs: 2_000,
  /** A network that has gone silent looks like a channel on which nothing happens; a question tells them apart. */
  listenHeartbeatMs: 10_000,
  /** Customers and references that one search finds at most, each. */
  searchFoundMax: 500,
} as const;

assert(
  STORE_LIMITS.strayMs > STORE_LIMITS.probeMs + STORE_LIMITS.probeSpreadMs,
  'what is put off is looked for until it is due by itself',
);
assert(STORE_LIMITS.probeMs > LIMITS.redispatchMs, 'a probe is over before another is let through');
