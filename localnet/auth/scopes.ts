import type { RealmClient } from './realms.ts';

/** The scope of tokens for the Ledger API, which participants check only if they are strict. */
export const LEDGER_API_SCOPE = 'daml_ledger_api';
/** Scopes that every token has. */
const DEFAULT_SCOPES = ['profile', 'email'];
/** Scopes that a client may request in addition. */
const OPTIONAL_SCOPES = ['openid', LEDGER_API_SCOPE, 'party_id'];

/** Returns the scopes that a realm serves, which include the one that strict participants require. */
export const servedScopes = (strictScope: string = LEDGER_API_SCOPE): readonly string[] => [
  ...new Set([...DEFAULT_SCOPES, ...OPTIONAL_SCOPES, strictScope]),
];

interface ScopedRealm {
  readonly scopes: readonly string[];
}

const isAllowed = ({ scopes }: ScopedRealm, client: RealmClient, scope: string): boolean =>
  scopes.includes(scope) && (scope !== 'party_id' || client.addsPartyId === true);

/** Splits the requested scopes into those that the client of the realm may have and the others. */
export function splitScopes(
  open: ScopedRealm,
  client: RealmClient,
  asked: string | undefined,
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
  const wanted = asked?.split(' ').filter((scope) => scope !== '') ?? [];
  return {
    allowed: wanted.filter((scope) => isAllowed(open, client, scope)),
    refused: wanted.filter((scope) => !isAllowed(open, client, scope)),
  };
}

/** Returns a token's scopes: the allowed requested ones, then those that every token of the client has. */
export function grantedScopes(client: RealmClient, allowed: readonly string[]): readonly string[] {
  const standing = client.addsPartyId === true ? [...DEFAULT_SCOPES, 'party_id'] : DEFAULT_SCOPES;
  return [...new Set([...allowed, ...standing])];
}
