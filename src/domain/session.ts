import type { Permissions, Role } from './caller.ts';
import type { Party } from './ids.ts';

/** How users sign in: at an authorization server or, for development, with only a name. */
export type AuthMode = 'oauth2' | 'shared-secret';

export interface Login {
  readonly registrationId: string;
  /** The ID token, which a logout at the authorization server needs. */
  readonly idToken: string | null;
  /** The token with which the current rights are read from the authorization server; `null` if it issued none. */
  readonly refreshToken: string | null;
}

/** A signed-in user, with the rights that the authorization server last reported. */
export interface Identity {
  readonly tenantId: string;
  /** Whether configuration defines the tenant, so that it is never removed. */
  readonly isInternal: boolean;
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  /** The permissions of the user. @default the permissions that the roles imply */
  readonly permissions?: Permissions;
  /** Claim `sub`, or the name used at sign-in. */
  readonly subject: string;
  /** The user's name, for display. */
  readonly name: string;
  /** `null` for a sign-in with only a name. */
  readonly login: Login | null;
}

/**
 * A login in progress, stored in the browser. When the browser returns from the login page, its request is compared
 * with these values.
 */
export interface PendingLogin {
  readonly registrationId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
