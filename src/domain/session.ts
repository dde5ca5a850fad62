import type { Permissions, Role } from './caller.ts';
import type { Party } from './ids.ts';

/** The way to sign in: at an authorization server, or, for development, with a name only. */
export type AuthMode = 'oauth2' | 'shared-secret';

export interface Login {
  readonly registrationId: string;
  /** The ID token that a logout at the authorization server needs. */
  readonly idToken: string | null;
  /** Gets the current rights from the authorization server; null when the server issued none. */
  readonly refreshToken: string | null;
}

/** A signed-in user, with the rights that the authorization server reported last. */
export interface Identity {
  readonly tenantId: string;
  /** Whether the tenant is from the configuration, which is never removed. */
  readonly isInternal: boolean;
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  /** @default the permissions that the roles imply */
  readonly permissions?: Permissions;
  /** Claim `sub`, or the name signed in with. */
  readonly subject: string;
  /** For display. */
  readonly name: string;
  /** Set for a login at an authorization server. */
  readonly login: Login | null;
}

/** A login in progress, kept by the browser: the return from the login page is checked against it. */
export interface PendingLogin {
  readonly registrationId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
