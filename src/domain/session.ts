import type { Permissions, Role } from './caller.ts';
import type { Party } from './ids.ts';

/** How people sign in: at an authorization server, or, for development, by their name alone. */
export type AuthMode = 'oauth2' | 'shared-secret';

/** Somebody who has signed in: what is decided at that moment and holds until the session ends. */
export interface Identity {
  readonly tenantId: string;
  /** Of the configuration: never removed. */
  readonly isInternal: boolean;
  readonly party: Party;
  readonly roles: ReadonlySet<Role>;
  /** @default the permissions that the roles imply */
  readonly permissions?: Permissions;
  /** Claim `sub`, or the name signed in with. */
  readonly subject: string;
  /** For people. */
  readonly name: string;
  /** Of a login at an authorization server: what a logout there asks for. */
  readonly login: { readonly registrationId: string; readonly idToken: string | null } | null;
}

/** A login under way, kept by the browser: what the way back from the login page is held against. */
export interface PendingLogin {
  readonly registrationId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
