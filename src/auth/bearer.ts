import { hash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Caller, Role } from '../domain/caller.ts';
import type { Party } from '../domain/ids.ts';
import { isParty } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { ProblemError, problem } from '../domain/problems.ts';

/** An issuer whose tokens are accepted, and for whom its callers stand. */
export interface TrustedIssuer {
  /** Claim `iss`, compared as text. */
  readonly issuer: string;
  /** Where its public keys are. */
  readonly jwksUrl: string;
  /** Must be among the token's `aud`. */
  readonly audience: string;
  readonly tenant: {
    readonly id: string;
    readonly party: Party;
    readonly role: 'provider' | 'user';
  };
}

/** Lets the token's own claim `party_id` name the party. For tests: whoever can get a token can be anyone. */
export const trustPartyClaim: unique symbol = Symbol('trustPartyClaim');

export interface BearerOptions {
  readonly issuers: readonly TrustedIssuer[];
  /** As the global `fetch`; must bound the time of an exchange itself. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Wall time: tokens live in it even when the ledger's time is static. */
  readonly nowMs: () => number;
  /** Told when an issuer's keys cannot be read, for the log. */
  readonly onKeysUnavailable?: (issuer: string, error: unknown) => void;
  readonly [trustPartyClaim]?: boolean;
}

/**
 * Turns an `Authorization` header into a caller.
 *
 * @throws ProblemError `UNAUTHENTICATED` for everything that is wrong with the token,
 *   `AUTHORIZATION_SERVER_UNAVAILABLE` when that cannot be told
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

interface Verified {
  readonly caller: Caller;
  readonly expiresAtMs: number;
}

interface Issuer extends TrustedIssuer {
  readonly keyOf: JWTVerifyGetKey;
}

/** Asymmetric only: with `none` or an HMAC over the public key, anybody could sign. */
const ALGORITHMS = ['RS256', 'ES256'];
/** RFC 6750 `b64token`; the scheme's case does not matter (RFC 9110, 11.1). */
const BEARER = /^bearer +([\w\-.~+/]+=*) *$/iu;

const SUBJECT = /^[^\p{C}]{1,255}$/u;

/** The issuer's keys could not be read: nothing is known about the token. */
class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

/** What is wrong with a token is said without telling its contents. */
const refuse = (message: string, hasToken = true): never => {
  throw new ProblemError(
    problem('UNAUTHENTICATED', message, hasToken ? { extra: { reason: 'invalid_token' } } : {}),
  );
};

/** The keys of an issuer, fetched when first needed, kept, and read again when a token names a key not seen yet. */
function keysOf(trusted: TrustedIssuer, options: BearerOptions): JWTVerifyGetKey {
  const keyOf = createRemoteJWKSet(new URL(trusted.jwksUrl), {
    timeoutDuration: LIMITS.issuerKeysFetchMs,
    cacheMaxAge: LIMITS.issuerKeysMaxAgeMs,
    cooldownDuration: LIMITS.issuerKeysCooldownMs,
    [customFetch]: options.fetch,
  });
  return async (header, token) => {
    try {
      return await keyOf(header, token);
    } catch (error) {
      // These blame the token. All others mean that there are no keys to judge it by.
      if (error instanceof errors.JWKSNoMatchingKey) throw error;
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      options.onKeysUnavailable?.(trusted.issuer, error);
      throw new KeysUnavailableError('keys cannot be read', { cause: error });
    }
  };
}

function issuerTable(options: BearerOptions): ReadonlyMap<string, Issuer> {
  const table = new Map<string, Issuer>();
  for (const trusted of options.issuers) {
    if (table.has(trusted.issuer)) throw new Error(`issuer ${trusted.issuer} is configured twice`);
    table.set(trusted.issuer, { ...trusted, keyOf: keysOf(trusted, options) });
  }
  return table;
}

/** The claimed issuer, not yet to be believed: it only chooses whose keys must have signed. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Only the provider's own authorization server can make operators: a tenant runs its own and could claim anything. */
function rolesOf(claims: JWTPayload, tenant: TrustedIssuer['tenant']): ReadonlySet<Role> {
  const roles = new Set<Role>([tenant.role]);
  const claimed: unknown = claims['roles'];
  const isOperator = Array.isArray(claimed) && claimed.includes('operator');
  if (isOperator && tenant.role === 'provider') roles.add('operator');
  return roles;
}

function partyOf(claims: JWTPayload, tenant: TrustedIssuer['tenant'], trusted: boolean): Party {
  const claimed: unknown = claims['party_id'];
  if (!trusted || typeof claimed !== 'string' || claimed === '') return tenant.party;
  return isParty(claimed) ? claimed : refuse('claim party_id is not a party');
}

/** It goes into history and logs: a tenant's own server could put anything there. */
function subjectOf(claims: JWTPayload): string {
  const claimed: unknown = claims.sub;
  if (typeof claimed === 'string' && SUBJECT.test(claimed)) return claimed;
  return refuse('claim sub is not a name of 1 to 255 printable characters');
}

const WORDS: Readonly<Record<string, string | undefined>> = {
  aud: 'the token is meant for another audience',
  nbf: 'the token is not valid yet',
};

function describeDefect(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return WORDS[error.claim] ?? `claim ${error.claim} is missing or not acceptable`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'the token is signed with another algorithm';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the token is signed with an unknown key';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature does not match';
  return 'the token is malformed';
}

async function verify(issuer: Issuer, token: string, options: BearerOptions): Promise<Verified> {
  try {
    const { payload } = await jwtVerify(token, issuer.keyOf, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(options.nowMs()),
    });
    const caller: Caller = {
      party: partyOf(payload, issuer.tenant, options[trustPartyClaim] === true),
      roles: rolesOf(payload, issuer.tenant),
      via: 'bearer',
      subject: subjectOf(payload),
    };
    return { caller, expiresAtMs: (payload.exp ?? 0) * 1_000 };
  } catch (error) {
    if (error instanceof KeysUnavailableError) {
      throw new ProblemError(
        problem(
          'AUTHORIZATION_SERVER_UNAVAILABLE',
          `the keys of ${issuer.issuer} cannot be read now, so the token cannot be checked`,
        ),
        { cause: error },
      );
    }
    // Anything that jose does not throw is a bug of ours, not a bad token.
    return error instanceof errors.JOSEError
      ? refuse(describeDefect(error))
      : Promise.reject(error);
  }
}

/** Verified tokens, least recently used first, each for as long as it is valid. */
class VerifiedTokens {
  readonly #entries = new Map<string, Verified>();

  get(key: string, nowMs: number): Caller | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    if (found.expiresAtMs <= nowMs) return undefined;
    this.#entries.set(key, found);
    return found.caller;
  }

  put(key: string, verified: Verified): void {
    this.#entries.set(key, verified);
    if (this.#entries.size <= LIMITS.tokensMax) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}

/**
 * Builds the check that stands before every call: signature, issuer, audience and lifetime, always. A token that is
 * presented again costs a hash instead of a signature check; several at the same time cost one check.
 *
 * @throws Error when an issuer is configured twice or its JWKS address is no URL
 */
export function createBearerAuthentication(options: BearerOptions): Authenticate {
  const issuers = issuerTable(options);
  const known = new VerifiedTokens();
  const underWay = new Map<string, Promise<Caller>>();

  const check = async (key: string, token: string): Promise<Caller> => {
    const issuer = issuers.get(claimedIssuer(token) ?? '');
    if (issuer === undefined) return refuse('the issuer of the token is not trusted');
    const verified = await verify(issuer, token, options);
    known.put(key, verified);
    return verified.caller;
  };

  return async (authorization) => {
    if (authorization === undefined) return refuse('a bearer token is required', false);
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return refuse('the authorization is not a bearer token', false);
    if (token.length > LIMITS.tokenCharsMax) return refuse('the token is too long');
    // Tokens are secrets: what is kept is their hash.
    const key = hash('sha256', token, 'base64');
    const caller = known.get(key, options.nowMs());
    if (caller !== undefined) return caller;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const started = check(key, token).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}
