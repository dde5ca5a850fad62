import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { LIMITS } from '../domain/limits.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of the API. Names end in the unit. */
export const HTTP_LIMITS = {
  /** How long a caller waits for an outcome by default, and the longest wait it can request. */
  httpWaitMsDefault: 30 * SECOND_MS,
  httpWaitMsMax: 2 * MINUTE_MS,
  /** The maximum size of a body, unless its route has another limit: reasons, addresses, filters, comments. */
  httpBodyBytesMax: 64 * 1024,
  /** An answer to a read is compressed only if it has at least this size. */
  compressBytesMin: 1024,
  /** The Brotli quality, of at most eleven: higher ones hardly shorten the output but take many times as long. */
  brotliQuality: 4,
  /** The number of characters of the body's digest in an entity tag. */
  tagDigestChars: 10,
  /** The maximum size of a body with metadata: up to 64 texts of 4,096 characters each. */
  metadataBodyBytesMax: 1024 * 1024,
  /** The maximum total size of the bodies of open requests, for one tenant and for all tenants of a process. */
  bodiesBytesPerTenantMax: 16 * 1024 * 1024,
  bodiesBytesMax: 64 * 1024 * 1024,
  /** A body larger than this is parsed only when the process has time for reads. */
  smallBodyBytes: 16 * 1024,
  /** The maximum number of elements and members in all lists and objects of a body, and the maximum depth. */
  bodyMembersMax: 10_000,
  bodyDepthMax: 256,
  commentCharsMax: 10_000,
  termsUrlCharsMax: 2_048,
  /** The maximum size of the request line and the headers together. */
  httpHeaderBytesMax: 16 * 1024,
  /** A connection is closed if a request's headers, or the whole request, have not arrived within this time. */
  httpHeadersMs: 10 * SECOND_MS,
  httpReceiveMs: 20 * SECOND_MS,
  httpKeepAliveMs: 65 * SECOND_MS,
  httpConnectionsMax: 4_096,
  /** The maximum number of requests of one connection that wait for their answers. */
  pipelinedMax: 16,
  /** The length of a window, in which reads, refusals and large bodies may use only a part of a process's time. */
  loopWindowMs: 100,
  /** The maximum number of reads in progress. A read counts for one window at most. */
  readsAtOnce: 4,
  /**
   * When all refusals together reach this many times the limit of one address, each address has one refusal per second;
   * its further requests without a verified credential are refused early.
   */
  refusingAddresses: 5,
  /** The maximum length of an id in a path. Contract IDs have about 140 characters, command IDs at most 255. */
  pathIdCharsMax: 1_024,
  /** The retry delay in a `503`. */
  retryAfterMs: SECOND_MS,
  /** Timeout of one check behind `/readyz`. */
  readinessMs: 2 * SECOND_MS,
  /** How long one result of the readiness checks, and one rendering of the metrics, is used for all requests. */
  managementKeptMs: SECOND_MS,
  managementConnectionsMax: 64,
  /** How long one read of a desk summary is used for all operators of its scope. */
  summaryKeptMs: SECOND_MS,
  /** The maximum number of changes whose outcomes one query reads for waiting callers. */
  outcomeReadMax: 500,
  /** Timeout of that query; the next poll queries again. */
  outcomeReadMs: 5 * SECOND_MS,
  /** The window of a rate limit, and the maximum number of callers and addresses whose requests are counted. */
  rateWindowMs: MINUTE_MS,
  rateKeysMax: 10_000,
  /** An address may request this many times as many files of the web application as it may make other requests. */
  filesPerRequest: 4,
  /** How long a verified credential is exempt from its address's failed-login limit. */
  genuineMs: MINUTE_MS,
  /** Maximum length of the issuer that an unchecked token claims; all longer names count as one. */
  claimedIssuerCharsMax: 512,
  /** How long a person may take from the redirect to the login page until the return from it. */
  loginMs: 10 * MINUTE_MS,
  /** The maximum size of a login form, which has a name and a token. */
  formBytesMax: 8 * 1024,
  /** The maximum length of a return address after a login, which is kept in a cookie. */
  returnPathCharsMax: 1_024,
  /** How long a browser may cache the scripts of the queue's page, in seconds. */
  boardAssetsS: 3_600,
  /** The maximum number of operations in doubt on one page, each with its evidence. */
  inDoubtPageSize: 100,
  /** Upper bounds for an expiry policy. */
  graceMsMax: 3_653 * 24 * 60 * MINUTE_MS,
  expiriesInFlightMax: 1_000,
  quietHoursMax: 16,
  /** Page size of lists and of lists for operators, unless the caller sets one. */
  pageSize: 100,
  opsPageSize: 50,
  /** Number of days over which costs are summed, unless the caller sets it. */
  costsDays: 7,
  /** Number of days and months that statistics cover, by default and at most. */
  statisticsDays: 30,
  statisticsDaysMax: 400,
  statisticsMonths: 12,
  statisticsMonthsMax: 120,
  /** The number of entries that each part of the desk's digest shows, and the number that it reads and counts. */
  attentionShown: 5,
  attentionLookedAt: 100,
  /** An operation with a shorter wait progresses normally; a stream with a smaller lag is up to date. */
  attentionWaitsMs: MINUTE_MS,
  attentionLagMs: 30 * SECOND_MS,
  /** How long a browser may cache a chart. The time is limited, because a release may change the chart's texts. */
  chartCacheMs: DAY_MS,
  outcomePollMs: SECOND_MS,
  /** Maximum range of event numbers in one read, and the number of newest events that every process caches. */
  eventSpanMax: 1_000,
  eventsRemembered: 2_000,
  /** The maximum number of events in one write to a follower. */
  eventChunkMax: 100,
  /**
   * Interval of the checks whether callers of event streams are still allowed; timeout of one check; and the time after
   * which a stream that takes nothing is cut once its caller is no longer allowed. Including the age of cached tenants,
   * a stream ends within two seconds.
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
  /** The maximum number of concurrent streams of one caller, and of all callers of a process. */
  eventStreamsPerCallerMax: 10,
  eventStreamsMax: 1_000,
  webhookUrlCharsMax: 2_048,
  /** The maximum number of type patterns in one query. */
  eventTypesMax: 20,
  /** How long a program may cache an answer about its licence. A suspension takes effect within this time. */
  validationKeptMsMax: 5 * MINUTE_MS,
  /** How long a program may cache the public keys of licence files. */
  publicKeysKeptMs: 5 * MINUTE_MS,
  /** The maximum size of the body of a call with a licence key: 64 entitlements and the names of a machine. */
  keyBodyBytesMax: 32 * 1024,
  /** The longest fingerprint of a machine or similar name, and the maximum number of entitlements in one request. */
  fingerprintCharsMax: 255,
  entitlementsAskedMax: 64,
  ageCharsMax: 64,
  reasonCharsMax: 2_000,
  synchronizerCharsMax: 512,
  updateIdCharsMax: 255,
  pauseNameCharsMax: 255,
  bulkTokenCharsMax: 128,
  durationCharsMax: 64,
  /** Assumed time to record a change until a measurement exists. */
  admissionGuessMs: 10,
  /**
   * The maximum number of recorded changes of one tenant whose outcomes callers of a process await while other tenants
   * write; how long each change counts; and how long a tenant counts as writing after its last change.
   */
  awaitedPerTenant: 64,
  awaitedMs: 5 * SECOND_MS,
  writingMs: SECOND_MS,
  /**
   * If callers of another tenant wait longer than `delayedMs` for an outcome, a tenant may begin only `begunMax`
   * changes per `begunWindowMs` at a process. `begunLookMs` is the interval of checks whether the next change may
   * begin.
   */
  delayedMs: 50,
  begunMax: 16,
  begunWindowMs: 250,
  begunLookMs: 25,
  readinessReasonCharsMax: 200,
  /** The longest `Idempotency-Key` of a request without an operation, and the time after which no answer will come. */
  idempotencyKeyCharsMax: 255,
  keyedRequestMs: 2 * MINUTE_MS,
  /** The maximum length of the text of a search for customers and licences. */
  searchCharsMax: 255,
  /** The number of subscriptions on one page. It is small, because each subscription needs several reads. */
  subscriptionPageSize: 50,
  /** Number of licences that the preview of an act shows. */
  licenseSampleSize: 10,
  /** The maximum number of unpaid offers of one period, and how long before its end the first may be made. */
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
