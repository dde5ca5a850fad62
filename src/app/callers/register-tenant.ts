import type { Act } from '../../domain/act.ts';
import type { Actor } from '../../domain/caller.ts';
import { isPartyString } from '../../domain/ids.ts';
import type { Party } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import type { AuthMode } from '../../domain/session.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Io } from '../ports/io.ts';
import type { Hosting } from '../ports/ledger.ts';
import type { TenantAdded, Tenants } from '../ports/tenants.ts';
import { clashAmong } from './tenants.ts';

/** A caller's description of a tenant, before it is checked. Absent, null and empty are equivalent. */
export interface TenantRequest {
  readonly tenantId?: string | null;
  readonly partyId?: string | null;
  readonly walletUrl?: string | null;
  readonly clientId?: string | null;
  readonly issuerUrl?: string | null;
  readonly users?: readonly string[] | null;
}

export interface RegisterTenantDeps {
  readonly authMode: AuthMode;
  readonly tenants: Tenants;
  readonly hosting: Hosting;
  /** Fetches an issuer's metadata. Returns what is wrong with the issuer, as a clause, or `null`. */
  readonly issuerDefect: (issuer: string) => Promise<string | null>;
}

const isBlank = (text: string | null | undefined): boolean => text == null || text.trim() === '';

const NAME = /^[^\p{C}]+$/u;
const isName = (text: string): boolean =>
  text.length <= LIMITS.tenantNameCharsMax && NAME.test(text);

const refuse = (field: string, message: string): never =>
  fail('REQUEST_INVALID', message, { extra: { field } });

/** Requires the mandatory fields, in the order and with the messages of the reference application. */
function requireAll(asked: TenantRequest, mode: AuthMode): void {
  if (isBlank(asked.tenantId)) refuse('tenantId', 'Tenant Id is required');
  if (isBlank(asked.partyId)) refuse('partyId', 'Party Id is required');
  if (mode === 'oauth2') {
    if (isBlank(asked.clientId)) refuse('clientId', 'Client Id is required in OAuth2 mode');
    if (isBlank(asked.issuerUrl)) refuse('issuerUrl', 'Issuer Url is required in OAuth2 mode');
  } else if ((asked.users ?? []).length === 0) {
    refuse('users', 'At least one User is required in shared-secret mode');
  }
}

/**
 * Returns the party, which need not exist on the ledger: an unknown party sees nothing, and no participant lets Tenure
 * act as it.
 */
function partyOf({ partyId }: TenantRequest): Party {
  const party = partyId ?? '';
  if (isPartyString(party)) return party;
  return refuse(
    'partyId',
    'partyId must have 1 to 255 characters, each of them a letter of a to z, a digit, :, -, _ or a space',
  );
}

/**
 * Refuses a tenant with the provider's party: the provider's people and programs sign in only at the provider's own
 * issuer.
 */
function refuseProvider(tenant: Tenant, provider: Party): void {
  if (tenant.party === provider) {
    refuse('partyId', 'partyId is the party of the provider, which no other tenant may use');
  }
}

function nameAt(field: 'tenantId' | 'clientId', value: string): string {
  if (isName(value)) return value;
  return refuse(
    field,
    `${field} must have 1 to ${LIMITS.tenantNameCharsMax} characters, all of them printable`,
  );
}

/** Returns a URL that both browsers and Tenure can open, and that contains no credentials. */
function webAddress(field: 'walletUrl' | 'issuerUrl', value: string): URL {
  const url = value.length > LIMITS.tenantUrlCharsMax ? null : URL.parse(value);
  // URL parsers treat any other characters differently.
  const isWeb = /^https?:\/\/[\x21-\x7e]+$/iu.test(value) && !value.includes('\\');
  if (url === null || !isWeb) {
    return refuse(field, `${field} must be an address that begins with http:// or https://`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(field, `${field} must not contain a user name or a password`);
  }
  return url;
}

function walletUrlOf({ walletUrl }: TenantRequest): string | null {
  if (isBlank(walletUrl)) return null;
  webAddress('walletUrl', walletUrl ?? '');
  return walletUrl ?? null;
}

/** Returns the issuer's URL, which has no query and no fragment (OpenID Connect Discovery 1.0, section 2). */
function issuerUrlOf({ issuerUrl }: TenantRequest): string {
  const text = issuerUrl ?? '';
  webAddress('issuerUrl', text);
  if (/[?#]/u.test(text)) refuse('issuerUrl', 'issuerUrl must not contain a query or a fragment');
  return text;
}

function usersOf({ users }: TenantRequest): readonly string[] {
  const names = users ?? [];
  if (names.length > LIMITS.tenantUsersMax) {
    refuse('users', `users must have at most ${LIMITS.tenantUsersMax} names`);
  }
  if (!names.every((name) => isName(name) && !isBlank(name))) {
    refuse(
      'users',
      `users must be names of 1 to ${LIMITS.tenantNameCharsMax} characters, all of them printable`,
    );
  }
  if (new Set(names).size < names.length) refuse('users', 'users must not contain a name twice');
  return names;
}

/** Returns the fields with which the tenant's people sign in; omits the fields of the other mode. */
const loginOf = (
  asked: TenantRequest,
  mode: AuthMode,
): Pick<Tenant, 'clientId' | 'issuerUrl' | 'users'> =>
  mode === 'oauth2'
    ? {
        clientId: nameAt('clientId', asked.clientId ?? ''),
        issuerUrl: issuerUrlOf(asked),
        users: [],
      }
    : { clientId: null, issuerUrl: null, users: usersOf(asked) };

function tenantFrom(asked: TenantRequest, mode: AuthMode): Tenant {
  requireAll(asked, mode);
  const tenantId = nameAt('tenantId', asked.tenantId ?? '');
  // In a path, `.` and `..` refer to another path, even if they are escaped.
  if (tenantId === '.' || tenantId === '..') refuse('tenantId', 'tenantId must not be . or ..');
  const party = partyOf(asked);
  return {
    tenantId,
    party,
    walletUrl: walletUrlOf(asked),
    ...loginOf(asked, mode),
    internal: false,
  };
}

const CLASH_WORDS: Readonly<Record<Exclude<TenantAdded, 'added' | object>, string>> = {
  'tenant-known': 'TenantId already exists',
  'pair-known': 'ClientId-IssuerUrl combination already exists',
  'registration-known':
    'TenantId and ClientId together are the same text as those of another tenant',
};

function refuseClash(clash: TenantAdded | null): void {
  if (clash === null || clash === 'added') return;
  const words =
    typeof clash === 'string' ? CLASH_WORDS[clash] : `User ${clash.userKnown} already exists`;
  fail('TENANT_CONFLICT', words);
}

/**
 * Registers a tenant. Checks the request, then conflicts with known tenants, then the issuer's metadata. Stores nothing
 * unless all checks succeed.
 *
 * @throws ProblemError `REQUEST_INVALID`, `TENANT_CONFLICT`, `ISSUER_UNUSABLE`
 */
export async function registerTenant(
  asked: TenantRequest,
  deps: RegisterTenantDeps,
  by: Actor,
  io: Io,
): Promise<Tenant> {
  const tenant = tenantFrom(asked, deps.authMode);
  refuseProvider(tenant, deps.hosting.provider);
  refuseClash(clashAmong(tenant, await deps.tenants.list(io)));
  if (tenant.issuerUrl !== null) {
    const defect = await deps.issuerDefect(tenant.issuerUrl);
    if (defect !== null) {
      fail('ISSUER_UNUSABLE', `the issuer ${defect}`, { extra: { field: 'issuerUrl' } });
    }
  }
  refuseClash(await deps.tenants.add(tenant, io, by));
  return tenant;
}

const notThere = (tenantId: string): never =>
  fail('NOT_FOUND', `No registrations found for tenantId=${tenantId}`);

const isInternal = (tenantId: string): never =>
  fail(
    'TENANT_INTERNAL',
    `tenant ${tenantId} comes from the configuration and cannot be changed here`,
  );

/** @throws ProblemError `NOT_FOUND`, `TENANT_INTERNAL` */
export async function requireRemovable(tenantId: string, tenants: Tenants, io: Io): Promise<void> {
  const found = await tenants.byId(tenantId, io);
  if (found === null) notThere(tenantId);
  else if (found.internal) isInternal(tenantId);
}

/**
 * Ends a tenant's registration, and thereby the trust in its issuer.
 *
 * @throws ProblemError `NOT_FOUND`, `TENANT_INTERNAL`
 */
export async function removeTenant(
  tenantId: string,
  tenants: Tenants,
  act: Act,
  io: Io,
): Promise<void> {
  const removed = await tenants.remove(tenantId, io, act);
  if (removed === 'unknown') notThere(tenantId);
  if (removed === 'internal') isInternal(tenantId);
}
