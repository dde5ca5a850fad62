import { createContext, use } from 'react';
import type { components } from '../../../client/schema.ts';
import * as t from '../texts/parts.tsx';

/** The person who has signed in. */
export type Caller = components['schemas']['AuthenticatedUser'] & {
  /** How much of the operations desk an operator sees: the whole deployment, or one tenant. */
  readonly operatorOf?: 'deployment' | 'tenant' | null;
};

export type Permission = Caller['permissions'][number];

export type Role = 'user' | 'provider' | 'operator';

/** Roles and permissions, by which pages decide what to show. */
export type Right = Role | Permission;

export function rolesOf(caller: Caller): ReadonlySet<Role> {
  const isOperator = (caller.operatorOf ?? null) !== null;
  return new Set<Role>([
    ...(caller.isAdmin ? (['provider'] as const) : (['user'] as const)),
    ...(isOperator ? (['operator'] as const) : []),
  ]);
}

const CallerContext = createContext<Caller | null>(null);
export const CallerProvider = CallerContext.Provider;

/** Returns the signed-in caller. @throws Error outside pages for signed-in callers */
export function useCaller(): Caller {
  const caller = use(CallerContext);
  if (caller === null) throw new Error('nobody is signed in here');
  return caller;
}

export const rightsOf = (caller: Caller): ReadonlySet<Right> =>
  new Set<Right>([...rolesOf(caller), ...caller.permissions]);

export const useRoles = (): ReadonlySet<Right> => rightsOf(useCaller());

/** Returns why the caller may change nothing; `undefined` if the caller has the permission `write`. */
export const useReadOnly = (): string | undefined =>
  useRoles().has('write') ? undefined : t.yourPermissionsAllowReading;
