import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import type { FetchImplementation, JWTVerifyGetKey } from 'jose';
import type { IdentityProvider } from '../ledger/identity-providers.ts';
import { TokenRejected, checkStrictly } from './verify.ts';
import type { VerifiedToken } from './verify.ts';

/** Time limit for fetching an identity provider's keys. */
const KEYS_TIMEOUT_MS = 5_000;
/**
 * The maximum size of an identity provider's keys, which is enough for some hundred keys. A limit is needed because the
 * address may return any amount of data.
 */
const KEYS_BYTES_MAX = 256 * 1024;
/** The accepted algorithms, which all use public keys. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'EdDSA'];

/** The keys of each identity provider. They are dropped together with the configuration for which they were fetched. */
const keysByProvider = new WeakMap<IdentityProvider, JWTVerifyGetKey>();

function keysOf(provider: IdentityProvider): JWTVerifyGetKey {
  const known = keysByProvider.get(provider);
  if (known !== undefined) return known;
  const keys = createRemoteJWKSet(new URL(provider.jwksUrl), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: fetchKeys,
  });
  keysByProvider.set(provider, keys);
  return keys;
}

/** Fetches keys, but reads no more than their maximum size. */
const fetchKeys: FetchImplementation = async (url, options) => {
  const { body, status, headers } = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > KEYS_BYTES_MAX) throw new TypeError(`its keys are over ${KEYS_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, headers });
};

/**
 * Verifies a token with the keys that its identity provider publishes. Throws {@link TokenRejected}.
 *
 * @param strictScope if set, refuses tokens that never expire, or do not have this scope
 */
export async function verifyTokenOf(
  provider: IdentityProvider,
  token: string,
  strictScope?: string,
): Promise<VerifiedToken> {
  const { issuer, audience, identityProviderId } = provider;
  try {
    const { payload } = await jwtVerify(token, keysOf(provider), {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub'],
      ...(audience === '' ? {} : { audience }),
    });
    if (strictScope !== undefined) checkStrictly(payload, strictScope);
    const { sub = '', exp } = payload;
    return {
      userId: sub,
      expiresAtMs: exp === undefined ? Infinity : exp * 1_000,
      identityProviderId,
    };
  } catch (error) {
    if (error instanceof TokenRejected) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TokenRejected('signature', `identity provider ${identityProviderId}: ${reason}`);
  }
}
