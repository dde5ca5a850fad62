/** Public demo users of the reference's LocalNet, and one more of each realm for the operations desk. */
export const DEMO_PASSWORD = 'abc123';
export const DEMO_USERS = {
  provider: { realm: 'provider', client: 'app-provider-unsafe', user: 'app-provider' },
  operator: { realm: 'provider', client: 'app-provider-unsafe', user: 'operator' },
  user: { realm: 'user', client: 'app-user-unsafe', user: 'app-user' },
  'user-operator': { realm: 'user', client: 'app-user-unsafe', user: 'operator' },
} as const;
/** Roles come from an authorization server, which mode shared-secret has none of. */
export const OPERATORS: readonly string[] = ['operator', 'user-operator'];
export type DemoCaller = keyof typeof DEMO_USERS;
export const DEMO_CALLERS = Object.keys(DEMO_USERS);
