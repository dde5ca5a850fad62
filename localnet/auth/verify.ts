import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JSONWebKeySet, JWTPayload } from 'jose';

/** The reason why a token was refused. It is written to the server's log, and callers never see it. */
export type TokenDefect =
  | 'missing'
  | 'malformed'
  | 'algorithm'
  | 'issuer'
  | 'signature'
  | 'audience'
  | 'subject'
  | 'endless'
  | 'scope'
  | 'not-yet-valid'
  | 'expired';

/**
 * The only error that a token verifier throws. Its `defect` and `message` are for the server log; callers get an answer
 * without them.
 */
export class TokenRejected extends Error {
  override readonly name = 'TokenRejected';
  readonly defect: TokenDefect;
  constructor(defect: TokenDefect, message: string, options?: ErrorOptions) {
    super(message, options);
    this.defect = defect;
  }
}

/** The identity in a bearer token. */
export interface VerifiedToken {
  /** Claim `sub`: the ledger user. The ledger checks that the user exists, and reads the user's rights. */
  readonly userId: string;
  /** The participant's identity provider that issued the token; absent for the participant's default provider. */
  readonly identityProviderId?: string;
  /** The time of claim `exp` in milliseconds of wall time; `Infinity` for a shared-secret token without this claim. */
  readonly expiresAtMs: number;
}

/** An authorization server whose tokens are accepted, with its public keys. */
export interface TrustedIssuer {
  /** Claim `iss`, compared as text. */
  readonly issuer: string;
  readonly jwks: JSONWebKeySet;
}

export interface TokenVerifierOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** A token is accepted if its `aud` contains any of these. */
  readonly audiences: readonly string[];
  /**
   * If set, HS256 tokens that are signed with this text are accepted too; they need neither `iss` nor `exp`. The
   * reference LocalNet's participants do the same in shared-secret mode. It is unsafe, because the secret is public.
   */
  readonly unsafeSharedSecret?: string;
  /** If set, tokens are refused that never expire, or do not have this scope. */
  readonly strictScope?: string;
  /**
   * Returns wall time in milliseconds since the epoch. Tokens expire in wall time even if the ledger's time is static.
   */
  readonly nowMs?: () => number;
  /**
   * The maximum number of verified tokens that are cached. If a token is sent again, its signature is not checked
   * again.
   */
  readonly cacheEntriesMax?: number;
}

export type TokenVerifier = (authorizationHeader: string | undefined) => Promise<VerifiedToken>;

/** The audience that the reference LocalNet configures for all its participants. */
export const LOCALNET_AUDIENCE = 'https://canton.network.global';

/** Returns the audience that consists of one participant, which participants accept by default. */
export const participantAudience = (participantId: string): string =>
  `https://daml.com/jwt/aud/participant/${participantId}`;

const CACHE_ENTRIES_MAX = 1_000;
/**
 * Longer headers are refused without being read: LocalNet's tokens have about 1 KiB, and HTTP servers accept 8 to 16
 * KiB.
 */
const HEADER_CHARS_MAX = 16_384;
/**
 * A participant compares the scheme `Bearer` case-sensitively. RFC 6750 calls the permitted characters of a token
 * `b64token`.
 */
const BEARER = /^Bearer ([\w\-.~+/]+=*)$/;

/**
 * Returns the function that checks a bearer token before every call: its signature, issuer, audience and lifetime. The
 * keys are passed within the process, so verification depends on no other server.
 *
 * Every defect of a token throws {@link TokenRejected}; any other error is a bug.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const nowMs = options.nowMs ?? Date.now;
  const cache = new Map<string, VerifiedToken>();
  const cacheEntriesMax = options.cacheEntriesMax ?? CACHE_ENTRIES_MAX;
  const inFlight = new Map<string, Promise<VerifiedToken>>();
  const checkSignature = signatureCheck(options);

  const remember = (header: string, verified: VerifiedToken) => {
    cache.delete(header);
    cache.set(header, verified);
    if (cache.size <= cacheEntriesMax) return;
    for (const [oldest] of cache) {
      cache.delete(oldest);
      break;
    }
  };

  const verifyAfresh = async (header: string): Promise<VerifiedToken> => {
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw new TokenRejected('malformed', 'not a bearer token');
    const payload = await checkSignature(token, nowMs());
    const verified = readClaims(payload, options.strictScope);
    remember(header, verified);
    return verified;
  };

  return async (header) => {
    if (header === undefined || header === '') throw new TokenRejected('missing', 'no token');
    const known = cache.get(header);
    if (known !== undefined) {
      if (known.expiresAtMs <= nowMs()) {
        cache.delete(header);
        throw new TokenRejected('expired', `expired at ${known.expiresAtMs}`);
      }
      remember(header, known);
      return known;
    }
    if (header.length > HEADER_CHARS_MAX) throw new TokenRejected('malformed', 'header too long');
    const running = inFlight.get(header);
    if (running !== undefined) return running;
    const started = verifyAfresh(header).finally(() => inFlight.delete(header));
    inFlight.set(header, started);
    return started;
  };
}

/**
 * Returns a function that checks everything that jose can check, with the key that the token's issuer (or its
 * algorithm) selects.
 */
function signatureCheck(
  options: TokenVerifierOptions,
): (token: string, nowMs: number) => Promise<JWTPayload> {
  const keysByIssuer = new Map(
    options.issuers.map(({ issuer, jwks }) => [issuer, createLocalJWKSet(jwks)]),
  );
  const sharedSecret =
    options.unsafeSharedSecret === undefined
      ? undefined
      : new TextEncoder().encode(options.unsafeSharedSecret);

  return async (token, nowMs) => {
    const { algorithm, issuer } = peek(token);
    const claims = { audience: [...options.audiences], currentDate: new Date(nowMs) };
    try {
      if (algorithm === 'HS256' && sharedSecret !== undefined) {
        return (await jwtVerify(token, sharedSecret, { ...claims, algorithms: ['HS256'] })).payload;
      }
      if (algorithm !== 'RS256') throw new TokenRejected('algorithm', `alg is ${algorithm}`);
      const keys = issuer === undefined ? undefined : keysByIssuer.get(issuer);
      if (keys === undefined) throw new TokenRejected('issuer', `iss is ${issuer}`);
      const checks = { ...claims, algorithms: ['RS256'], requiredClaims: ['exp', 'sub'] };
      return (await jwtVerify(token, keys, checks)).payload;
    } catch (error) {
      throw asRejection(error);
    }
  };
}

/**
 * Reads the algorithm and the issuer, which select the key. The token is not verified yet, so these values are not
 * trusted.
 */
function peek(token: string): { algorithm: string | undefined; issuer: string | undefined } {
  try {
    return { algorithm: decodeProtectedHeader(token).alg, issuer: decodeJwt(token).iss };
  } catch (error) {
    throw new TokenRejected('malformed', 'not a JSON Web Token', { cause: error });
  }
}

/** Refuses a token that never expires or lacks the scope. @throws TokenRejected */
export function checkStrictly({ exp, scope }: JWTPayload, strictScope: string): void {
  if (exp === undefined) throw new TokenRejected('endless', 'exp is missing');
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  if (!scopes.includes(strictScope)) {
    throw new TokenRejected('scope', `scope is ${JSON.stringify(scope)}`);
  }
}

function readClaims(payload: JWTPayload, strictScope: string | undefined): VerifiedToken {
  const { sub, exp } = payload;
  if (sub === undefined || sub === '') throw new TokenRejected('subject', 'sub is missing');
  if (strictScope !== undefined) checkStrictly(payload, strictScope);
  return { userId: sub, expiresAtMs: exp === undefined ? Infinity : exp * 1_000 };
}

const CLAIM_DEFECTS: Readonly<Record<string, TokenDefect | undefined>> = {
  aud: 'audience',
  exp: 'expired',
  nbf: 'not-yet-valid',
  iss: 'issuer',
  sub: 'subject',
};

/** Converts jose's errors to TokenRejected. An error that is not about the token is returned unchanged. */
function asRejection(error: unknown): unknown {
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) {
    const defect = CLAIM_DEFECTS[error.claim] ?? 'malformed';
    return new TokenRejected(defect, error.message, { cause: error });
  }
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  ) {
    return new TokenRejected('signature', error.message, { cause: error });
  }
  if (error instanceof errors.JOSEError) {
    return new TokenRejected('malformed', error.message, { cause: error });
  }
  return error;
}
