import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Tenants } from '../app/ports/tenants.ts';
import { withConfiguredTenants } from '../app/callers/tenants.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import { createTrustedTenants } from '../app/callers/trusted-tenants.ts';
import type { IssuerDirectory } from '../auth/issuer-directory.ts';
import { createIssuerDirectory } from '../auth/issuer-directory.ts';
import type { OutgoingHttp } from '../auth/outgoing-fetch.ts';
import { createOutgoingHttp } from '../auth/outgoing-fetch.ts';
import { MAIN_LIMITS } from './limits.ts';
import { createTenants, readdressTenant } from '../store/callers/tenants.ts';
import { stopActsOf } from '../store/desk/bulk-acts.ts';
import { PROVIDER_TENANT_ID, USER_TENANT_ID } from '../domain/tenant.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Party } from '../domain/ids.ts';
import type { AuthMode } from '../domain/session.ts';
import type { Config, IssuerConfig } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';

/** Names that can log in without a password in mode `shared-secret`, as in the reference application. */
const USERS = { provider: ['app-provider'], user: ['app-user'] } as const;

/** Returns how a tenant's people authenticate: at their authorization server, or by name. */
const loginOf = (
  config: Config,
  role: IssuerConfig['role'],
): Pick<Tenant, 'clientId' | 'issuerUrl' | 'users'> => {
  const logins: Record<AuthMode, ReturnType<typeof loginOf>> = {
    oauth2: {
      clientId: config.loginClientId,
      issuerUrl: config.issuers.find((issuer) => issuer.role === role)?.issuer ?? null,
      users: [],
    },
    'shared-secret': { clientId: null, issuerUrl: null, users: USERS[role] },
  };
  return logins[config.authMode];
};

/** Returns the provider's own tenant, which always exists. */
export const providerTenant = (config: Config, { providerParty }: Parties): Tenant => ({
  tenantId: PROVIDER_TENANT_ID,
  party: providerParty,
  walletUrl: null,
  internal: true,
  ...loginOf(config, 'provider'),
});

interface Parties {
  readonly providerParty: Party;
  readonly userParty: Party | null;
}

/** Returns, by issuer, the tenant that each configured issuer was configured for. */
export const homesOf = (config: Config): ReadonlyMap<string, string> =>
  new Map(
    // The provider's issuer is last, so that an issuer that both use belongs to the provider.
    [...config.issuers]
      .reverse()
      .map(({ issuer, role }) => [
        issuer,
        role === 'provider' ? PROVIDER_TENANT_ID : USER_TENANT_ID,
      ]),
  );

/** Whether a tenant was registered in the other authentication mode, so that none of its people could sign in now. */
const isOfOtherMode = (tenant: Tenant, mode: AuthMode): boolean =>
  (tenant.issuerUrl === null) !== (mode === 'shared-secret');

/**
 * Registers tenant AppUser if its party is known. If Tenure itself has registered the tenant before, updates the
 * tenant's addresses, because ports may differ at each start. A registration that a person made is not changed.
 */
export async function registerUserTenant(
  config: Config,
  { userParty }: Parties,
  { tenants, pool }: { readonly tenants: Tenants; readonly pool: Pool },
  log: Log,
  io: Io,
): Promise<void> {
  // Only the role `api` does this: another role would only restore a tenant that was deleted in the meantime.
  if (!config.roles.has('api') || config.userTenant === null || userParty === null) return;
  const before = await tenants.byId(USER_TENANT_ID, io);
  if (before !== null && isOfOtherMode(before, config.authMode)) {
    log.info({ tenantId: USER_TENANT_ID, mode: config.authMode }, 'a tenant is registered again');
    await tenants.remove(USER_TENANT_ID, io);
  }
  const tenant: Tenant = {
    tenantId: USER_TENANT_ID,
    party: userParty,
    walletUrl: config.userTenant.walletUrl,
    internal: false,
    ...loginOf(config, 'user'),
  };
  const added = await tenants.add(tenant, io);
  const done = added === 'tenant-known' ? await readdressTenant(pool, tenant, io) : added;
  if (done === 'added' || done === 'kept') return;
  if (done === 'renewed')
    log.info({ tenantId: USER_TENANT_ID }, 'the addresses of a tenant are renewed');
  else log.warn({ tenantId: USER_TENANT_ID, because: done }, 'a tenant cannot be registered');
}

/**
 * Opens the tenants that may call: the registered tenants, which are cached for a short time, and the configured ones.
 */
export async function openTenants(
  config: Config,
  ledger: LedgerSide,
  pool: Pool,
  log: Logger,
  signal: AbortSignal,
): Promise<TrustedTenants> {
  const registered = createTenants(pool, stopActsOf);
  const tenants = withConfiguredTenants(registered, [providerTenant(config, ledger)]);
  await registerUserTenant(config, ledger, { tenants, pool }, log, {
    signal,
    deadlineMs: MAIN_LIMITS.tenantsOpenMs,
  });
  return createTrustedTenants({ tenants, nowMs: () => performance.now() });
}

/**
 * Opens the directory of the tenants' authorization servers. A server that a tenant chose is contacted only at allowed
 * addresses.
 */
export function openIssuers(
  config: Config,
  http: OutgoingHttp,
  wallClock: WallClock,
  stack: AsyncDisposableStack,
): IssuerDirectory {
  const guarded = createOutgoingHttp({
    timeoutMs: MAIN_LIMITS.issuerExchangeMs,
    bodyBytesMax: MAIN_LIMITS.issuerBytesMax,
    policy: config.tenantIssuers,
  });
  stack.defer(() => guarded.close());
  return createIssuerDirectory({
    known: config.issuers,
    fetch: http.fetch,
    guardedFetch: guarded.fetch,
    allowsHttp: config.allowsPlainIssuers,
    nowMs: () => wallClock.nowMs(),
  });
}
