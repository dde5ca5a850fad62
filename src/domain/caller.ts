import type { Party } from './ids.ts';

export type Role = 'user' | 'provider' | 'operator';

/** Who asks: resolved from a bearer token or a session before anything else happens. */
export interface Caller {
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  readonly via: 'bearer' | 'session';
  /** The identity behind the party, for history and logs: the token's `sub`. */
  readonly subject: string;
}
