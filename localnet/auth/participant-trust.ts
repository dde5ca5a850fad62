import { SignJWT } from 'jose';
import { perParticipant } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import type { RealmName } from './realms.ts';
import type { OpenRealm } from './signing-keys.ts';
import { LEDGER_API_SCOPE } from './scopes.ts';
import { createTokenVerifier, LOCALNET_AUDIENCE, participantAudience } from './verify.ts';
import type { TokenVerifier } from './verify.ts';

/**
 * The realm whose keys each participant accepts. The super validator has none: the reference application runs it in
 * shared-secret mode in every configuration.
 */
const TRUSTED_REALM: Readonly<Record<ParticipantName, RealmName | undefined>> = {
  'app-user': 'AppUser',
  'app-provider': 'AppProvider',
  sv: undefined,
};

/**
 * A demo secret that the reference application publishes. Anyone can use it to act as any user of a participant that
 * accepts it.
 */
export const PUBLIC_DEMO_SHARED_SECRET = 'unsafe';

/**
 * The tokens that the user's and the provider's participants accept, in the reference application's terms:
 *
 * - `oauth2`: tokens of the participant's realm
 * - `shared-secret`: tokens that programs sign themselves with a publicly known secret
 */
export type AuthMode = 'oauth2' | 'shared-secret';
export const AUTH_MODES: readonly AuthMode[] = ['oauth2', 'shared-secret'];

export interface Trust {
  readonly mode: AuthMode;
  /** Whether a single participant stands for all three and accepts the tokens of each. */
  readonly isSingle: boolean;
  /** If set, participants refuse tokens that never expire, or do not have this scope. */
  readonly strictScope?: string | undefined;
}

/**
 * Returns the token verifier of each participant. A participant refuses tokens of the other realm, unless there is only
 * one participant.
 *
 * @param participantIds each participant's ID, for the token audience that consists of one participant
 */
export function participantVerifiers(
  realms: readonly OpenRealm[],
  participantIds: Readonly<Record<ParticipantName, string>>,
  { mode, isSingle, strictScope }: Trust,
): Readonly<Record<ParticipantName, TokenVerifier>> {
  const trusts = (name: ParticipantName, realm: RealmName) =>
    mode === 'oauth2' && (isSingle || TRUSTED_REALM[name] === realm);
  return perParticipant(isSingle, (name) => {
    const issuers = realms.filter(({ realm }) => trusts(name, realm.name));
    const isShared = isSingle || issuers.length === 0;
    return createTokenVerifier({
      issuers,
      audiences: [LOCALNET_AUDIENCE, participantAudience(participantIds[name])],
      ...(strictScope === undefined ? {} : { strictScope }),
      ...(isShared ? { unsafeSharedSecret: PUBLIC_DEMO_SHARED_SECRET } : {}),
    });
  });
}

export interface UserTokenOptions extends Pick<Trust, 'mode' | 'strictScope'> {
  readonly realms: readonly OpenRealm[];
  /** Lifetime in seconds of wall time. */
  readonly lifeS: number;
}

/** Signs a token that a participant accepts for one of its ledger users, even if that user cannot sign in. */
export function signUserToken(
  participant: ParticipantName,
  userId: string,
  { realms, mode, strictScope = LEDGER_API_SCOPE, lifeS }: UserTokenOptions,
): Promise<string> {
  const name = mode === 'oauth2' ? TRUSTED_REALM[participant] : undefined;
  const open = realms.find(({ realm }) => realm.name === name);
  const issuedAtS = Math.floor(Date.now() / 1_000);
  const token = new SignJWT({ scope: strictScope })
    .setSubject(userId)
    .setAudience(LOCALNET_AUDIENCE)
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + lifeS);
  if (open === undefined) {
    const secret = new TextEncoder().encode(PUBLIC_DEMO_SHARED_SECRET);
    return token.setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(secret);
  }
  const { kid, privateKey } = open.signingKey;
  return token
    .setIssuer(open.issuer)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .sign(privateKey);
}
