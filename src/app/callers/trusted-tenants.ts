import type { Tenant } from '../../domain/tenant.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Io } from '../ports/io.ts';
import type { TenantAdded, TenantRemoved, Tenants } from '../ports/tenants.ts';

/** The tenants, for use in each request: kept in memory, and at most a second old. */
export interface TrustedTenants {
  /**
   * @param wanted returns whether a tenant matches; if none matches, the database is read again unless it was read a
   * moment ago
   */
  find(wanted: (tenant: Tenant) => boolean): Promise<readonly Tenant[]>;
  /** The registrations, for changes. This process sees its own changes at once. */
  readonly registrations: Tenants;
}

export interface TrustedTenantsOptions {
  readonly tenants: Tenants;
  /** Any monotonic clock. */
  readonly nowMs: () => number;
}

interface Known {
  readonly tenants: readonly Tenant[];
  /** When the read of the database began, by `nowMs`. */
  readonly atMs: number;
}

/** Changes made by other processes become visible within a second, without any notification. */
export function createTrustedTenants({ tenants, nowMs }: TrustedTenantsOptions): TrustedTenants {
  let known: Known | null = null;
  let asking: Promise<Known> | null = null;
  let changes = 0;

  const ask = async (): Promise<Known> => {
    const atMs = nowMs();
    const before = changes;
    const io: Io = {
      signal: new AbortController().signal,
      deadlineMs: LIMITS.tenantsReadMs,
    };
    const found: Known = { tenants: await tenants.list(io), atMs };
    if (before === changes) known = found;
    return found;
  };
  const asked = (): Promise<Known> => {
    if (asking !== null) return asking;
    const started = ask().finally(() => {
      if (asking === started) asking = null;
    });
    asking = started;
    return started;
  };
  const notOlderThan = async (ageMs: number): Promise<Known> =>
    known !== null && nowMs() - known.atMs < ageMs ? known : asked();
  /** Clears the cache. Also discards a read in progress, because its result may be older than the change. */
  const forget = (): void => {
    known = null;
    asking = null;
    changes += 1;
  };

  return {
    async find(wanted: (tenant: Tenant) => boolean): Promise<readonly Tenant[]> {
      const recent = await notOlderThan(LIMITS.tenantsAgeMsMax);
      const found = recent.tenants.filter(wanted);
      if (found.length > 0) return found;
      const newest = await notOlderThan(LIMITS.tenantsAgeMsMin);
      return newest === recent ? found : newest.tenants.filter(wanted);
    },
    registrations: {
      list: (io: Io) => tenants.list(io),
      byId: (tenantId: string, io: Io) => tenants.byId(tenantId, io),
      async add(tenant, io, by): Promise<TenantAdded> {
        const added = await tenants.add(tenant, io, by);
        forget();
        return added;
      },
      async remove(tenantId, io, by): Promise<TenantRemoved> {
        const removed = await tenants.remove(tenantId, io, by);
        forget();
        return removed;
      },
    },
  };
}
