import { assert } from './unreachable.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Every bound of the system that is not configuration. Units are in the names. */
export const LIMITS = {
  /** Deadline of one `Submit` call. */
  submitDeadlineMs: 10 * SECOND_MS,
  /** Of asking the token registry for what an attempt needs, before its `Submit`. */
  registryMs: 4 * SECOND_MS,
  /** How long the party that issues the token is remembered. */
  instrumentAdminMaxAgeMs: 10 * MINUTE_MS,
  /** A dispatched effect without an outcome is dispatched again after this. */
  redispatchMs: 15 * SECOND_MS,
  /**
   * Attempts without an answer are looked for this often, so that their participants are asked and heard after them.
   */
  proofLookMs: 5 * SECOND_MS,
  /** The time of a synchronizer on which nothing happens is moved at most this often. */
  tickMs: 30 * SECOND_MS,
  /**
   * What has ended without an effect is looked through for attempts without a verdict, so many changes at a look. From
   * the beginning again after a minute where some are left, otherwise after an hour.
   */
  endedWalkMax: 500,
  endedAgainMs: MINUTE_MS,
  endedLookMs: 60 * MINUTE_MS,
  /** Changes whose attempts are pinned in one transaction. */
  proofBatchMax: 100,
  /** Of a change's attempts, besides those that are undecided: the newest so many are looked at and shown. */
  attemptsShownMax: 100,
  /**
   * Of asking the participants what the answers in one batch mean; what is not answered by then is asked again later.
   */
  batchAskMs: 2 * SECOND_MS,
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
  /** Duplicate answers in a row, a redispatch apart, whose accepted update cannot be read, before a person is asked. */
  duplicatesUnreadMax: 8,
  /** How long a caller waits for an outcome unless it says otherwise, and at most. */
  httpWaitMsDefault: 30 * SECOND_MS,
  httpWaitMsMax: 2 * MINUTE_MS,
  httpBodyBytesMax: 1024 * 1024,
  commentCharsMax: 10_000,
  /** Request line and headers together. */
  httpHeaderBytesMax: 16 * 1024,
  /** A request whose headers, or whose whole, has not arrived by then is dropped. */
  httpHeadersMs: 10 * SECOND_MS,
  httpReceiveMs: 20 * SECOND_MS,
  httpKeepAliveMs: 65 * SECOND_MS,
  httpConnectionsMax: 4_096,
  /** An id in a path: contract IDs have about 140 characters, command IDs at most 255. */
  pathIdCharsMax: 1_024,
  /** What a `503` asks its caller to wait. */
  retryAfterMs: SECOND_MS,
  /** How long a change may wait for its turn to be recorded; what is expected to wait longer is refused at once. */
  admissionMs: 5 * SECOND_MS,
  /** Of one check behind `/readyz`. */
  readinessMs: 2 * SECOND_MS,
  /** Of asking the ledger for its time before a read; the last known time serves when it does not answer. */
  ledgerTimeReadMs: SECOND_MS,
  /** Changes that waiting callers ask about in one query. */
  outcomeReadMax: 500,
  /** Of that query: a longer one is given up for the next poll. */
  outcomeReadMs: 5 * SECOND_MS,
  /** A longer token is not looked at. */
  tokenCharsMax: 8 * 1024,
  /** Verified tokens that are remembered. */
  tokensMax: 10_000,
  /** An issuer's keys: how long an answer may take, how long they are good for, how soon they are read again. */
  issuerKeysFetchMs: 5 * SECOND_MS,
  issuerKeysMaxAgeMs: 10 * MINUTE_MS,
  issuerKeysCooldownMs: 10 * SECOND_MS,
  /**
   * Registered tenants are read again when they are this old, and at the earliest when none of them is the one asked
   * for.
   */
  tenantsAgeMsMax: SECOND_MS,
  tenantsAgeMsMin: 100,
  tenantsReadMs: 5 * SECOND_MS,
  /** Of asking an authorization server that a tenant has named: one exchange, and how much it may say. */
  issuerExchangeMs: 5 * SECOND_MS,
  issuerBytesMax: 256 * 1024,
  /** Of a tenant's id, client or user, of its addresses, and how many users it lists. */
  tenantNameCharsMax: 255,
  tenantUrlCharsMax: 2_048,
  tenantUsersMax: 1_000,
  /** What a rate limit counts over, and how many callers and addresses it remembers. */
  rateWindowMs: MINUTE_MS,
  rateKeysMax: 10_000,
  /** For so long what was found genuine is let through whatever its address has failed. */
  genuineMs: MINUTE_MS,
  /** A session ends when nothing was asked in it for this long, and at its greatest age. */
  sessionIdleMs: 30 * MINUTE_MS,
  sessionAgeMsMax: 12 * 60 * MINUTE_MS,
  /** That a session is in use is written down at most this often. */
  sessionTouchMs: MINUTE_MS,
  /** Of one person at a time; the one longest unused makes room. */
  sessionsPerSubjectMax: 100,
  /** Sessions that are over are deleted this often, so many in one statement. */
  sessionPruneMs: MINUTE_MS,
  sessionPruneMax: 500,
  /** From the way to the login page to the way back. */
  loginMs: 10 * MINUTE_MS,
  /** Of a login: one exchange with the authorization server, and how long its metadata is good for. */
  loginExchangeMs: 5 * SECOND_MS,
  issuerMetadataMaxAgeMs: 10 * MINUTE_MS,
  /** Clients of authorization servers that are remembered. */
  loginClientsMax: 1_000,
  /** A longer ID token is not kept, so logout goes without it. */
  idTokenCharsMax: 16 * 1024,
  /** A form has a name and a token. */
  formBytesMax: 8 * 1024,
  /** An address to come back to after a login; it travels in a cookie. */
  returnPathCharsMax: 1_024,
  /** Entries and bytes of caller metadata. */
  metadataEntriesMax: 64,
  metadataTextCharsMax: 4_096,
  /** Of a renewal: what the ledger's time can hold, with room. */
  durationMsMax: 36_525 * 24 * 60 * MINUTE_MS,
  /** Allocations that are shown of those which name one renewal request. */
  allocationsMax: 16,
  pageSizeMax: 1_000,
  /** Lifecycles held at once while a whole list is sent. */
  listChunk: 250,
  /** Stream elements applied in one transaction. */
  batchElementsMax: 256,
  /** Of a question to a participant before a stream is opened. */
  ledgerCallMs: 10 * SECOND_MS,
  /** A stream that says nothing for so long is opened again, where its participant announces no pace of checkpoints. */
  streamSilenceMs: 150 * SECOND_MS,
  /** Active contracts stored per statement while bootstrapping. */
  snapshotChunk: 500,
  /** Effects the relay takes at once. */
  relayBatchMax: 100,
  /** For how long a participant is left alone: from the first, doubled each time, to the second. */
  circuitMs: 500,
  circuitMsMax: 30 * SECOND_MS,
  /** Between probes of one that cannot be reached, at most: two hundred in an hour. */
  unreachableMsMax: 20 * SECOND_MS,
  /** What is put off until the next probe comes due over so long, so that it is another's turn each time. */
  probeSpreadMs: 500,
  /** A probe that has had no answer for so long is another's turn. */
  probeMs: 30 * SECOND_MS,
  /** The relay looks for due effects at least this often. */
  relayPollMs: SECOND_MS,
  /** A preview of a bulk act can be applied for so long; what is more than it may hold is to be narrowed. */
  previewMs: 10 * MINUTE_MS,
  bulkItemsMax: 50_000,
  /** Acts of one party that are worked off at a time: all acts of a deployment share one rate. */
  bulkActsRunningMax: 20,
  /** Changes that a preview shows, and refusals that an act tells of. */
  bulkSampleMax: 10,
  /** How long a browser may keep the scripts of the queue's page, seconds. */
  boardAssetsS: 3_600,
  /** Acts to work off are looked for this often while there are none. */
  bulkLookMs: SECOND_MS,
  /** What has waited too long is looked for this often, and so much of it is told. */
  alarmLookMs: 5 * SECOND_MS,
  alarmsMax: 1_000,
  /** What is old is looked for this often, and taken away in batches of so many rows, with pauses between them. */
  retentionLookMs: 60 * MINUTE_MS,
  retentionBatchMax: 1_000,
  retentionPauseMs: 100,
  /** Operations in doubt that one list shows, each with what is known of it. */
  inDoubtListMax: 100,
  /** Timers that are taken at once, and of those, changes that are recorded at once. */
  timerBatchMax: 100,
  timersAtOnce: 8,
  /** Who waits for the nearest due time looks at least this often, should a wake-up have been lost. */
  timerPollMs: 30 * SECOND_MS,
  /** While changes of a policy are on their way, and while the ledger's time stands still until it is set. */
  timerWatchMs: SECOND_MS,
  /** Wake-ups that come together cost one look. */
  timerGatherMs: 50,
  /**
   * Definite failures for which its contract was why, before a timer is given up; the distance after the first, doubled
   * to the second.
   */
  timerFailuresMax: 5,
  /** What lapsed less long ago may have been refused because a clock was ahead. */
  timerTooEarlyMs: MINUTE_MS,
  timerBackoffMs: MINUTE_MS,
  timerBackoffMsMax: 60 * MINUTE_MS,
  /** A timer whose change could not be recorded. */
  timerPutOffMs: 30 * SECOND_MS,
  /** After a failure nothing of the policy fires for so long: doubled with each in a row, to the second. */
  policyPauseMs: 5 * SECOND_MS,
  policyPauseMsMax: 5 * MINUTE_MS,
  /** Of an expiry policy. */
  graceMsMax: 3_653 * 24 * 60 * MINUTE_MS,
  expiriesInFlightMax: 1_000,
  quietHoursMax: 16,
  /** Completions and withdrawals of a renewal policy on their way at once. */
  renewalsInFlightMax: 10,
  /** Of one search of the operations desk; and up to where it counts exactly. */
  searchMs: 5 * SECOND_MS,
  countMax: 10_000,
  /** Of a list of the operations desk, where nobody says how long. */
  opsPageSize: 50,
  /** Of what costs are added up, where nobody says. */
  costsDays: 7,
  outcomePollMs: SECOND_MS,
  /** Events are numbered so many at once, gathered for so long, and looked for at least this often. */
  eventBatchMax: 500,
  eventGatherMs: 5,
  eventPollMs: SECOND_MS,
  /** Numbers that are looked through in one read, and the newest events that every process remembers. */
  eventSpanMax: 1_000,
  eventsRemembered: 2_000,
  /** Of one write to a follower. */
  eventChunkMax: 100,
  /** A follower is told that it is still connected, and asked whether it still may, this often. */
  eventHeartbeatMs: 15 * SECOND_MS,
  /** A follower that takes nothing for so long is cut. */
  eventStallMs: 20 * SECOND_MS,
  /** What a follower is told to wait before it comes back. */
  eventRetryMs: 2 * SECOND_MS,
  /** Streams of one caller, and of all callers of a process, at a time. */
  eventStreamsPerCallerMax: 10,
  eventStreamsMax: 1_000,
  webhooksPerPartyMax: 20,
  /** How long what was the secret of a webhook signs as well. */
  webhookRotationMs: 24 * 60 * MINUTE_MS,
  /** One request to a target: how long, how much of its answer is read, how much of a failure is kept. */
  webhookExchangeMs: 15 * SECOND_MS,
  webhookAnswerBytesMax: 64 * 1024,
  /** Names that others chose: how long anybody waits for what one stands for, and how many are looked up at a time. */
  nameLookupMs: 3 * SECOND_MS,
  nameLookupsMax: 100,
  /** And of one caller. */
  nameLookupsPerAskerMax: 5,
  /** What of that name servers have, how long the first of them, and how often they are asked. */
  nameServersMs: 2_500,
  nameTryMs: 800,
  nameTries: 3,
  webhookErrorCharsMax: 500,
  /** A delivery that could not be tried, for reasons of ours, is tried after this. */
  webhookPutOffMs: 5 * SECOND_MS,
  /** A delivery that is being tried is another's after this. */
  webhookClaimMs: 60 * SECOND_MS,
  /** Tries at the same time by one process: of one webhook that works, and of all. */
  webhookTriesMax: 4,
  webhookTriesOfAllMax: 100,
  /** And of all webhooks of one party. */
  webhookTriesPerPartyMax: 25,
  /** A webhook whose last answer took longer than this is tried with one delivery at a time. */
  webhookSlowMs: 5 * SECOND_MS,
  /** Webhooks whose turns one process remembers. */
  webhooksRemembered: 1_000,
  /** Tests of one webhook that wait to be sent. */
  webhookTestsMax: 5,
  /** Deliveries that are due are looked for at least this often. */
  webhookPollMs: SECOND_MS,
  /** A webhook that fails is left alone for so long, from the first, doubled to the second. */
  webhookPauseMsMin: SECOND_MS,
  webhookPauseMsMax: 5 * MINUTE_MS,
  /** A webhook is disabled when all has failed for so long, or so much waits for one that fails. */
  webhookFailingMsMax: 5 * 24 * 60 * MINUTE_MS,
  webhookBacklogMax: 10_000,
  /** Failures further from each other than this, longer than the longest pause between tries, do not add up. */
  webhookFailuresApartMsMax: 2 * 24 * 60 * MINUTE_MS,
  webhookUrlCharsMax: 2_048,
  /** Patterns of types in one query. */
  eventTypesMax: 20,
  leaseMs: 5 * SECOND_MS,
  /**
   * The projector's transactions wait for nobody: one that is idle for so long belongs to a process that was paused.
   */
  projectorIdleMs: 5 * SECOND_MS,
  drainMs: 10 * SECOND_MS,
  databaseStatementMs: 30 * SECOND_MS,
  /** Processes compare their clocks with the database's this often; what one said longer ago is nobody's. */
  clockLookMs: 10 * SECOND_MS,
  clockReportMsMax: MINUTE_MS,
  /** What a participant said of itself at an address is forgotten after this long. */
  participantAnswerMsMax: 90 * DAY_MS,
  /** Of that comparison. A longer round trip says little. */
  clockAskMs: 2 * SECOND_MS,
  /** Of the newest updates, among how many one of ours is looked for. */
  clockUpdatesMax: 200,
  /** Wall clock against ledger clock, for guards: see LedgerClock. */
  ledgerSkewMs: SECOND_MS,
  /**
   * For so long at least, and twice at the most, a record time that was seen goes on; clocks are apart by this much.
   */
  ledgerLeadMs: MINUTE_MS,
  ledgerLagMs: 250,
  /** Repeats of a transaction after a serialisation failure or deadlock. */
  transactionTriesMax: 8,
} as const;

assert(
  LIMITS.registryMs + LIMITS.submitDeadlineMs < LIMITS.redispatchMs,
  'an attempt ends before its effect is dispatched again',
);
assert(LIMITS.probeMs > LIMITS.redispatchMs, 'a probe is over before another is let through');
assert(LIMITS.backoffMsMin < LIMITS.backoffMsMax, 'backoff grows');
assert(LIMITS.httpWaitMsDefault <= LIMITS.httpWaitMsMax, 'the default wait is allowed');
assert(LIMITS.relayPollMs < LIMITS.redispatchMs, 'a lost wake-up costs less than a lost job');
assert(LIMITS.sessionTouchMs * 2 <= LIMITS.sessionIdleMs, 'a session in use does not end as idle');
assert(LIMITS.webhookExchangeMs < LIMITS.webhookClaimMs, 'one delivery is tried by one at a time');
assert(LIMITS.webhookTriesOfAllMax < LIMITS.webhooksRemembered, 'what is in hand is remembered');
assert(
  LIMITS.sessionIdleMs < LIMITS.sessionAgeMsMax,
  'a session may be used beyond its first idle',
);
assert(
  LIMITS.tokenCharsMax < LIMITS.httpHeaderBytesMax,
  'a token that is looked at fits into the headers',
);
