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

/** Who did something, as the audit log names them. */
export type Actor = Pick<Caller, 'party' | 'subject'>;

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
 * user, also a tenant that shares just one of the two. A tenant's own server says who of the tenant is an operator, and
 * can say so of nothing but the tenant's own party: what such an operator sees follows from the party
 * (`app/ports/ops-scope.ts`), so a server that calls everybody an operator gives nothing away but its own. Operators by
 * the provider's server are the provider's, also where a guest's client has their token.
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
  const isOperator = Array.isArray(claimedRoles) && claimedRoles.includes('operator');
  if (isOurs && party === provider.party) {
    return new Set<Role>(isOperator ? ['provider', 'operator'] : ['provider']);
  }
  const isOwn = !isOurs && party === tenant.party && party !== provider.party;
  return new Set<Role>(isOperator && isOwn ? ['user', 'operator'] : ['user']);
}
