import type { Permissions, Role } from './caller.ts';
import type { Party } from './ids.ts';

/** How people sign in: at an authorization server, or, for development, by their name alone. */
export type AuthMode = 'oauth2' | 'shared-secret';

export interface Login {
  readonly registrationId: string;
  /** What a logout there asks for. */
  readonly idToken: string | null;
  /** What the authorization server takes for the current rights; null when it gave none. */
  readonly refreshToken: string | null;
}

/** Somebody who has signed in, with the rights that the authorization server told last. */
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
  /** Of a login at an authorization server. */
  readonly login: Login | null;
}

/** A login under way, kept by the browser: what the way back from the login page is held against. */
export interface PendingLogin {
  readonly registrationId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}
