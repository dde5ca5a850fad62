import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { LIMITS } from '../domain/limits.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the API. Units are in the names. */
export const HTTP_LIMITS = {
  /** How long a caller waits for an outcome unless it says otherwise, and at most. */
  httpWaitMsDefault: 30 * SECOND_MS,
  httpWaitMsMax: 2 * MINUTE_MS,
  /** A body, unless its route says otherwise: reasons, addresses, filters, comments. */
  httpBodyBytesMax: 64 * 1024,
  /** Shorter answers to reads are not compressed. */
  compressBytesMin: 1024,
  /** The best of eleven is hardly shorter, and takes many times as long. */
  brotliQuality: 4,
  /** What an entity tag has of the digest of a body. */
  tagDigestChars: 10,
  /** A body with metadata: 64 texts of 4,096 characters each. */
  metadataBodyBytesMax: 1024 * 1024,
  /** Bodies of requests that are open, of one tenant and of all tenants of a process: bytes together. */
  bodiesBytesPerTenantMax: 16 * 1024 * 1024,
  bodiesBytesMax: 64 * 1024 * 1024,
  /** Elements and members of all lists and objects of a body together. */
  bodyMembersMax: 10_000,
  bodyDepthMax: 256,
  commentCharsMax: 10_000,
  /** Request line and headers together. */
  httpHeaderBytesMax: 16 * 1024,
  /** A request whose headers, or whose whole, has not arrived by then is dropped. */
  httpHeadersMs: 10 * SECOND_MS,
  httpReceiveMs: 20 * SECOND_MS,
  httpKeepAliveMs: 65 * SECOND_MS,
  httpConnectionsMax: 4_096,
  /** Requests of one connection that wait for their answers. */
  pipelinedMax: 16,
  /** As many addresses may be refused at the pace of one address before strangers are turned away. */
  refusingAddresses: 5,
  /** An id in a path: contract IDs have about 140 characters, command IDs at most 255. */
  pathIdCharsMax: 1_024,
  /** What a `503` asks its caller to wait. */
  retryAfterMs: SECOND_MS,
  /** One check behind `/readyz`. */
  readinessMs: 2 * SECOND_MS,
  /** One round of readiness checks, and one rendering of the metrics, answers all requests for so long. */
  managementKeptMs: SECOND_MS,
  managementConnectionsMax: 64,
  /** One reading of a summary of the desk answers all operators of its scope for so long. */
  summaryKeptMs: SECOND_MS,
  /** Changes that waiting callers ask about in one query. */
  outcomeReadMax: 500,
  /** That query: a longer one is given up for the next poll. */
  outcomeReadMs: 5 * SECOND_MS,
  /** What a rate limit counts over, and how many callers and addresses it remembers. */
  rateWindowMs: MINUTE_MS,
  rateKeysMax: 10_000,
  /** For so long what was found genuine is let through whatever its address has failed. */
  genuineMs: MINUTE_MS,
  /** The issuer that an unchecked token claims: longer names are counted as one. */
  claimedIssuerCharsMax: 512,
  /** From the way to the login page to the way back. */
  loginMs: 10 * MINUTE_MS,
  /** A form has a name and a token. */
  formBytesMax: 8 * 1024,
  /** An address to come back to after a login; it travels in a cookie. */
  returnPathCharsMax: 1_024,
  /** How long a browser may keep the scripts of the queue's page, seconds. */
  boardAssetsS: 3_600,
  /** Operations in doubt that one list shows, each with what is known of it. */
  inDoubtListMax: 100,
  /** What an expiry policy may say. */
  graceMsMax: 3_653 * 24 * 60 * MINUTE_MS,
  expiriesInFlightMax: 1_000,
  quietHoursMax: 16,
  /** How long a list of the operations desk is, unless its caller says. */
  opsPageSize: 50,
  /** As many sessions as one person may have are listed. */
  sessionsMax: 100,
  /** Over how many days costs are added up, unless the caller says. */
  costsDays: 7,
  /** Over how many days and months statistics are told, unless the caller says, and at most. */
  statisticsDays: 30,
  statisticsDaysMax: 400,
  statisticsMonths: 12,
  statisticsMonthsMax: 120,
  /** How long a list of contracts is, unless its caller says. */
  contractsPageSize: 100,
  /** What the digest of the operations desk shows of each part, and how many of it are looked at and counted. */
  attentionShown: 5,
  attentionLookedAt: 100,
  /** An operation that waits less is merely on its way; a stream that lags less is followed. */
  attentionWaitsMs: MINUTE_MS,
  attentionLagMs: 30 * SECOND_MS,
  /** The words of a chart may change with a release. */
  chartCacheMs: DAY_MS,
  outcomePollMs: SECOND_MS,
  /** Numbers that are looked through in one read, and the newest events that every process remembers. */
  eventSpanMax: 1_000,
  eventsRemembered: 2_000,
  /** One write to a follower. */
  eventChunkMax: 100,
  /**
   * The time between two looks at the callers of event streams, the time that one look takes, and the time from a
   * caller's end until a stream that takes nothing is cut. With the age of known tenants a stream ends within two
   * seconds.
   */
  eventStayMs: 500,
  eventLookMs: 150,
  eventEndMs: 300,
  /** A follower is told that it is still connected this often. */
  eventHeartbeatMs: 15 * SECOND_MS,
  /** A follower that takes nothing for so long is cut. */
  eventStallMs: 20 * SECOND_MS,
  /** What a follower is told to wait before it comes back. */
  eventRetryMs: 2 * SECOND_MS,
  /** Streams of one caller, and of all callers of a process, at a time. */
  eventStreamsPerCallerMax: 10,
  eventStreamsMax: 1_000,
  webhookUrlCharsMax: 2_048,
  /** Patterns of types in one query. */
  eventTypesMax: 20,
  /** How long a list of deliveries is, unless its caller says. */
  deliveriesPageSize: 100,
  /** For so long a program may keep an answer about its licence: a suspension takes effect within this time. */
  validationKeptMsMax: 5 * MINUTE_MS,
  /** The public keys of licence files. */
  publicKeysKeptMs: 5 * MINUTE_MS,
  /** A fingerprint of a machine, or another name that programs choose, and entitlements of one question. */
  fingerprintCharsMax: 255,
  entitlementsAskedMax: 64,
  ageCharsMax: 64,
  reasonCharsMax: 2_000,
  synchronizerCharsMax: 512,
  updateIdCharsMax: 255,
  pauseNameCharsMax: 255,
  bulkTokenCharsMax: 128,
  durationCharsMax: 64,
  /** What recording a change is taken to last until something has been measured. */
  admissionGuessMs: 10,
  readinessReasonCharsMax: 200,
  /** Customers and plans. */
  searchCharsMax: 255,
  productPageSize: 100,
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
