import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of authentication. Units are in the names. */
export const AUTH_LIMITS = {
  /** An end further away is refused. */
  tokenLifeMsMax: 30 * DAY_MS,
  /** An issuer's keys: how long an answer may take, how long they are good for, how soon they are read again. */
  issuerKeysFetchMs: 5 * SECOND_MS,
  issuerKeysMaxAgeMs: 10 * MINUTE_MS,
  issuerKeysCooldownMs: 5 * SECOND_MS,
  /** How many of an issuer's keys count, and how many are tried on one token: a key ID names one. */
  issuerKeysMax: 100,
  issuerKeysTriedMax: 20,
  /** The shortest key of RSA (RFC 7518, 3.3). The costs of a check grow with its length and its exponent. */
  rsaModulusBitsMin: 2_048,
  rsaModulusBitsMax: 4_096,
  rsaExponentBytesMax: 8,
  /** What a caller is asked to wait when its issuer does not answer. */
  issuerRetryMs: SECOND_MS,
  /** A session ends when nothing was asked in it for this long, and at its greatest age. */
  sessionIdleMs: 30 * MINUTE_MS,
  sessionAgeMsMax: 12 * 60 * MINUTE_MS,
  /** That a session is in use is written down at most this often. */
  sessionTouchMs: MINUTE_MS,
  /** Sessions of one person at a time; the one longest unused makes room. */
  sessionsPerSubjectMax: 100,
  /**
   * How old the rights of a session are when they are read again in the background, when a request waits for them, and
   * when nothing is answered without them because the authorization server has not been answering.
   */
  rightsFreshMs: 20 * SECOND_MS,
  rightsWaitMs: 45 * SECOND_MS,
  rightsAgeMsMax: 5 * MINUTE_MS,
  /** How long one process alone reads the rights of a session. */
  rightsClaimMs: 10 * SECOND_MS,
  /** A login: one exchange with the authorization server. */
  loginExchangeMs: 5 * SECOND_MS,
  /** Longer tokens are not kept: logout goes without the ID token, and rights are not read again. */
  keptTokenCharsMax: 16 * 1024,
  /** Names that others chose: how long a caller waits for what one stands for, and how many are looked up at a time. */
  nameLookupMs: 3 * SECOND_MS,
  nameLookupsMax: 100,
  /** And of one caller. */
  nameLookupsPerAskerMax: 5,
  /** How much of that name servers have, how long the first of them, and how often they are asked. */
  nameServersMs: 2_500,
  nameTryMs: 800,
  nameTries: 3,
  /** A token is renewed this long before it expires, or after four fifths of its life, whichever is later. */
  tokenRenewBeforeMs: 60_000,
  /** Not used in its last moments: the participant's clock may be ahead of ours. */
  tokenExpiryMarginMs: 5_000,
  /** Neither a failure nor a token that is rejected at once is answered by asking again right away. */
  tokenAskAgainMs: 1_000,
  /** For servers that do not say how long a token lives. */
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
