import type { Act } from '../../domain/act.ts';
import type { Actor } from '../../domain/caller.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Io } from './io.ts';

/** The result of a registration. `registration-known`: another tenant has an ID and client that read the same. */
export type TenantAdded =
  | 'added'
  | `${'tenant' | 'pair' | 'registration'}-known`
  | { readonly userKnown: string };
export type TenantRemoved = 'removed' | 'unknown' | 'internal';

/** The tenants whose people and programs may call, and their parties. */
export interface Tenants {
  /** Returns tenants by ID, with those of the configuration first. */
  list(io: Io): Promise<readonly Tenant[]>;
  byId(tenantId: string, io: Io): Promise<Tenant | null>;
  /**
   * Adds everything or nothing.
   *
   * @param by who requested it, for the audit log; absent for Tenure itself, from its configuration
   */
  add(tenant: Tenant, io: Io, by?: Actor): Promise<TenantAdded>;
  /** @param act who requested it and why, for the audit log; absent as for `add` */
  remove(tenantId: string, io: Io, act?: Act): Promise<TenantRemoved>;
}
