import { SignJWT } from 'jose';

/**
 * The signing secret and the audience of LocalNet's tokens in mode shared-secret. The secret is public and protects
 * nothing.
 */
export const LOCALNET_SHARED_SECRET = 'unsafe';
const LOCALNET_AUDIENCE = 'https://canton.network.global';

/** Returns a token for any name, without an expiry, that LocalNet accepts in mode shared-secret. */
export const unsafeToken = (name: string): Promise<string> =>
  new SignJWT({ sub: name, aud: LOCALNET_AUDIENCE })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(LOCALNET_SHARED_SECRET));
