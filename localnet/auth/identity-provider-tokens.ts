import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import type { IdentityProvider } from '../ledger/identity-providers.ts';
import { TokenRejected } from './verify.ts';
import type { VerifiedToken } from './verify.ts';

/** How long an identity provider may take to show its keys. */
const KEYS_TIMEOUT_MS = 5_000;
/** Those of public keys. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'EdDSA'];

const keysByUrl = new Map<string, JWTVerifyGetKey>();

function keysOf(jwksUrl: string): JWTVerifyGetKey {
  const known = keysByUrl.get(jwksUrl);
  if (known !== undefined) return known;
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: KEYS_TIMEOUT_MS });
  keysByUrl.set(jwksUrl, keys);
  return keys;
}

/** Checks a token with the keys that its provider publishes. Throws {@link TokenRejected}. */
export async function verifyTokenOf(
  { jwksUrl, issuer, audience, identityProviderId }: IdentityProvider,
  token: string,
): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(token, keysOf(jwksUrl), {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub'],
      ...(audience === '' ? {} : { audience }),
    });
    const { sub = '', exp } = payload;
    return {
      userId: sub,
      expiresAtMs: exp === undefined ? Infinity : exp * 1_000,
      identityProviderId,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TokenRejected('signature', `identity provider ${identityProviderId}: ${reason}`);
  }
}
