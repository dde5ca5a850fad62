import type { Party } from './ids.ts';

/** An organisation whose people and programs may call: how they authenticate, and the party that they act for. */
export interface Tenant {
  readonly tenantId: string;
  /** As the provider entered it: the ledger may not know the party. */
  readonly party: Party;
  /** The address of the wallet of its people. */
  readonly walletUrl: string | null;
  /** Tenure's client ID at the tenant's authorization server; with `issuerUrl`, in mode `oauth2`. */
  readonly clientId: string | null;
  readonly issuerUrl: string | null;
  /** Whether configuration defines the tenant: it cannot be deleted. */
  readonly internal: boolean;
  /** Names that may log in, in mode `shared-secret`. */
  readonly users: readonly string[];
}

/** The provider's own tenant, which always exists. */
export const PROVIDER_TENANT_ID = 'AppProvider';

/** The tenant of LocalNet's user, registered at start. */
export const USER_TENANT_ID = 'AppUser';

/** The name of a tenant's login in addresses; unique. Reference: `AppUser-app-provider-backend-oidc`. */
export function registrationIdOf(tenant: Pick<Tenant, 'tenantId' | 'clientId'>): string {
  if (tenant.tenantId === PROVIDER_TENANT_ID) return PROVIDER_TENANT_ID;
  return tenant.clientId === null ? tenant.tenantId : `${tenant.tenantId}-${tenant.clientId}`;
}
