import type { Party } from './ids.ts';

/** An organisation whose people and programs may call the API: how they authenticate, and for which party they act. */
export interface Tenant {
  readonly tenantId: string;
  /** The party as the provider entered it: it may be unknown to the ledger. */
  readonly party: Party;
  /** The address of the wallet that the tenant's people use. */
  readonly walletUrl: string | null;
  /** Tenure's client ID at the tenant's authorization server. Set, like `issuerUrl`, in mode `oauth2`. */
  readonly clientId: string | null;
  readonly issuerUrl: string | null;
  /** Whether configuration defines the tenant, so that it cannot be deleted. */
  readonly internal: boolean;
  /** Names with which people may sign in, in mode `shared-secret`. */
  readonly users: readonly string[];
}

/** The provider's own tenant, which always exists. */
export const PROVIDER_TENANT_ID = 'AppProvider';

/** The tenant of LocalNet's user, registered when Tenure starts. */
export const USER_TENANT_ID = 'AppUser';

/** Returns the name of a tenant's login in URLs, which is unique. Reference: `AppUser-app-provider-backend-oidc`. */
export function registrationIdOf(tenant: Pick<Tenant, 'tenantId' | 'clientId'>): string {
  if (tenant.tenantId === PROVIDER_TENANT_ID) return PROVIDER_TENANT_ID;
  return tenant.clientId === null ? tenant.tenantId : `${tenant.tenantId}-${tenant.clientId}`;
}
