import { registrationIdOf } from '../../domain/tenant.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Io } from '../ports/io.ts';
import type { TenantAdded, TenantRemoved, Tenants } from '../ports/tenants.ts';

const hasPairOf = (tenant: Tenant, other: Tenant): boolean =>
  tenant.clientId !== null &&
  tenant.clientId === other.clientId &&
  tenant.issuerUrl === other.issuerUrl;

/** Returns how a tenant conflicts with other tenants, as `Tenants.add` reports it; `null` if there is no conflict. */
export function clashAmong(tenant: Tenant, others: readonly Tenant[]): TenantAdded | null {
  if (others.some(({ tenantId }) => tenantId === tenant.tenantId)) return 'tenant-known';
  if (others.some((other) => hasPairOf(tenant, other))) return 'pair-known';
  const registrationId = registrationIdOf(tenant);
  if (others.some((other) => registrationIdOf(other) === registrationId)) {
    return 'registration-known';
  }
  const taken = new Set(others.flatMap((other) => other.users));
  const userKnown = tenant.users.find((user) => taken.has(user));
  return userKnown === undefined ? null : { userKnown };
}

/** Returns the configured tenants, then the registered ones. Configured tenants cannot be added again or removed. */
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
    add: async (tenant, io, by): Promise<TenantAdded> =>
      clashAmong(tenant, configured) ?? registered.add(tenant, io, by),
    remove: async (tenantId, io, act): Promise<TenantRemoved> =>
      configuredById(tenantId) === undefined ? registered.remove(tenantId, io, act) : 'internal',
  };
}
