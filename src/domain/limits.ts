import { MINUTE_MS, SECOND_MS } from './time.ts';
import { assert } from './unreachable.ts';

/** Bounds of the core, and those that areas share; each area has its own beside it. Units are in the names. */
export const LIMITS = {
  /** A longer name of a query parameter resembles none that is known. */
  nameCharsMax: 64,
  /** Renewals that are shown with their licence, those first whose windows close last: open ones and the newest few. */
  renewalsShownMax: 50,
  /** Deadline of one `Submit` call. */
  submitDeadlineMs: 10 * SECOND_MS,
  /** Asking the token registry for what an attempt needs, before its `Submit`. */
  registryMs: 4 * SECOND_MS,
  /** Attempts that are claimed in one transaction. */
  claimBatchMax: 100,
  /** Queues that share what is to be submitted, at the most: the table of them says so as well. */
  queueShardsMax: 64,
  /** Answers that are recorded in one transaction, and lanes that it locks at the most. */
  answerBatchMax: 50,
  /** A dispatched effect without an outcome is dispatched again after this. */
  redispatchMs: 15 * SECOND_MS,
  /** What has ended without an effect is looked through for attempts without a verdict, so many changes at a look. */
  endedWalkMax: 500,
  /** Changes whose attempts are pinned in one transaction. */
  proofBatchMax: 100,
  /** Lanes that one batch of the projector settles because what they waited for has come, beside its own. */
  overdueLanesMax: 1_000,
  /** Refusals for contention, load or a replaced contract, before a change fails. */
  attemptsMax: 12,
  /** How often a person may have one change done again. */
  retriesMax: 32,
  backoffMsMin: 50,
  backoffMsMax: 10 * SECOND_MS,
  /**
   * Between tries while the ledger cannot be reached or the token is refused: from the first, doubled to the second.
   */
  unavailableBackoffMs: SECOND_MS,
  unavailableBackoffMsMax: 30 * SECOND_MS,
  /** Effects of operations that the database has lost are an alarm for so long. */
  tombstoneAlarmMs: 30 * 24 * 60 * MINUTE_MS,
  /** Duplicate answers in a row, a redispatch apart, whose accepted update cannot be read, before a person is asked. */
  duplicatesUnreadMax: 8,
  /** Asking the ledger for its time before a read; the last known time serves when it does not answer. */
  ledgerTimeReadMs: SECOND_MS,
  /** Verified tokens that are remembered. */
  tokensMax: 10_000,
  /**
   * Registered tenants are read again when they are this old, and at the earliest when none of them is the one asked
   * for.
   */
  tenantsAgeMsMax: SECOND_MS,
  tenantsAgeMsMin: 100,
  tenantsReadMs: 5 * SECOND_MS,
  /** A tenant's id, client or user, its addresses, and how many users it lists. */
  tenantNameCharsMax: 255,
  tenantUrlCharsMax: 2_048,
  /** A list of tenants waits no longer for participants to say whose parties they know. */
  hostedAnswerMs: 2 * SECOND_MS,
  tenantUsersMax: 1_000,
  /** Keys of one licence that are not revoked, and all that are kept of it. */
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
  /** A preview of a bulk act can be applied for so long; what is more than it may hold is to be narrowed. */
  previewMs: 10 * MINUTE_MS,
  /** The first licences that the preview of a policy names. */
  previewFirstMax: 10,
  previewTokenBytes: 24,
  bulkItemsMax: 50_000,
  alarmsMax: 1_000,
  /** Definite failures for which its contract was why, before a timer is given up. */
  timerFailuresMax: 5,
  /** Up to where a search of the operations desk counts exactly. */
  countMax: 10_000,
  /** Events are numbered so many at once. Followers of a process look for new ones at least this often. */
  eventBatchMax: 500,
  eventPollMs: SECOND_MS,
  webhooksPerPartyMax: 20,
  /** Deliveries that one process tries at the same time. */
  webhookTriesOfAllMax: 100,
  /** Tests of one webhook that wait to be sent. */
  webhookTestsMax: 5,
  /** This long a frozen process keeps its leases. One that ends frees them at once. */
  leaseMs: 8 * SECOND_MS,
  drainMs: 10 * SECOND_MS,
  databaseStatementMs: 30 * SECOND_MS,
  /** Comparing clocks: a longer round trip says little. */
  clockAskMs: 2 * SECOND_MS,
  /** Wall clock against ledger clock, for guards: see LedgerClock. */
  ledgerSkewMs: SECOND_MS,
  explanationCharsMax: 300,
  /** However it has spent its time: nothing takes this long in the ordinary course. */
  ageMsMax: 10 * MINUTE_MS,
  /** Lifecycles that are locked at once. */
  reconcilePage: 200,
  /** News this old tell that a participant is behind: a few times what a transaction takes to be told. */
  behindMs: 10 * SECOND_MS,
  /** For so long what arrived last says how things are. */
  newsFreshMs: 30 * SECOND_MS,
  /**
   * What a participant cannot send to may be away for a moment: it does not tell that from one that it has left. It
   * tries to connect again every 30 s at the longest (Canton, `SequencerClientConfig.maxConnectionRetryDelay`), so that
   * is thirty tries, and longer than a sequencer takes to be restarted or replaced.
   */
  goneMs: 15 * MINUTE_MS,
  /** How often a lease is asked for that another holds: what a takeover takes longer than the lease lasts. */
  leaseStandbyMs: 250,
  /** Between tries to reach the database: short, because all work stands still until it is back. */
  leaseAskMsMax: 1_000,
  /** Between terms whose work fails: a participant that is away, a ledger that is another one. */
  leaseRestartMsMax: 5_000,
  /** In the life of a lease: one extension may fail or be late before it is lost. */
  leaseExtensions: 3,
  leaseGiveBackMs: 1_000,
  /** After so long a batch of what is done together is taken for stuck, and the next one begins beside it. */
  gatherSlowMs: 250,
  /**
   * Requests that come within this time share a transaction while others are under way. One by itself costs the
   * processor 20 ms and more on its way, and one of four half of that (`bench/README.md`).
   */
  doorRestMs: 45,
  /** Changes of several callers that one transaction records. */
  recordedTogetherMax: 64,
  /**
   * Waiting changes that one transaction ends, because their lifecycle has ended for example: a thousand of them take a
   * second, during which their lane is locked.
   */
  refusedTogetherMax: 200,
  /** Operations that may wait in a lane, unless a setting says otherwise. */
  mailboxMax: 10_000,
  /** When a caller whose operation found no room may ask again: a lane carries out about one operation a second. */
  mailboxFullRetryMs: 5 * SECOND_MS,
  /** When a tenant with as many open operations as its quota allows may ask again. */
  openOperationsRetryMs: 5 * SECOND_MS,
  /** A process reads the traffic of a tenant with a quota at most this often. */
  trafficReadMs: 5 * SECOND_MS,
  /** Interrupted lanes that are continued one after the other before they are looked for again. */
  interruptedLanesMax: 50,
  /** Ticks whose completions are still waited for; those before are not told any more. */
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
