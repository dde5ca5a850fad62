import type { Tenant } from '../../domain/tenant.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Io } from '../ports/io.ts';
import type { TenantAdded, TenantRemoved, Tenants } from '../ports/tenants.ts';

/** The tenants as every request needs them: in memory, and never older than a second. */
export interface TrustedTenants {
  /** @param wanted looks again when none of them is it, unless somebody has just looked */
  find(wanted: (tenant: Tenant) => boolean): Promise<readonly Tenant[]>;
  /** The same registrations, for changing them; a change is seen at once in this process. */
  readonly registrations: Tenants;
}

export interface TrustedTenantsOptions {
  readonly tenants: Tenants;
  /** Any clock that does not go back. */
  readonly nowMs: () => number;
}

interface Known {
  readonly tenants: readonly Tenant[];
  /** When the database was asked. */
  readonly atMs: number;
}

/** What another process registers or deletes is seen within a second; nothing has to be told to anybody. */
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
  /** What is being asked may be older than the change. */
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
