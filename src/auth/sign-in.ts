import { decodeJwt } from 'jose';
import type { Log } from '../app/ports/io.ts';
import type { LoginLink, SignIn } from '../app/callers/sign-in.ts';
import { SignInRefusedError } from '../app/callers/sign-in.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import { OPEN_GRANTS, isPseudonym, rightsOf } from '../domain/caller.ts';
import type { Grants } from '../domain/caller.ts';
import { isParty } from '../domain/ids.ts';
import { AUTH_LIMITS } from './limits.ts';
import { ProblemError, problem } from '../domain/problems.ts';
import type { AuthMode, Identity, PendingLogin } from '../domain/session.ts';
import type { Tenant } from '../domain/tenant.ts';
import { registrationIdOf } from '../domain/tenant.ts';
import { trustPartyClaim } from './bearer.ts';
import { nameIn, namesAt, partyClaimIn, subjectIn } from './claims.ts';
import type { OidcClient, OidcClients, SignedIn } from './oidc-clients.ts';

export interface SignInOptions {
  readonly mode: AuthMode;
  /** Tenants in memory, so that requests of unknown senders do not read the database. */
  readonly tenants: Pick<TrustedTenants, 'find'>;
  /** The provider's own tenant. */
  readonly provider: Tenant;
  /** The permissions of the provider's clients and roles. */
  readonly grants: Grants;
  /** The claim of the ID token that lists roles or scopes. */
  readonly rolesClaim: string;
  /** Rejects demo users, whose passwords are published. @default none */
  readonly refusesSubject?: ((subject: string) => boolean) | null;
  readonly clients: OidcClients;
  readonly log: Log;
  /** Lets the claim `party_id` of the ID token name the party. For tests. */
  readonly [trustPartyClaim]?: boolean;
}

/** The registration of Tenure for a tenant whose people sign in at an authorization server. */
interface Registration extends OidcClient {
  readonly id: string;
  readonly tenant: Tenant;
}

/**
 * Returns the kind of an error for the log. Messages are not logged, because libraries and servers quote their input in
 * them.
 */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  for (const code of ['error' in error ? error.error : '', 'code' in error ? error.code : '']) {
    if (typeof code === 'string' && /^\w{1,64}$/u.test(code)) return code;
  }
  return error.name;
}

const kept = (token: string): string | null =>
  token.length > AUTH_LIMITS.keptTokenCharsMax ? null : token;

function identityOf(
  { id, tenant, clientId }: Registration,
  { claims, idToken, refreshToken }: SignedIn,
  options: SignInOptions,
): Identity {
  const subject = subjectIn(claims);
  if (subject === undefined) throw new SignInRefusedError('claim sub is not a name');
  if (options.refusesSubject?.(subject) === true) {
    throw new SignInRefusedError('the person is a published demo user');
  }
  const claimed = options[trustPartyClaim] === true ? partyClaimIn(claims) : undefined;
  if (claimed !== undefined && !isParty(claimed)) {
    throw new SignInRefusedError('claim party_id is not a party');
  }
  const party = claimed ?? tenant.party;
  const claimedRoles = namesAt(claims, options.rolesClaim);
  const proof = { tenant, party, client: clientId, claimedRoles };
  const rights = rightsOf(proof, options.provider, options.grants);
  if (rights.permissions.size === 0) throw new SignInRefusedError('the person has no permission');
  return {
    tenantId: tenant.tenantId,
    isInternal: tenant.internal,
    party,
    ...rights,
    subject,
    name: nameIn(claims, subject),
    login: {
      registrationId: id,
      idToken: kept(idToken),
      refreshToken: refreshToken === null ? null : kept(refreshToken),
    },
  };
}

/** Error codes of the library and of the system for requests without a usable answer. */
const NO_ANSWER = /^(?:OAUTH_TIMEOUT|OAUTH_ABORT|UND_ERR_\w+|E[A-Z]{3,})$/u;

/**
 * Whether the authorization server did not answer, or answered that it cannot do so now: then the result of the login
 * is unknown.
 */
function isUnanswered(error: unknown): boolean {
  if (error instanceof Response) return error.status >= 500 || error.status === 429;
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || ('code' in error && NO_ANSWER.test(String(error.code))))
    return true;
  return isUnanswered(error.cause);
}

const noServer = (issuer: string, cause: unknown): ProblemError =>
  new ProblemError(
    problem('AUTHORIZATION_SERVER_UNAVAILABLE', `${issuer} cannot be asked to sign anybody in now`),
    { cause },
  );

/** Returns the registration with which people of a tenant sign in; `null` if they cannot sign in. */
function registrationOfTenant(tenant: Tenant): Registration | null {
  const { clientId, issuerUrl } = tenant;
  if (clientId === null || issuerUrl === null) return null;
  return { id: registrationIdOf(tenant), tenant, clientId, issuer: issuerUrl };
}

async function registrationsOf(
  { mode, tenants }: SignInOptions,
  wanted: (registration: Registration) => boolean,
): Promise<readonly Registration[]> {
  if (mode !== 'oauth2') return [];
  const found = await tenants.find((tenant) => {
    const registration = registrationOfTenant(tenant);
    return registration !== null && wanted(registration);
  });
  return found.map(registrationOfTenant).filter((registration) => registration !== null);
}

/** See `SignIn.renew`. */
async function renewed(
  found: Registration | undefined,
  identity: Identity,
  options: SignInOptions,
): Promise<Identity> {
  const { login } = identity;
  const refreshToken = login?.refreshToken ?? null;
  if (found === undefined || login === null || refreshToken === null) {
    throw new SignInRefusedError('the tenant is not registered any more');
  }
  const signedIn = await options.clients.refresh(found, refreshToken).catch((error: unknown) => {
    if (kindOf(error) === 'invalid_grant') {
      throw new SignInRefusedError('the authorization server has ended the login');
    }
    throw noServer(found.issuer, error);
  });
  if (signedIn.claims === null) {
    return { ...identity, login: { ...login, refreshToken: kept(signedIn.refreshToken) } };
  }
  const now = identityOf(found, signedIn, options);
  if (now.subject === identity.subject) return now;
  throw new SignInRefusedError('the authorization server names another person');
}

/** Returns the issuer of a token that was already verified when it was received. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** See `SignIn.isTrusted`. */
function isTrusted(found: Registration | undefined, { login }: Identity): boolean {
  if (login === null) return true;
  if (found === undefined) return false;
  return login.idToken === null || issuerOf(login.idToken) === found.issuer;
}

/** See `SignIn.byName`. */
async function named(username: string, options: SignInOptions): Promise<Identity> {
  const isOurs = options.mode === 'shared-secret' && !isPseudonym(username);
  const [tenant] = await options.tenants.find(({ users }) => isOurs && users.includes(username));
  if (tenant === undefined) throw new SignInRefusedError('no tenant has such a user');
  const { tenantId, party, internal } = tenant;
  const proof = { tenant, party, client: null, claimedRoles: [] };
  // In shared-secret mode there are neither clients nor claims.
  const rights = rightsOf(proof, options.provider, OPEN_GRANTS);
  return {
    tenantId,
    isInternal: internal,
    party,
    ...rights,
    subject: username,
    name: `${username} the ${rights.roles.has('provider') ? 'provider' : 'user'}`,
    login: null,
  };
}

export function createSignIn(options: SignInOptions): SignIn {
  const { clients, log } = options;

  const registration = async (id: string): Promise<Registration | undefined> =>
    (await registrationsOf(options, (known) => known.id === id))[0];

  const registrationOf = async ({ login }: Identity) =>
    login === null ? undefined : registration(login.registrationId);
  /** Logs the error only: the logout does not fail, because the session in Tenure has already ended. */
  const notEnded = (issuer: string, error: unknown): void =>
    log.warn({ issuer, reason: kindOf(error) }, 'the session at the authorization server goes on');

  return {
    async links(): Promise<readonly LoginLink[]> {
      const known = await registrationsOf(options, () => true);
      return known.map(({ id, tenant }) => ({ tenantId: tenant.tenantId, registrationId: id }));
    },
    async begin(registrationId: string, redirectUri: string) {
      const found = await registration(registrationId);
      if (found === undefined) return null;
      try {
        const { url, ...pending } = await clients.begin(found, redirectUri);
        return { url, pending: { registrationId, ...pending } };
      } catch (error) {
        log.warn({ issuer: found.issuer, reason: kindOf(error) }, 'a login cannot begin');
        throw noServer(found.issuer, error);
      }
    },
    async finish(pending: PendingLogin, query: string): Promise<Identity> {
      const found = await registration(pending.registrationId);
      if (found === undefined)
        throw new SignInRefusedError('the tenant is not registered any more');
      const signedIn = await clients.finish(found, pending, query).catch((error: unknown) => {
        if (isUnanswered(error)) throw noServer(found.issuer, error);
        throw new SignInRefusedError(`the authorization server: ${kindOf(error)}`);
      });
      return identityOf(found, signedIn, options);
    },
    renew: async (identity: Identity) => renewed(await registrationOf(identity), identity, options),
    isTrusted: async (identity: Identity) => isTrusted(await registrationOf(identity), identity),
    byName: (username: string) => named(username, options),
    async endUrl(identity: Identity): Promise<string | null> {
      const found = await registrationOf(identity);
      if (found === undefined) return null;
      return clients.endUrl(found, identity.login?.idToken ?? null).catch((error: unknown) => {
        notEnded(found.issuer, error);
        return null;
      });
    },
    async endThere(identity: Identity): Promise<void> {
      const found = await registrationOf(identity);
      const idToken = identity.login?.idToken ?? null;
      if (found === undefined || idToken === null) return;
      await clients.end(found, idToken).catch((error: unknown) => notEnded(found.issuer, error));
    },
  };
}
