import { MINUTE_MS, SECOND_MS } from './time.ts';
import { assert } from './unreachable.ts';

/** Limits of the core, and limits that several areas share; each area has its own limits file. Names end in units. */
export const LIMITS = {
  /** Maximum number of subscriptions in a batch of a check, and of operations for one step of a subscription. */
  subscriptionBatchMax: 200,
  subscriptionStepsMax: 60,
  /**
   * For one action of the provider on many licences: the maximum number of licences that it changes, the maximum number
   * that its filter reads, and the length of its ID.
   */
  licensesActedMax: 500,
  licensesScannedMax: 20_000,
  licenseActIdChars: 20,
  /** How long a check of subscriptions waits for the projection to catch up with the ledger, and how often it polls. */
  subscriptionReadUpMs: 10_000,
  subscriptionAskMs: 50,
  /** A query parameter with a longer name is not compared with the known names. */
  nameCharsMax: 64,
  /**
   * Maximum number of renewals that are shown with their licence: the open ones and the newest ended ones, the latest
   * window end first.
   */
  renewalsShownMax: 50,
  /** Maximum number of a licence's renewals that have not ended. Other ledger clients' renewals are not limited. */
  renewalsUnendedMax: 1_000,
  /** Deadline of one `Submit` call. */
  submitDeadlineMs: 10 * SECOND_MS,
  /** Timeout for calling the token registry for an attempt's prerequisites, before its `Submit`. */
  registryMs: 4 * SECOND_MS,
  /** Maximum number of attempts that one transaction claims. */
  claimBatchMax: 100,
  /** Maximum number of submission queues; their table has the same limit. */
  queueShardsMax: 64,
  /** Maximum number of answers that one transaction records. Each can lock one lane. */
  answerBatchMax: 50,
  /** A dispatched effect without an outcome is dispatched again after this time. */
  redispatchMs: 15 * SECOND_MS,
  /**
   * One check searches ended changes for attempts without a verdict: the maximum number of changes that it searches.
   * Only changes without an effect are searched.
   */
  endedWalkMax: 500,
  /** Maximum number of changes whose attempts get their proof time in one transaction. */
  proofBatchMax: 100,
  /**
   * Maximum number of lanes that a batch of the projector settles because their wait is over, in addition to the lanes
   * that the batch concerns.
   */
  overdueLanesMax: 1_000,
  /** A change fails after this many refusals for contention, load or a replaced contract. */
  attemptsMax: 12,
  /** How often a person may retry one change. */
  retriesMax: 32,
  backoffMsMin: 50,
  backoffMsMax: 10 * SECOND_MS,
  /**
   * Delay between tries while the ledger is unreachable or refuses the token: begins with the first value and doubles
   * up to the second.
   */
  unavailableBackoffMs: SECOND_MS,
  unavailableBackoffMsMax: 30 * SECOND_MS,
  /** How long an alarm is raised for effects of operations that the database has lost. */
  tombstoneAlarmMs: 30 * 24 * 60 * MINUTE_MS,
  /**
   * If this many successive duplicate answers, each after a redispatch, name an accepted update that cannot be read, a
   * person has to decide.
   */
  duplicatesUnreadMax: 8,
  /** Timeout for asking for the ledger's time before data is read. Without an answer, the last known time is used. */
  ledgerTimeReadMs: SECOND_MS,
  /** Maximum number of verified tokens in the cache. */
  tokensMax: 10_000,
  /**
   * Registered tenants are reloaded at the maximum age. If the requested tenant is not among them, they are reloaded at
   * the minimum age.
   */
  tenantsAgeMsMax: SECOND_MS,
  tenantsAgeMsMin: 100,
  tenantsReadMs: 5 * SECOND_MS,
  /** Maximum lengths of a tenant's ID, client or user and of its addresses, and maximum number of its users. */
  tenantNameCharsMax: 255,
  tenantUrlCharsMax: 2_048,
  /** How long a list of tenants waits for the participants' reports of which parties they host. */
  hostedAnswerMs: 2 * SECOND_MS,
  tenantUsersMax: 1_000,
  /** Maximum number of a licence's keys that are not revoked, and maximum number of its stored keys. */
  licenseKeysMax: 100,
  licenseKeysKeptMax: 1_000,
  /** Maximum number of machines of one licence, even if its plan sells any number of seats. */
  licenseMachinesMax: 10_000,
  /** Maximum number of sessions that one statement deletes. */
  sessionPruneMax: 500,
  /** Maximum number of entries and maximum size of a caller's metadata. */
  metadataEntriesMax: 64,
  metadataTextCharsMax: 4_096,
  /** Maximum extension by a renewal: well below the latest time that the ledger can store. */
  durationMsMax: 36_525 * 24 * 60 * MINUTE_MS,
  pageSizeMax: 1_000,
  /** Number of lifecycles in memory at a time while a whole list is sent. */
  listChunk: 250,
  /** Timeout for a call to a participant before a stream is opened. */
  ledgerCallMs: 10 * SECOND_MS,
  /** How long a preview of a bulk act can be applied, and the most matches; a larger filter must be narrowed. */
  previewMs: 10 * MINUTE_MS,
  /** How long the answer of a request with an Idempotency-Key is kept, and how many answers one batch deletes. */
  answersKeptMs: 24 * 60 * MINUTE_MS,
  answersPrunedMax: 1_000,
  /** Number of licences that the preview of a policy names: those that end first. */
  previewFirstMax: 10,
  previewTokenBytes: 24,
  bulkItemsMax: 50_000,
  alarmsMax: 1_000,
  /** A timer is given up after this many definite failures caused by its lifecycle's contract. */
  timerFailuresMax: 5,
  /** Searches of the operations desk count exactly up to this number; a larger count is only a lower bound. */
  countMax: 10_000,
  /** Maximum number of events that are numbered at once; maximum time between a process's polls for new events. */
  eventBatchMax: 500,
  eventPollMs: SECOND_MS,
  webhooksPerPartyMax: 20,
  /** Maximum number of deliveries that one process tries at the same time. */
  webhookTriesOfAllMax: 100,
  /** Maximum number of test deliveries of one webhook that wait to be sent. */
  webhookTestsMax: 5,
  /** How long a process that is frozen keeps its leases. A process that stops releases them at once. */
  leaseMs: 8 * SECOND_MS,
  /**
   * How long running work may continue after a process was asked to stop. A stop takes at most 10 s: the remaining time
   * is for returning unfinished work and closing connections.
   */
  drainMs: 7 * SECOND_MS,
  databaseStatementMs: 30 * SECOND_MS,
  /** Timeout for a comparison of clocks: a longer round trip is too inexact. */
  clockAskMs: 2 * SECOND_MS,
  /** The margin that the wall clock is assumed to be ahead of the ledger's clock, for guards: see LedgerClock. */
  ledgerSkewMs: SECOND_MS,
  explanationCharsMax: 300,
  /** A longer age is unusual for an open change, whatever the change waited for. */
  ageMsMax: 10 * MINUTE_MS,
  /** Number of active contracts whose lifecycles are locked at once. */
  reconcilePage: 200,
  /** A participant whose latest report is older is behind. This is a few times the delay of a report. */
  behindMs: 10 * SECOND_MS,
  /** How long a participant's last report counts as current. */
  newsFreshMs: 30 * SECOND_MS,
  /**
   * After this time, a synchronizer that a participant does not reach counts as left; the participant cannot
   * distinguish the two cases. It reconnects at least every 30 s (Canton,
   * `SequencerClientConfig.maxConnectionRetryDelay`), so this is thirty tries, and longer than it takes to restart or
   * replace a sequencer.
   */
  goneMs: 15 * MINUTE_MS,
  /** Poll interval for a lease of another process. A takeover lasts at most the lease's remaining time plus this. */
  leaseStandbyMs: 250,
  /** Maximum delay between tries to reach the database: short, because all work waits for the database. */
  leaseAskMsMax: 1_000,
  /**
   * Maximum delay before a process asks for a lease again if its work under the lease has failed, for example because a
   * participant is unreachable or holds another ledger.
   */
  leaseRestartMsMax: 5_000,
  /** How often a lease is extended within its duration: one extension may fail or be late before the lease is lost. */
  leaseExtensions: 3,
  leaseGiveBackMs: 1_000,
  /** A batch that runs longer counts as stuck: the next batch starts although this one still runs. */
  gatherSlowMs: 250,
  /**
   * Requests that arrive within this time share a transaction while other transactions run. A single request takes 20
   * ms or more of processor time, and a request in a batch of four takes half of that (`bench/README.md`).
   */
  doorRestMs: 45,
  /** Maximum number of changes of several callers that one transaction records. */
  recordedTogetherMax: 64,
  /**
   * Maximum number of waiting changes that one transaction ends, for example because their lifecycle has ended: ending
   * a thousand changes takes a second, during which their lane is locked.
   */
  refusedTogetherMax: 200,
  /** Maximum number of operations that wait in a lane, unless a setting gives another number. */
  mailboxMax: 10_000,
  /**
   * Retry delay for a caller whose operation was refused because the lane is full: a lane carries out about one
   * operation per second.
   */
  mailboxFullRetryMs: 5 * SECOND_MS,
  /** Retry delay for a tenant that has used up its quota of open operations. */
  openOperationsRetryMs: 5 * SECOND_MS,
  /** How often a process reads the traffic of a tenant with a quota: at most once in this time. */
  trafficReadMs: 5 * SECOND_MS,
  /** Number of interrupted lanes that are continued, one after another, before the next search for such lanes. */
  interruptedLanesMax: 50,
  /** Maximum number of time advances whose completions are awaited; completions of older ones are ignored. */
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
