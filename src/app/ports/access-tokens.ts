import type { Io } from './io.ts';

/** A bearer token, or why there is none: the authorization server refused it, or is unreachable. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unreachable'; readonly detail: string };

/** The access tokens of one client. A failure of the authorization server is a return value, never an exception. */
export interface AccessTokens {
  /**
   * Returns the current token. Shortly before the token expires, a new one is fetched and used as soon as it has
   * arrived.
   */
  current(io: Io): Promise<TokenAnswer>;
  /**
   * Returns a token other than `rejected`, which its audience did not accept. If `rejected` was fetched a moment ago,
   * it is returned again.
   */
  renew(rejected: string, io: Io): Promise<TokenAnswer>;
}
