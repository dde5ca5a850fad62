import type { Party } from './ids.ts';
import type { Tenant } from './tenant.ts';

export const ROLES = ['user', 'provider', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Each route requires one of these permissions. */
export const PERMISSIONS = ['read', 'write', 'policy', 'operate', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Permissions = ReadonlySet<Permission>;

/**
 * Identity and rights of the sender of a request. They are determined from a bearer token or a session before any other
 * processing.
 */
export interface Caller {
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  /** The caller's permissions. @default the permissions that the roles imply */
  readonly permissions?: Permissions;
  readonly via: 'bearer' | 'session';
  /** ID of the tenant whose registration determined the party. */
  readonly tenantId: string;
  /** The identity within the party, for history and logs: the token's `sub`, or the name used at sign-in. */
  readonly subject: string;
  /** For display: the name of the signed-in user, or the name in the token. */
  readonly name: string;
}

/** The author of an act, as recorded in the audit log. */
export type Actor = Pick<Caller, 'party' | 'subject'>;

const PSEUDONYM = /^person:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Whether a subject has the form of the pseudonyms by which the audit log names people. */
export const isPseudonym = (subject: string): boolean => PSEUDONYM.test(subject);

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

/** Returns the permissions of a caller. Sessions created by an earlier version have only roles. */
export const permissionsOf = ({ roles, permissions }: Rights): Permissions =>
  permissions ?? impliedBy(roles);

export const may = (caller: Rights, permission: Permission): boolean =>
  permissionsOf(caller).has(permission);

/** The part of a caller that determines which routes the caller may use. */
export type Rights = Pick<Caller, 'roles' | 'permissions'>;

/** The permissions that configuration grants to clients of the provider's authorization server. */
export interface Grants {
  /** Permissions by the client ID in a token or a login. */
  readonly clients: ReadonlyMap<string, Permissions>;
  /** Permissions by role or scope. */
  readonly roles: ReadonlyMap<string, Permissions>;
  /** Whether an unlisted client has no permissions. Otherwise, an unlisted client has `PROVIDER_PERMISSIONS`. */
  readonly isStrict: boolean;
}

/** With these grants, every client of the provider's authorization server acts for the provider. */
export const OPEN_GRANTS: Grants = { clients: new Map(), roles: new Map(), isStrict: false };

/** The verified facts in a token or a login, from which the rights of the caller follow. */
export interface Proof {
  readonly tenant: Tenant;
  /** The tenant's party. In test mode, the token may name another party. */
  readonly party: Party;
  /** The client for which the token or the login was issued. */
  readonly client: unknown;
  /** The roles or scopes in the configured claim. */
  readonly claimedRoles: readonly string[];
}

const NONE: Permissions = new Set();

/**
 * Returns the rights of a caller. A caller is the provider only if three conditions hold: the party is the provider's,
 * the provider's own authorization server issued the token, and configuration grants permissions to the client or its
 * roles. All other callers are users. A tenant's own server decides which people of the tenant are operators. Their
 * desk shows only the tenant's party: see `app/ports/ops-scope.ts`. A tenant of another server that has the provider's
 * party gets no permission.
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
