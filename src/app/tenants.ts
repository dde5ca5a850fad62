import type { Tenant } from '../domain/tenant.ts';
import type { Io, TenantAdded, TenantRemoved, Tenants } from './ports.ts';

/** Why a tenant cannot stand beside one of the configuration, as `Tenants.add` tells it. */
function clash(tenant: Tenant, configured: Tenant): TenantAdded | null {
  if (tenant.tenantId === configured.tenantId) return 'tenant-known';
  const isSamePair =
    tenant.clientId !== null &&
    tenant.clientId === configured.clientId &&
    tenant.issuerUrl === configured.issuerUrl;
  if (isSamePair) return 'pair-known';
  const userKnown = tenant.users.find((user) => configured.users.includes(user));
  return userKnown === undefined ? null : { userKnown };
}

/** The registered tenants and before them those of the configuration, which nobody can add again or remove. */
export function withConfiguredTenants(registered: Tenants, configured: readonly Tenant[]): Tenants {
  const configuredById = (tenantId: string): Tenant | undefined =>
    configured.find((tenant) => tenant.tenantId === tenantId);
  return {
    list: async (io: Io): Promise<readonly Tenant[]> => {
      const others = await registered.list(io);
      return [...configured, ...others.filter(({ tenantId }) => !configuredById(tenantId))];
    },
    byId: async (tenantId: string, io: Io): Promise<Tenant | null> =>
      configuredById(tenantId) ?? registered.byId(tenantId, io),
    async add(tenant: Tenant, io: Io): Promise<TenantAdded> {
      for (const other of configured) {
        const found = clash(tenant, other);
        if (found !== null) return found;
      }
      return registered.add(tenant, io);
    },
    remove: async (tenantId: string, io: Io): Promise<TenantRemoved> =>
      configuredById(tenantId) === undefined ? registered.remove(tenantId, io) : 'internal',
  };
}
