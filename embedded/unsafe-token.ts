import { SignJWT } from 'jose';

/**
 * What LocalNet's tokens of mode shared-secret are signed with and meant for. Everybody knows it: it protects nothing.
 */
export const LOCALNET_SHARED_SECRET = 'unsafe';
const LOCALNET_AUDIENCE = 'https://canton.network.global';

/** Returns a token that LocalNet accepts in mode shared-secret: without an end, for any name. */
export const unsafeToken = (name: string): Promise<string> =>
  new SignJWT({ sub: name, aud: LOCALNET_AUDIENCE })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(LOCALNET_SHARED_SECRET));
