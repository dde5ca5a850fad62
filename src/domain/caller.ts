import type { Party } from './ids.ts';
import type { Tenant } from './tenant.ts';

export type Role = 'user' | 'provider' | 'operator';

/** Who asks: resolved from a bearer token or a session before anything else happens. */
export interface Caller {
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  readonly via: 'bearer' | 'session';
  /** The registration that decided the party. */
  readonly tenantId: string;
  /** The identity behind the party, for history and logs: the token's `sub`, or the name signed in with. */
  readonly subject: string;
  /** For people: who signed in, or what the token calls itself. */
  readonly name: string;
}

/** What a token or a login has proved, for the question of roles. */
export interface Proof {
  readonly tenant: Tenant;
  /** The tenant's, unless test mode lets the token name another. */
  readonly party: Party;
  /** Claim `roles`, whatever it holds. */
  readonly claimedRoles: unknown;
}

/**
 * The provider is who stands for the provider's party by the provider's own authorization server; anybody else is a
 * user, also a tenant that shares just one of the two. Only that server can make operators: a tenant runs its own and
 * could claim anything.
 *
 * @param provider the provider's own tenant
 */
export function rolesOf(
  { tenant, party, claimedRoles }: Proof,
  provider: Tenant,
): ReadonlySet<Role> {
  const isOurs =
    tenant.tenantId === provider.tenantId ||
    (tenant.issuerUrl !== null && tenant.issuerUrl === provider.issuerUrl);
  if (!isOurs || party !== provider.party) return new Set<Role>(['user']);
  const isOperator = Array.isArray(claimedRoles) && claimedRoles.includes('operator');
  return new Set<Role>(isOperator ? ['provider', 'operator'] : ['provider']);
}
