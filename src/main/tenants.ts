import type { Io, Log, Tenants } from '../app/ports.ts';
import { PROVIDER_TENANT_ID, USER_TENANT_ID } from '../domain/tenant.ts';
import type { Tenant } from '../domain/tenant.ts';
import type { Party } from '../domain/ids.ts';
import type { AuthMode } from '../domain/session.ts';
import type { Config, IssuerConfig } from './config.ts';

/** Names that log in without a password, in mode `shared-secret`; the reference's. */
const USERS = { provider: ['app-provider'], user: ['app-user'] } as const;

/** How people of a tenant prove who they are: at their authorization server, or by name. */
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

/** The tenant that always exists. */
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

/** The tenants that the issuers of the configuration were set up for, by issuer. */
export const homesOf = (config: Config): ReadonlyMap<string, string> =>
  new Map(
    // The provider's last: should both have one issuer, it is the provider's.
    [...config.issuers]
      .reverse()
      .map(({ issuer, role }) => [
        issuer,
        role === 'provider' ? PROVIDER_TENANT_ID : USER_TENANT_ID,
      ]),
  );

/** A tenant that was registered in the other mode: nobody could sign in to it in this one. */
const isOfOtherMode = (tenant: Tenant, mode: AuthMode): boolean =>
  (tenant.issuerUrl === null) !== (mode === 'shared-secret');

/** Registers tenant AppUser where its party is known, unless there is such a tenant already, of this mode. */
export async function registerUserTenant(
  config: Config,
  { userParty }: Parties,
  tenants: Tenants,
  log: Log,
  io: Io,
): Promise<void> {
  // Others would only bring back what was deleted meanwhile.
  if (!config.roles.has('api') || config.userTenant === null || userParty === null) return;
  const before = await tenants.byId(USER_TENANT_ID, io);
  if (before !== null && isOfOtherMode(before, config.authMode)) {
    log.info({ tenantId: USER_TENANT_ID, mode: config.authMode }, 'a tenant is registered anew');
    await tenants.remove(USER_TENANT_ID, io);
  }
  const added = await tenants.add(
    {
      tenantId: USER_TENANT_ID,
      party: userParty,
      walletUrl: config.userTenant.walletUrl,
      internal: false,
      ...loginOf(config, 'user'),
    },
    io,
  );
  if (added === 'added' || added === 'tenant-known') return;
  log.warn({ tenantId: USER_TENANT_ID, because: added }, 'a tenant cannot be registered');
}
