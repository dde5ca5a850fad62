import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of authentication. Names end in the unit. */
export const AUTH_LIMITS = {
  /** A token that expires later is refused. */
  tokenLifeMsMax: 30 * DAY_MS,
  /** An issuer's keys: the timeout of a read, how long the keys are valid, and the minimum interval of reads. */
  issuerKeysFetchMs: 5 * SECOND_MS,
  issuerKeysMaxAgeMs: 10 * MINUTE_MS,
  issuerKeysCooldownMs: 5 * SECOND_MS,
  /** How many of an issuer's keys are used, and how many are tried on one token: a key ID names one. */
  issuerKeysMax: 100,
  issuerKeysTriedMax: 20,
  /** The shortest RSA key (RFC 7518, 3.3). The cost of a check grows with the key's length and its exponent. */
  rsaModulusBitsMin: 2_048,
  rsaModulusBitsMax: 4_096,
  rsaExponentBytesMax: 8,
  /** The retry delay for a caller whose issuer does not answer. */
  issuerRetryMs: SECOND_MS,
  /** A session ends when it was unused for this long, and at its maximum age. */
  sessionIdleMs: 30 * MINUTE_MS,
  sessionAgeMsMax: 12 * 60 * MINUTE_MS,
  /** The last use of a session is recorded at most this often. */
  sessionTouchMs: MINUTE_MS,
  /** Sessions of one person at a time; a new session replaces the one unused for longest. */
  sessionsPerSubjectMax: 100,
  /**
   * The ages of a session's rights at which they are read again in the background, at which a request waits for the
   * read, and at which requests are refused because the authorization server has not answered.
   */
  rightsFreshMs: 20 * SECOND_MS,
  rightsWaitMs: 45 * SECOND_MS,
  rightsAgeMsMax: 5 * MINUTE_MS,
  /** How long one process has the exclusive right to read the rights of a session. */
  rightsClaimMs: 10 * SECOND_MS,
  /** A login: one exchange with the authorization server. */
  loginExchangeMs: 5 * SECOND_MS,
  /** Longer tokens are not kept: logout works without the ID token, and rights are not read again. */
  keptTokenCharsMax: 16 * 1024,
  /** Host names that others chose: how long a caller waits for a lookup, and the maximum of concurrent lookups. */
  nameLookupMs: 3 * SECOND_MS,
  nameLookupsMax: 100,
  /** Concurrent lookups for one caller. */
  nameLookupsPerAskerMax: 5,
  /** The time for all name servers, the time for the first server, and the number of tries. */
  nameServersMs: 2_500,
  nameTryMs: 800,
  nameTries: 3,
  /** A token is renewed this long before it expires, or after four fifths of its life, whichever is later. */
  tokenRenewBeforeMs: 60_000,
  /** Not used in its last moments: the participant's clock may be ahead of ours. */
  tokenExpiryMarginMs: 5_000,
  /** After a failure, or for a token that is rejected at once, this time passes before the next request. */
  tokenAskAgainMs: 1_000,
  /** For servers that do not report the lifetime of a token. */
  tokenLifeMsDefault: 60_000,
} as const;

assert(
  AUTH_LIMITS.sessionTouchMs * 2 <= AUTH_LIMITS.sessionIdleMs,
  'a session in use does not end as idle',
);
assert(
  AUTH_LIMITS.rightsWaitMs + AUTH_LIMITS.rightsClaimMs < MINUTE_MS,
  'rights that were taken away end within a minute',
);
assert(
  AUTH_LIMITS.loginExchangeMs < AUTH_LIMITS.rightsClaimMs,
  'no two processes use a refresh token at the same time',
);
assert(
  AUTH_LIMITS.sessionIdleMs < AUTH_LIMITS.sessionAgeMsMax,
  'a session may be used beyond its first idle',
);
