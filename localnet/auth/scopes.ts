import type { RealmClient } from './realms.ts';

/** Scopes that every token has. */
const DEFAULT_SCOPES = ['profile', 'email'];
/** Scopes that a client may ask for besides. */
const OPTIONAL_SCOPES = ['openid', 'daml_ledger_api', 'party_id'];
export const SERVED_SCOPES: readonly string[] = [...DEFAULT_SCOPES, ...OPTIONAL_SCOPES];

const isAllowed = (client: RealmClient, scope: string): boolean =>
  SERVED_SCOPES.includes(scope) && (scope !== 'party_id' || client.addsPartyId === true);

/** Splits a request's scopes into those that the client may have and those that it may not have. */
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

/** Returns a token's scopes: the allowed ones, then those that the client's tokens always have. */
export function grantedScopes(client: RealmClient, allowed: readonly string[]): readonly string[] {
  const standing = client.addsPartyId === true ? [...DEFAULT_SCOPES, 'party_id'] : DEFAULT_SCOPES;
  return [...new Set([...allowed, ...standing])];
}
