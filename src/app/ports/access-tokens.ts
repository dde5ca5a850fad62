import type { Io } from './io.ts';

/** A bearer token, or why there is none: the authorization server said no, or could not be asked. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'unreachable'; readonly detail: string };

/** Tokens of one client. What the authorization server says is an answer, never an exception. */
export interface AccessTokens {
  /** The token in use. Once most of its life is over a new one is fetched, and used as soon as it is there. */
  current(io: Io): Promise<TokenAnswer>;
  /** Another token than `rejected`, which its audience did not accept; the same if it is brand-new. */
  renew(rejected: string, io: Io): Promise<TokenAnswer>;
}
