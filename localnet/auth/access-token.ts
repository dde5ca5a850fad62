import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import type { RealmClient, RealmUser } from './realms.ts';
import type { OpenRealm } from './signing-keys.ts';
import { LOCALNET_AUDIENCE } from './verify.ts';

/** The lifetime of an access token in seconds, as in the reference application's realms. */
export const ACCESS_TOKEN_LIFE_S = 300;

/** The subject of a token: a client itself, or a user who signed in through the client. */
export type TokenSubject =
  | { readonly kind: 'service-account'; readonly client: RealmClient; readonly id: string }
  | { readonly kind: 'user'; readonly client: RealmClient; readonly user: RealmUser };

export interface TokenGrant {
  readonly subject: TokenSubject;
  /** Granted scopes, in the order in which the token lists them. */
  readonly scopes: readonly string[];
  /** The user's party, if tokens of the client contain it. */
  readonly partyId?: string | undefined;
}

/** Returns the claims of an access token, without those about time. Tokens of all grants have these claims. */
export function accessTokenClaims(open: OpenRealm, grant: TokenGrant): JWTPayload {
  const { subject, scopes, partyId } = grant;
  return {
    iss: open.issuer,
    aud: LOCALNET_AUDIENCE,
    typ: 'Bearer',
    azp: subject.client.clientId,
    scope: scopes.join(' '),
    realm_access: { roles: [`default-roles-${open.realm.name.toLowerCase()}`] },
    ...subjectClaims(subject),
    ...(partyId === undefined ? {} : { party_id: partyId }),
  };
}

function subjectClaims(subject: TokenSubject): JWTPayload {
  if (subject.kind === 'user') return userClaims(subject.user);
  return {
    sub: subject.id,
    client_id: subject.client.clientId,
    preferred_username: `service-account-${subject.client.clientId}`,
  };
}

/** Returns the claims about a person that every kind of token has. */
export function userClaims({ id, username, firstName, lastName, roles }: RealmUser) {
  return {
    sub: id,
    preferred_username: username,
    name: `${firstName} ${lastName}`.trim(),
    ...(roles === undefined ? {} : { roles: [...roles] }),
  };
}

/** Returns the party for a user's tokens: the one that an administrator has set, otherwise the ledger's. */
export const partyOf = (
  user: RealmUser,
  partyIdOf: (userId: string) => string | undefined,
): string | undefined => user.attributes?.['partyId']?.[0] ?? partyIdOf(user.id);

/** Signs an access token that is valid from `nowMs` (wall time) for {@link ACCESS_TOKEN_LIFE_S}. */
export async function signAccessToken(
  open: OpenRealm,
  grant: TokenGrant,
  nowMs: number,
): Promise<string> {
  const issuedAtS = Math.floor(nowMs / 1_000);
  return new SignJWT(accessTokenClaims(open, grant))
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: open.signingKey.kid })
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + ACCESS_TOKEN_LIFE_S)
    .setJti(randomUUID())
    .sign(open.signingKey.privateKey);
}
