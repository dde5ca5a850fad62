import type { Act } from '../../domain/act.ts';
import type { Actor } from '../../domain/caller.ts';
import type { Tenant } from '../../domain/tenant.ts';
import type { Io } from './io.ts';

/** Why a tenant was not registered, or that it was. `registration-known`: its id and client read like another's. */
export type TenantAdded =
  | 'added'
  | `${'tenant' | 'pair' | 'registration'}-known`
  | { readonly userKnown: string };
export type TenantRemoved = 'removed' | 'unknown' | 'internal';

/** Who may call, and for whom they stand. */
export interface Tenants {
  /** In the order of their ids, those of the configuration first. */
  list(io: Io): Promise<readonly Tenant[]>;
  byId(tenantId: string, io: Io): Promise<Tenant | null>;
  /**
   * All of it or nothing.
   *
   * @param by who asked for it, for the audit log; absent: Tenure itself, from its configuration
   */
  add(tenant: Tenant, io: Io, by?: Actor): Promise<TenantAdded>;
  /** @param act who asked for it and why, for the audit log; absent as for `add` */
  remove(tenantId: string, io: Io, act?: Act): Promise<TenantRemoved>;
}
