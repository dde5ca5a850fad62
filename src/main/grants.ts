import { PERMISSIONS, PROVIDER_PERMISSIONS } from '../domain/caller.ts';
import type { Grants, Permission, Permissions } from '../domain/caller.ts';
import type { Environment } from './environment.ts';

const isPermission = (text: string): text is Permission =>
  PERMISSIONS.some((permission) => permission === text);

/**
 * Reads a list of clients or roles with their permissions.
 *
 * @example
 * readGrants('tenure-desk,reports=read,https://example.org/ops=read+operate');
 *
 * @returns the permissions by name; a name without permissions gets `PROVIDER_PERMISSIONS`
 * @throws TypeError that names the invalid entry
 */
export function readGrants(list: string): ReadonlyMap<string, Permissions> {
  return new Map(
    list.split(',').map((text): [string, Permissions] => {
      const entry = text.trim();
      const [, name = '', granted] = /^(.+?)(?:=([a-z+]*))?$/u.exec(entry) ?? [];
      const permissions = granted?.split('+') ?? [...PROVIDER_PERMISSIONS];
      if (name === '' || !permissions.every(isPermission)) {
        throw new TypeError(`${entry} is no name with some of ${PERMISSIONS.join('+')}`);
      }
      return [name, new Set(permissions)];
    }),
  );
}

/**
 * Returns the permissions of clients and roles. If clients are listed, all others are excluded; in production, every
 * unlisted client is excluded.
 */
export const grantsOf = (env: Environment): Grants => ({
  clients: readGrantsOrNone(env.AUTH_APP_PROVIDER_CLIENTS),
  roles: readGrants(env.AUTH_ROLE_PERMISSIONS),
  isStrict: env.AUTH_APP_PROVIDER_CLIENTS !== undefined || env.TENURE_ENVIRONMENT === 'production',
});

const readGrantsOrNone = (list: string | undefined): ReadonlyMap<string, Permissions> =>
  list === undefined ? new Map() : readGrants(list);
