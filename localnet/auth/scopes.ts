import type { RealmClient } from './realms.ts';

/** The scope of tokens for the Ledger API, which participants check only if they are strict. */
export const LEDGER_API_SCOPE = 'daml_ledger_api';
/** Scopes that every token has. */
const DEFAULT_SCOPES = ['profile', 'email'];
/** Scopes that a client may request in addition. */
const OPTIONAL_SCOPES = ['openid', LEDGER_API_SCOPE, 'party_id'];
export const SERVED_SCOPES: readonly string[] = [...DEFAULT_SCOPES, ...OPTIONAL_SCOPES];

const isAllowed = (client: RealmClient, scope: string): boolean =>
  SERVED_SCOPES.includes(scope) && (scope !== 'party_id' || client.addsPartyId === true);

/** Splits the requested scopes into those that the client may have and the others. */
export function splitScopes(
  client: RealmClient,
  asked: string | undefined,
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
  const wanted = asked?.split(' ').filter((scope) => scope !== '') ?? [];
  return {
    allowed: wanted.filter((scope) => isAllowed(client, scope)),
    refused: wanted.filter((scope) => !isAllowed(client, scope)),
  };
}

/** Returns a token's scopes: the allowed requested ones, then those that every token of the client has. */
export function grantedScopes(client: RealmClient, allowed: readonly string[]): readonly string[] {
  const standing = client.addsPartyId === true ? [...DEFAULT_SCOPES, 'party_id'] : DEFAULT_SCOPES;
  return [...new Set([...allowed, ...standing])];
}
