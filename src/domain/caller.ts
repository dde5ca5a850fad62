import type { Party } from './ids.ts';
import type { Tenant } from './tenant.ts';

export const ROLES = ['user', 'provider', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Each route needs one of these. */
export const PERMISSIONS = ['read', 'write', 'policy', 'operate', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Permissions = ReadonlySet<Permission>;

/** Identity and rights of a request, resolved from a bearer token or a session before any other processing. */
export interface Caller {
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  /** @default the permissions that the roles imply */
  readonly permissions?: Permissions;
  readonly via: 'bearer' | 'session';
  /** The registration that decided the party. */
  readonly tenantId: string;
  /** The identity behind the party, for history and logs: the token's `sub`, or the name signed in with. */
  readonly subject: string;
  /** For display: the name of the signed-in user, or the name in the token. */
  readonly name: string;
}

/** The author of an act, as the audit log names them. */
export type Actor = Pick<Caller, 'party' | 'subject'>;

export const USER_PERMISSIONS: Permissions = new Set(['read', 'write'] as const);
export const PROVIDER_PERMISSIONS: Permissions = new Set([
  'read',
  'write',
  'policy',
  'admin',
] as const);

const union = (some: Permissions, others: Permissions): Permissions =>
  new Set([...some, ...others]);

const OPERATE: Permissions = new Set(['operate'] as const);

function impliedBy(roles: ReadonlySet<Role>): Permissions {
  const usual = roles.has('provider') ? PROVIDER_PERMISSIONS : USER_PERMISSIONS;
  return roles.has('operator') ? union(usual, OPERATE) : usual;
}

/** The permissions of a caller. Sessions of an earlier version have only roles. */
export const permissionsOf = ({ roles, permissions }: Rights): Permissions =>
  permissions ?? impliedBy(roles);

export const may = (caller: Rights, permission: Permission): boolean =>
  permissionsOf(caller).has(permission);

/** The part of a caller that decides which routes answer. */
export type Rights = Pick<Caller, 'roles' | 'permissions'>;

/** Permissions at the provider's authorization server, by configuration. */
export interface Grants {
  /** Permissions by the client ID of a token or a login. */
  readonly clients: ReadonlyMap<string, Permissions>;
  /** Permissions by role or scope. */
  readonly roles: ReadonlyMap<string, Permissions>;
  /** Whether a client that is not listed grants nothing. Otherwise the client grants `PROVIDER_PERMISSIONS`. */
  readonly isStrict: boolean;
}

/** Every client of the provider's authorization server acts for the provider. */
export const OPEN_GRANTS: Grants = { clients: new Map(), roles: new Map(), isStrict: false };

/** The proved facts that decide the rights of a token or a login. */
export interface Proof {
  readonly tenant: Tenant;
  /** The tenant's party, unless test mode lets the token name another. */
  readonly party: Party;
  /** The client that the token or the login belongs to. */
  readonly client: unknown;
  /** The roles or scopes of the configured claim. */
  readonly claimedRoles: readonly string[];
}

const NONE: Permissions = new Set();

/**
 * A caller is the provider only for the provider's party, by the provider's own authorization server, and with the
 * permissions that configuration grants to its client and its roles. All other callers are users. A tenant's own server
 * decides which people of the tenant are operators. Their desk shows only the tenant's party: see
 * `app/ports/ops-scope.ts`. A tenant of another server with the provider's party has no permission.
 *
 * @param provider the provider's own tenant
 */
export function rightsOf(
  { tenant, party, client, claimedRoles }: Proof,
  provider: Tenant,
  { clients, roles, isStrict }: Grants,
): Required<Rights> {
  const granted = claimedRoles.reduce((all, name) => union(all, roles.get(name) ?? NONE), NONE);
  const isOurs =
    tenant.tenantId === provider.tenantId ||
    (tenant.issuerUrl !== null && tenant.issuerUrl === provider.issuerUrl);
  if (isOurs && party === provider.party) {
    const unlisted = isStrict ? NONE : PROVIDER_PERMISSIONS;
    const listed = typeof client === 'string' ? clients.get(client) : undefined;
    return withRole('provider', union(listed ?? unlisted, granted));
  }
  if (!isOurs && tenant.party === provider.party) return withRole('user', NONE);
  const isOperator = !isOurs && party === tenant.party && granted.has('operate');
  return withRole('user', isOperator ? union(USER_PERMISSIONS, OPERATE) : USER_PERMISSIONS);
}

const withRole = (role: Role, permissions: Permissions): Required<Rights> => ({
  roles: new Set<Role>(permissions.has('operate') ? [role, 'operator'] : [role]),
  permissions,
});
