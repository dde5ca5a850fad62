/** The public demo users of the reference application's LocalNet, plus one operator for each realm. */
export const DEMO_PASSWORD = 'abc123';
export const DEMO_USERS = {
  provider: { realm: 'provider', client: 'app-provider-unsafe', user: 'app-provider' },
  operator: { realm: 'provider', client: 'app-provider-unsafe', user: 'operator' },
  user: { realm: 'user', client: 'app-user-unsafe', user: 'app-user' },
  'user-operator': { realm: 'user', client: 'app-user-unsafe', user: 'operator' },
} as const;
/**
 * The demo users who need the role of an operator. Roles come from an authorization server, which mode shared-secret
 * does not have.
 */
export const OPERATORS: readonly string[] = ['operator', 'user-operator'];
export type DemoCaller = keyof typeof DEMO_USERS;
export const DEMO_CALLERS = Object.keys(DEMO_USERS);
