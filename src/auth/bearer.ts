import { hash } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { JWTPayload } from 'jose';
import { rightsOf } from '../domain/caller.ts';
import type { Caller, Grants } from '../domain/caller.ts';
import type { Party } from '../domain/ids.ts';
import { isParty } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Tenant } from '../domain/tenant.ts';
import { nameIn, namesAt, partyClaimIn, subjectIn } from './claims.ts';
import type { IssuerDirectory } from './issuer-directory.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { refuse, verifyToken } from './verify-token.ts';
import type { Verified } from './verify-token.ts';

/**
 * Option with which the token's own claim `party_id` names the party. For tests only: every holder of a token can then
 * be any party.
 */
export const trustPartyClaim: unique symbol = Symbol('trustPartyClaim');

export interface BearerOptions {
  /** The currently trusted tenants; `find` returns those that match `wanted`. */
  readonly tenants: { find(wanted: (tenant: Tenant) => boolean): Promise<readonly Tenant[]> };
  /** The provider's own tenant. */
  readonly provider: Tenant;
  /** The permissions of the provider's clients and roles. */
  readonly grants: Grants;
  /** The claim that lists roles or scopes. */
  readonly rolesClaim: string;
  /** Rejects demo users, whose passwords are published. @default none */
  readonly refusesSubject?: ((subject: string) => boolean) | null;
  /** The configured issuers, each with the ID of the tenant that the issuer was configured for. */
  readonly homes: ReadonlyMap<string, string>;
  /** The audience that must be among the values of a token's claim `aud`. */
  readonly audience: string;
  readonly issuers: Pick<IssuerDirectory, 'jwksUrl' | 'fetchOf'>;
  /** Wall time: it decides when tokens expire, even if the ledger's time is static. */
  readonly nowMs: () => number;
  /** The tolerated difference between the clocks of Tenure and of issuers. */
  readonly leewayMs: number;
  /** A clock that never goes back. It measures the age of keys. @default the clock of the process */
  readonly steadyMs?: () => number;
  /** Called when an issuer's keys cannot be read, for the log. */
  readonly onKeysUnavailable?: (issuer: string, error: unknown) => void;
  readonly [trustPartyClaim]?: boolean;
}

/**
 * Authenticates the caller who has sent an `Authorization` header.
 *
 * @throws ProblemError `UNAUTHENTICATED` for an invalid token, `AUTHORIZATION_SERVER_UNAVAILABLE` if the validity
 * cannot be determined
 */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>;

/** The token has the syntax `b64token` of RFC 6750. The case of the scheme does not matter (RFC 9110, 11.1). */
const BEARER = /^bearer +([\w\-.~+/]+=*) *$/iu;

/** Returns the issuer that the token claims. It is unverified, and only selects the keys that verify the token. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/**
 * Returns the client that a token was issued to: `azp` is OpenID Connect's claim; the other claims are those of RFC
 * 9068, Okta, and version 1 of Entra.
 */
const clientOf = (claims: JWTPayload): unknown =>
  claims['azp'] ?? claims['client_id'] ?? claims['cid'] ?? claims['appid'];

/**
 * Returns the tenant whose client the token was issued to. A client that belongs to no tenant acts for the tenant that
 * the issuer was configured for or, if configuration names none, for the only tenant that uses the issuer.
 *
 * @param tenants the tenants with the token's issuer
 */
function tenantOf(
  claims: JWTPayload,
  tenants: readonly Tenant[],
  home: string | undefined,
): Tenant {
  const client = clientOf(claims);
  const named = tenants.find(({ clientId }) => clientId !== null && clientId === client);
  const found =
    named ??
    tenants.find(({ tenantId }) => tenantId === home) ??
    (tenants.length === 1 ? tenants[0] : undefined);
  return (
    found ??
    refuse('several tenants have the issuer of the token, and its client belongs to none of them')
  );
}

function partyOf(claims: JWTPayload, tenant: Tenant, trusted: boolean): Party {
  const claimed = trusted ? partyClaimIn(claims) : undefined;
  if (claimed === undefined) return tenant.party;
  return isParty(claimed) ? claimed : refuse('claim party_id is not a party');
}

const subjectOf = (claims: JWTPayload): string =>
  subjectIn(claims) ??
  refuse('claim sub is not a name of 1 to 255 printable characters, or is a pseudonym');

/** Caches verified tokens until they expire. The least recently used token comes first. */
class VerifiedTokens {
  readonly #entries = new Map<string, Verified>();

  get(key: string, nowMs: number): Verified | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    if (found.expiresAtMs <= nowMs) return undefined;
    this.#entries.set(key, found);
    return found;
  }

  put(key: string, verified: Verified): void {
    this.#entries.set(key, verified);
    if (this.#entries.size <= LIMITS.tokensMax) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}

/** Returns the trusted tenants with this issuer. @throws ProblemError `UNAUTHENTICATED` if there are none */
async function tenantsOf(issuer: string, options: BearerOptions): Promise<readonly Tenant[]> {
  const found =
    issuer === '' ? [] : await options.tenants.find(({ issuerUrl }) => issuerUrl === issuer);
  return found.length === 0 ? refuse('the issuer of the token is not trusted') : found;
}

function callerFrom(
  { claims, issuer }: Verified,
  tenants: readonly Tenant[],
  options: BearerOptions,
): Caller {
  const tenant = tenantOf(claims, tenants, options.homes.get(issuer));
  const party = partyOf(claims, tenant, options[trustPartyClaim] === true);
  const subject = subjectOf(claims);
  if (options.refusesSubject?.(subject) === true) refuse('the token is of a published demo user');
  const claimedRoles = namesAt(claims, options.rolesClaim);
  const proof = { tenant, party, client: clientOf(claims), claimedRoles };
  return {
    party,
    ...rightsOf(proof, options.provider, options.grants),
    via: 'bearer',
    tenantId: tenant.tenantId,
    subject,
    name: nameIn(claims, subject),
  };
}

/**
 * Returns the check that precedes every call: it always verifies signature, issuer, audience and lifetime. For a token
 * that was verified before, the check costs a hash instead of a signature verification; concurrent checks of one token
 * are shared. The tenant is looked up for each call, so that a deleted tenant loses access at once, even if its tokens
 * are still valid.
 */
export function createBearerAuthentication(options: BearerOptions): Authenticate {
  const keys = new IssuerKeys({
    issuers: options.issuers,
    steadyMs: options.steadyMs ?? (() => performance.now()),
    ...(options.onKeysUnavailable === undefined
      ? {}
      : { onUnavailable: options.onKeysUnavailable }),
  });
  const known = new VerifiedTokens();
  const underWay = new Map<string, Promise<Verified>>();

  const check = async (key: string, token: string): Promise<Verified> => {
    const issuer = claimedIssuer(token) ?? '';
    await tenantsOf(issuer, options);
    const verified = await verifyToken({ issuer, token }, keys, options);
    known.put(key, verified);
    return verified;
  };
  const verified = (token: string): Promise<Verified> => {
    // Tokens are secrets, so only the hash of a token is kept.
    const key = hash('sha256', token, 'base64');
    const found = known.get(key, options.nowMs());
    if (found !== undefined) return Promise.resolve(found);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const started = check(key, token).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };

  return async (authorization) => {
    if (authorization === undefined) return refuse('a bearer token is required', false);
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return refuse('the authorization is not a bearer token', false);
    const trusted = await verified(token);
    return callerFrom(trusted, await tenantsOf(trusted.issuer, options), options);
  };
}
