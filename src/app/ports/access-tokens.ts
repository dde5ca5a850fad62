import type { Io } from './io.ts';

/** A bearer token, or why there is none: the authorization server refused it, or is unreachable. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unreachable'; readonly detail: string };

/** Tokens of one client. A response of the authorization server is a return value, never an exception. */
export interface AccessTokens {
  /** Returns the token in use. Late in its life, a new token is fetched and used as soon as it has arrived. */
  current(io: Io): Promise<TokenAnswer>;
  /** Returns a token other than `rejected`, which its audience did not accept; the same one if it is brand-new. */
  renew(rejected: string, io: Io): Promise<TokenAnswer>;
}
