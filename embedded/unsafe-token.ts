import { SignJWT } from 'jose';

/**
 * What LocalNet's tokens of mode shared-secret are signed with and meant for. Everybody knows it: it protects nothing.
 */
export const LOCALNET_SHARED_SECRET = 'unsafe';
const LOCALNET_AUDIENCE = 'https://canton.network.global';

/** A token that LocalNet takes in mode shared-secret: without end, in anybody's name. */
export const unsafeToken = (name: string): Promise<string> =>
  new SignJWT({ sub: name, aud: LOCALNET_AUDIENCE })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(LOCALNET_SHARED_SECRET));
