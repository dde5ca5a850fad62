/** Public demo users of the reference's LocalNet, and one more for the operations desk. */
export const DEMO_PASSWORD = 'abc123';
export const DEMO_USERS = {
  provider: { realm: 'provider', client: 'app-provider-unsafe', user: 'app-provider' },
  operator: { realm: 'provider', client: 'app-provider-unsafe', user: 'operator' },
  user: { realm: 'user', client: 'app-user-unsafe', user: 'app-user' },
} as const;
export type DemoCaller = keyof typeof DEMO_USERS;
export const DEMO_CALLERS = Object.keys(DEMO_USERS);
