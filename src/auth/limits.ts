import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of authentication. The unit is the last part of each name. */
export const AUTH_LIMITS = {
  /** A token that expires later than this from now is refused. */
  tokenLifeMsMax: 30 * DAY_MS,
  /** An issuer's keys: the timeout of a read, how long keys are valid, and the minimum time between two reads. */
  issuerKeysFetchMs: 5 * SECOND_MS,
  issuerKeysMaxAgeMs: 10 * MINUTE_MS,
  issuerKeysCooldownMs: 5 * SECOND_MS,
  /**
   * How many keys of an issuer are used, and how many of them are tried on one token. Few are enough, because a key ID
   * names one key.
   */
  issuerKeysMax: 100,
  issuerKeysTriedMax: 20,
  /**
   * The shortest RSA key (RFC 7518, 3.3), and maxima for the modulus and the exponent, because the cost of a
   * verification grows with both.
   */
  rsaModulusBitsMin: 2_048,
  rsaModulusBitsMax: 4_096,
  rsaExponentBytesMax: 8,
  /** The retry delay that is sent to a caller whose issuer does not answer. */
  issuerRetryMs: SECOND_MS,
  /** A session ends when it has been unused for this long, and at the latest at its maximum age. */
  sessionIdleMs: 30 * MINUTE_MS,
  sessionAgeMsMax: 12 * 60 * MINUTE_MS,
  /** The last use of a session is stored at most once in this time. */
  sessionTouchMs: MINUTE_MS,
  /** The maximum number of sessions of one person. A further session replaces the one that was idle for longest. */
  sessionsPerSubjectMax: 100,
  /**
   * Ages of a session's rights. Above the first age the rights are read again in the background, above the second a
   * request waits for that read, and above the third requests are refused because the authorization server has not
   * answered.
   */
  rightsFreshMs: 20 * SECOND_MS,
  rightsWaitMs: 45 * SECOND_MS,
  rightsAgeMsMax: 5 * MINUTE_MS,
  /** How long one process has the exclusive right to read the rights of a session. */
  rightsClaimMs: 10 * SECOND_MS,
  /** Timeout of the exchange with the authorization server during a login. */
  loginExchangeMs: 5 * SECOND_MS,
  /**
   * Longer tokens are not stored: logout works without the ID token, and without a refresh token the rights are not
   * read again.
   */
  keptTokenCharsMax: 16 * 1024,
  /** Lookups of host names that other parties chose: a caller's longest wait, and the most concurrent lookups. */
  nameLookupMs: 3 * SECOND_MS,
  nameLookupsMax: 100,
  /** The maximum number of concurrent lookups for one caller. */
  nameLookupsPerAskerMax: 5,
  /** A query to name servers: the time for all servers, the time for the first server, and the number of tries. */
  nameServersMs: 2_500,
  nameTryMs: 800,
  nameTries: 3,
  /** A token is renewed this long before it expires or after four fifths of its life, whichever is later. */
  tokenRenewBeforeMs: 60_000,
  /** A token is not used this shortly before its expiry, because the participant's clock may be ahead of ours. */
  tokenExpiryMarginMs: 5_000,
  /** The minimum time before the next token request after a failure, and for a token that is rejected at once. */
  tokenAskAgainMs: 1_000,
  /** The assumed lifetime of a token whose server does not report one. */
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
