import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { LIMITS } from '../domain/limits.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of the API. Names end in the unit. */
export const HTTP_LIMITS = {
  /** How long a caller waits for an outcome by default, and at most. */
  httpWaitMsDefault: 30 * SECOND_MS,
  httpWaitMsMax: 2 * MINUTE_MS,
  /** A body, unless its route says otherwise: reasons, addresses, filters, comments. */
  httpBodyBytesMax: 64 * 1024,
  /** Shorter answers to reads are not compressed. */
  compressBytesMin: 1024,
  /** The best of eleven levels hardly shortens the output, and takes many times as long. */
  brotliQuality: 4,
  /** Length of the digest of a body in an entity tag. */
  tagDigestChars: 10,
  /** A body with metadata: 64 texts of 4,096 characters each. */
  metadataBodyBytesMax: 1024 * 1024,
  /** Total bytes of the bodies of open requests, of one tenant and of all tenants of a process. */
  bodiesBytesPerTenantMax: 16 * 1024 * 1024,
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Larger bodies wait for time of the process before they are parsed. */
  smallBodyBytes: 16 * 1024,
  /** Elements and members of all lists and objects of a body, in total. */
  bodyMembersMax: 10_000,
  bodyDepthMax: 256,
  commentCharsMax: 10_000,
  termsUrlCharsMax: 2_048,
  /** Request line and headers together. */
  httpHeaderBytesMax: 16 * 1024,
  /** A request is dropped if its headers, or all of it, have not arrived within this time. */
  httpHeadersMs: 10 * SECOND_MS,
  httpReceiveMs: 20 * SECOND_MS,
  httpKeepAliveMs: 65 * SECOND_MS,
  httpConnectionsMax: 4_096,
  /** Requests of one connection that wait for their answers. */
  pipelinedMax: 16,
  /** Reads, refusals and large bodies of callers may keep a process busy for a part of each such window. */
  loopWindowMs: 100,
  /** Reads in progress. A read counts for one window at most. */
  readsAtOnce: 4,
  /** After this many addresses reached the pace of one address, all strangers are refused early. */
  refusingAddresses: 5,
  /** An id in a path: contract IDs have about 140 characters, command IDs at most 255. */
  pathIdCharsMax: 1_024,
  /** The retry delay in a `503`. */
  retryAfterMs: SECOND_MS,
  /** One check behind `/readyz`. */
  readinessMs: 2 * SECOND_MS,
  /** How long one round of readiness checks, and one rendering of the metrics, answers all requests. */
  managementKeptMs: SECOND_MS,
  managementConnectionsMax: 64,
  /** How long one read of a desk summary answers all operators of its scope. */
  summaryKeptMs: SECOND_MS,
  /** Changes that waiting callers ask about in one query. */
  outcomeReadMax: 500,
  /** Timeout of that query; after it the next poll queries again. */
  outcomeReadMs: 5 * SECOND_MS,
  /** The window of a rate limit, and the number of callers and addresses that it remembers. */
  rateWindowMs: MINUTE_MS,
  rateKeysMax: 10_000,
  /** How long a verified credential is exempt from its address's failed-login limit. */
  genuineMs: MINUTE_MS,
  /** The issuer that an unchecked token claims: all longer names count as one. */
  claimedIssuerCharsMax: 512,
  /** The time from the redirect to the login page until the return. */
  loginMs: 10 * MINUTE_MS,
  /** A form has a name and a token. */
  formBytesMax: 8 * 1024,
  /** A return address after a login; it is kept in a cookie. */
  returnPathCharsMax: 1_024,
  /** How long a browser may keep the scripts of the queue's page, seconds. */
  boardAssetsS: 3_600,
  /** Operations in doubt of one page, each with its evidence. */
  inDoubtPageSize: 100,
  /** Bounds of an expiry policy. */
  graceMsMax: 3_653 * 24 * 60 * MINUTE_MS,
  expiriesInFlightMax: 1_000,
  quietHoursMax: 16,
  /** Page size of lists, and of those that operators read, unless the caller sets one. */
  pageSize: 100,
  opsPageSize: 50,
  /** Days over which costs are summed, unless the caller sets them. */
  costsDays: 7,
  /** Days and months that statistics cover, by default and at most. */
  statisticsDays: 30,
  statisticsDaysMax: 400,
  statisticsMonths: 12,
  statisticsMonthsMax: 120,
  /** Entries that the desk's digest shows of each part, and entries that it reads and counts. */
  attentionShown: 5,
  attentionLookedAt: 100,
  /** An operation with a shorter wait is in normal progress; a stream with a smaller lag is up to date. */
  attentionWaitsMs: MINUTE_MS,
  attentionLagMs: 30 * SECOND_MS,
  /** The texts of a chart may change with a release. */
  chartCacheMs: DAY_MS,
  outcomePollMs: SECOND_MS,
  /** Numbers that one read covers, and the newest events that every process caches. */
  eventSpanMax: 1_000,
  eventsRemembered: 2_000,
  /** Events in one write to a follower. */
  eventChunkMax: 100,
  /**
   * The interval of checks of event streams' callers, the timeout of one check, and the time from a caller's end until
   * a stream that takes nothing is cut. With the age of known tenants, a stream ends within two seconds.
   */
  eventStayMs: 500,
  eventLookMs: 150,
  eventEndMs: 300,
  /** Interval of heartbeats to a follower. */
  eventHeartbeatMs: 15 * SECOND_MS,
  /** A follower that takes nothing for this long is disconnected. */
  eventStallMs: 20 * SECOND_MS,
  /** The reconnect delay that a follower receives. */
  eventRetryMs: 2 * SECOND_MS,
  /** Concurrent streams of one caller, and of all callers of a process. */
  eventStreamsPerCallerMax: 10,
  eventStreamsMax: 1_000,
  webhookUrlCharsMax: 2_048,
  /** Patterns of types in one query. */
  eventTypesMax: 20,
  /** How long a program may cache an answer about its licence: a suspension takes effect within this time. */
  validationKeptMsMax: 5 * MINUTE_MS,
  /** The public keys of licence files. */
  publicKeysKeptMs: 5 * MINUTE_MS,
  /** A fingerprint of a machine, or another name that a program chooses, and entitlements in one question. */
  fingerprintCharsMax: 255,
  entitlementsAskedMax: 64,
  ageCharsMax: 64,
  reasonCharsMax: 2_000,
  synchronizerCharsMax: 512,
  updateIdCharsMax: 255,
  pauseNameCharsMax: 255,
  bulkTokenCharsMax: 128,
  durationCharsMax: 64,
  /** The estimated time to record a change, until there is a measurement. */
  admissionGuessMs: 10,
  /**
   * Recorded changes of one tenant that callers of a process wait for while other tenants write, how long each change
   * counts, and how long a tenant counts as writing after its last change.
   */
  awaitedPerTenant: 64,
  awaitedMs: 5 * SECOND_MS,
  writingMs: SECOND_MS,
  /**
   * Changes that one tenant begins within this time at a process while callers of another tenant wait longer than this
   * for an outcome, and how often a process looks whether the next one may begin.
   */
  delayedMs: 100,
  begunMax: 16,
  begunWindowMs: 250,
  begunLookMs: 25,
  readinessReasonCharsMax: 200,
  /** An Idempotency-Key of a request that records no operation. After this time without an answer, none will come. */
  idempotencyKeyCharsMax: 255,
  keyedRequestMs: 2 * MINUTE_MS,
  /** A search of customers and licences. */
  searchCharsMax: 255,
  /** Subscriptions of one page: each needs several reads. */
  subscriptionPageSize: 50,
  /** Licences that the preview of an act shows. */
  licenseSampleSize: 10,
  /** Unpaid offers of one period, and how long before its end the first may be made. */
  subscriptionTriesMax: 10,
  offerBeforeDaysMax: 366,
  nameCharsMax: 255,
  shortNameCharsMax: 16,
  emailsMax: 20,
  noteCharsMax: 10_000,
  externalReferencesMax: 20,
  seatsMax: 1_000_000,
  periodMonthsMax: 1_200,
} as const;

assert(HTTP_LIMITS.httpWaitMsDefault <= HTTP_LIMITS.httpWaitMsMax, 'the default wait is allowed');
assert(
  HTTP_LIMITS.eventStayMs +
    HTTP_LIMITS.eventLookMs +
    LIMITS.tenantsAgeMsMax +
    HTTP_LIMITS.eventEndMs <
    2 * SECOND_MS,
  'an event stream ends within two seconds of its token, session or tenant',
);
