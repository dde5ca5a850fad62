import { createContext, use } from 'react';
import type { components } from './schema.ts';

/** Who has signed in. */
export type Caller = components['schemas']['AuthenticatedUser'] & {
  /** Operators see the desk: all of it, or their tenant's part. */
  readonly operatorOf?: 'deployment' | 'tenant' | null;
};

export type Role = 'user' | 'provider' | 'operator';

export function rolesOf(caller: Caller): ReadonlySet<Role> {
  const isOperator = (caller.operatorOf ?? null) !== null;
  return new Set<Role>([
    ...(caller.isAdmin ? (['provider'] as const) : (['user'] as const)),
    ...(isOperator ? (['operator'] as const) : []),
  ]);
}

const CallerContext = createContext<Caller | null>(null);
export const CallerProvider = CallerContext.Provider;

/** @throws Error outside of pages for signed-in callers */
export function useCaller(): Caller {
  const caller = use(CallerContext);
  if (caller === null) throw new Error('nobody is signed in here');
  return caller;
}

export const useRoles = (): ReadonlySet<Role> => rolesOf(useCaller());
