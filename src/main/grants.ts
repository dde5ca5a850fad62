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
 * @returns permissions by name; a name alone has `PROVIDER_PERMISSIONS`
 * @throws TypeError that names the wrong entry
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

/** A list excludes all other clients, and production excludes every client that is not listed. */
export const grantsOf = (env: Environment): Grants => ({
  clients: readGrantsOrNone(env.AUTH_APP_PROVIDER_CLIENTS),
  roles: readGrants(env.AUTH_ROLE_PERMISSIONS),
  isStrict: env.AUTH_APP_PROVIDER_CLIENTS !== undefined || env.TENURE_ENVIRONMENT === 'production',
});

const readGrantsOrNone = (list: string | undefined): ReadonlyMap<string, Permissions> =>
  list === undefined ? new Map() : readGrants(list);
