import { MINUTE_MS, SECOND_MS } from './time.ts';
import { assert } from './unreachable.ts';

/**
 * Limits of the core, and limits that several areas share; each area has its own limits file. Names end in the unit.
 */
export const LIMITS = {
  /** Subscriptions that one batch of a look reads, and operations that one step of them can need. */
  subscriptionBatchMax: 200,
  subscriptionStepsMax: 60,
  /** Licences that one act of a person reaches, licences that its filter reads, and characters of its ID. */
  licensesActedMax: 500,
  licensesScannedMax: 20_000,
  licenseActIdChars: 20,
  /** How long a look at subscriptions waits for the projection, and how often it asks. */
  subscriptionReadUpMs: 10_000,
  subscriptionAskMs: 50,
  /** A longer name of a query parameter is not compared with the known names. */
  nameCharsMax: 64,
  /** Renewals that are shown with their licence, latest window end first: the open ones and the newest few. */
  renewalsShownMax: 50,
  /** Renewals of one licence that have not ended. Renewals that another ledger client requests are not limited. */
  renewalsUnendedMax: 1_000,
  /** Deadline of one `Submit` call. */
  submitDeadlineMs: 10 * SECOND_MS,
  /** Calling the token registry for the prerequisites of an attempt, before its `Submit`. */
  registryMs: 4 * SECOND_MS,
  /** Attempts that are claimed in one transaction. */
  claimBatchMax: 100,
  /** Maximum number of submission queues; their table has the same limit. */
  queueShardsMax: 64,
  /** Answers that one transaction records, and the most lanes that it locks. */
  answerBatchMax: 50,
  /** A dispatched effect without an outcome is dispatched again after this. */
  redispatchMs: 15 * SECOND_MS,
  /** Ended changes without an effect that one check searches for attempts without a verdict. */
  endedWalkMax: 500,
  /** Changes whose attempts get their proof time in one transaction. */
  proofBatchMax: 100,
  /** Lanes that one batch of the projector settles because their wait is over, in addition to its own lanes. */
  overdueLanesMax: 1_000,
  /** Refusals for contention, load or a replaced contract, before a change fails. */
  attemptsMax: 12,
  /** How often a person may retry one change. */
  retriesMax: 32,
  backoffMsMin: 50,
  backoffMsMax: 10 * SECOND_MS,
  /**
   * Between tries while the ledger cannot be reached or the token is refused: from the first, doubled to the second.
   */
  unavailableBackoffMs: SECOND_MS,
  unavailableBackoffMsMax: 30 * SECOND_MS,
  /** How long effects of operations that the database has lost raise an alarm. */
  tombstoneAlarmMs: 30 * 24 * 60 * MINUTE_MS,
  /** Duplicate answers in a row, a redispatch apart, whose accepted update cannot be read, before a person is asked. */
  duplicatesUnreadMax: 8,
  /** Asking the ledger for its time before a read; the last known time serves when it does not answer. */
  ledgerTimeReadMs: SECOND_MS,
  /** Verified tokens that are remembered. */
  tokensMax: 10_000,
  /**
   * Registered tenants are reloaded at this age, and at the minimum age when the requested tenant is not among them.
   */
  tenantsAgeMsMax: SECOND_MS,
  tenantsAgeMsMin: 100,
  tenantsReadMs: 5 * SECOND_MS,
  /** A tenant's id, client or user, its addresses, and how many users it lists. */
  tenantNameCharsMax: 255,
  tenantUrlCharsMax: 2_048,
  /** A list of tenants waits this long for participants to report whose parties they host. */
  hostedAnswerMs: 2 * SECOND_MS,
  tenantUsersMax: 1_000,
  /** Keys of one licence that are not revoked, and all keys of the licence that are kept. */
  licenseKeysMax: 100,
  licenseKeysKeptMax: 1_000,
  /** Machines of one licence, also where its plan sells any number of seats. */
  licenseMachinesMax: 10_000,
  /** Sessions that are deleted in one statement. */
  sessionPruneMax: 500,
  /** Entries and bytes of caller metadata. */
  metadataEntriesMax: 64,
  metadataTextCharsMax: 4_096,
  /** The extension of a renewal: what the ledger's time can hold, with room. */
  durationMsMax: 36_525 * 24 * 60 * MINUTE_MS,
  pageSizeMax: 1_000,
  /** Lifecycles held at once while a whole list is sent. */
  listChunk: 250,
  /** A question to a participant before a stream is opened. */
  ledgerCallMs: 10 * SECOND_MS,
  /** A preview of a bulk act can be applied this long; a filter with more matches than the maximum must be narrowed. */
  previewMs: 10 * MINUTE_MS,
  /** How long the answer of a request with an Idempotency-Key is kept, and answers that one batch deletes. */
  answersKeptMs: 24 * 60 * MINUTE_MS,
  answersPrunedMax: 1_000,
  /** The first licences that the preview of a policy names. */
  previewFirstMax: 10,
  previewTokenBytes: 24,
  bulkItemsMax: 50_000,
  alarmsMax: 1_000,
  /** Definite failures caused by its contract, before a timer is given up. */
  timerFailuresMax: 5,
  /** Searches of the operations desk count exactly up to this number. */
  countMax: 10_000,
  /** Events that are numbered at once. Followers of a process poll for new ones at least this often. */
  eventBatchMax: 500,
  eventPollMs: SECOND_MS,
  webhooksPerPartyMax: 20,
  /** Deliveries that one process tries at the same time. */
  webhookTriesOfAllMax: 100,
  /** Tests of one webhook that wait to be sent. */
  webhookTestsMax: 5,
  /** How long a frozen process keeps its leases. A process that ends releases them at once. */
  leaseMs: 8 * SECOND_MS,
  /**
   * How long running work may continue after a process was told to stop. A stop ends within 10 s: the rest is for
   * handing work back and closing connections.
   */
  drainMs: 7 * SECOND_MS,
  databaseStatementMs: 30 * SECOND_MS,
  /** Comparing clocks: a longer round trip is too inexact. */
  clockAskMs: 2 * SECOND_MS,
  /** Wall clock against ledger clock, for guards: see LedgerClock. */
  ledgerSkewMs: SECOND_MS,
  explanationCharsMax: 300,
  /** An age limit that no ordinary case reaches, whatever the time was spent on. */
  ageMsMax: 10 * MINUTE_MS,
  /** Lifecycles that are locked at once. */
  reconcilePage: 200,
  /** News this old show that a participant is behind: a few times the delay of a transaction's report. */
  behindMs: 10 * SECOND_MS,
  /** How long the last arrival counts as current. */
  newsFreshMs: 30 * SECOND_MS,
  /**
   * A participant cannot distinguish an unreachable synchronizer from one that it has left. It reconnects every 30 s at
   * the longest (Canton, `SequencerClientConfig.maxConnectionRetryDelay`), so this is thirty tries, and longer than a
   * sequencer takes to be restarted or replaced.
   */
  goneMs: 15 * MINUTE_MS,
  /** Poll interval for a lease that another process holds: added to the lease's remaining time in a takeover. */
  leaseStandbyMs: 250,
  /** Between tries to reach the database: short, because all work waits for the database. */
  leaseAskMsMax: 1_000,
  /**
   * Between terms whose work fails, for example because a participant is unreachable or a ledger is a different one.
   */
  leaseRestartMsMax: 5_000,
  /** Within the duration of a lease: one extension may fail or be late before the lease is lost. */
  leaseExtensions: 3,
  leaseGiveBackMs: 1_000,
  /** A batch that takes longer counts as stuck, and the next batch begins concurrently. */
  gatherSlowMs: 250,
  /**
   * Requests that arrive within this time share a transaction while other transactions run. A single request costs the
   * processor 20 ms and more, and one of a batch of four half of that (`bench/README.md`).
   */
  doorRestMs: 45,
  /** Changes of several callers that one transaction records. */
  recordedTogetherMax: 64,
  /**
   * Waiting changes that one transaction ends, for example because their lifecycle has ended: a thousand of them take a
   * second, during which their lane is locked.
   */
  refusedTogetherMax: 200,
  /** Operations that may wait in a lane, unless a setting says otherwise. */
  mailboxMax: 10_000,
  /** Retry delay for a caller whose operation found no room: a lane carries out about one operation a second. */
  mailboxFullRetryMs: 5 * SECOND_MS,
  /** Retry delay for a tenant whose quota of open operations is used up. */
  openOperationsRetryMs: 5 * SECOND_MS,
  /** A process reads the traffic of a tenant with a quota at most this often. */
  trafficReadMs: 5 * SECOND_MS,
  /** Interrupted lanes that are continued one after the other before the next search for such lanes. */
  interruptedLanesMax: 50,
  /** Ticks whose completions are still awaited; completions of older ticks are ignored. */
  ticksOpenMax: 100,
} as const;

assert(
  LIMITS.registryMs + LIMITS.submitDeadlineMs < LIMITS.redispatchMs,
  'an attempt ends before its effect is dispatched again',
);
assert(LIMITS.backoffMsMin < LIMITS.backoffMsMax, 'backoff grows');
assert(
  LIMITS.leaseStandbyMs < LIMITS.leaseAskMsMax && LIMITS.leaseAskMsMax < LIMITS.leaseRestartMsMax,
  'pauses of a lease grow',
);
