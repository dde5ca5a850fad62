import { SignJWT } from 'jose';

/**
 * The signing secret and the audience of LocalNet's tokens in mode shared-secret. The secret is public and protects
 * nothing.
 */
export const LOCALNET_SHARED_SECRET = 'unsafe';
const LOCALNET_AUDIENCE = 'https://canton.network.global';

/** A process uses its token as long as it runs, so the token outlives every start. */
const LIFE = '10y';

/**
 * Returns a token for any name that LocalNet accepts in mode shared-secret. It never expires, unless a strict LocalNet
 * requires a scope and an expiry.
 */
export function unsafeToken(name: string, strictScope?: string): Promise<string> {
  const claims = { sub: name, aud: LOCALNET_AUDIENCE };
  const token =
    strictScope === undefined
      ? new SignJWT(claims)
      : new SignJWT({ ...claims, scope: strictScope }).setExpirationTime(LIFE);
  return token
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(LOCALNET_SHARED_SECRET));
}
