import type { Act } from '../../domain/act.ts';
import type { Actor } from '../../domain/caller.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Io } from './io.ts';

/**
 * The result of a registration. `registration-known`: another tenant has an ID and a client that cannot be told apart
 * from these.
 */
export type TenantAdded =
  | 'added'
  | `${'tenant' | 'pair' | 'registration'}-known`
  | { readonly userKnown: string };
export type TenantRemoved = 'removed' | 'unknown' | 'internal';

/** The registered tenants, whose people and programs may call, with their parties. */
export interface Tenants {
  /** Returns the tenants by ID; tenants from the configuration come first. */
  list(io: Io): Promise<readonly Tenant[]>;
  byId(tenantId: string, io: Io): Promise<Tenant | null>;
  /**
   * Adds the tenant with all its data, or nothing.
   *
   * @param by who requested it, for the audit log; absent if Tenure itself adds it from its configuration
   */
  add(tenant: Tenant, io: Io, by?: Actor): Promise<TenantAdded>;
  /** @param act who requested it and why, for the audit log; absent if Tenure itself removes it */
  remove(tenantId: string, io: Io, act?: Act): Promise<TenantRemoved>;
}
