import { decodeJwt } from 'jose';
import type { IdentityProviders } from '../ledger/identity-providers.ts';
import { TokenRejected } from './verify.ts';
import type { TokenVerifier, VerifiedToken } from './verify.ts';

/**
 * Returns a verifier that also accepts the tokens of a participant's identity providers, in addition to those that
 * `verify` accepts.
 */
export function withIdentityProviders(
  verify: TokenVerifier,
  providers: IdentityProviders,
  strictScope?: string,
): TokenVerifier {
  return async (header) => {
    try {
      return await verify(header);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      const verified = await verifyByProvider(header ?? '', providers, strictScope);
      if (verified === undefined) throw error;
      return verified;
    }
  };
}

/** Verifies a token of an identity provider. Returns `undefined` if none of the configured providers has issued it. */
async function verifyByProvider(
  header: string,
  providers: IdentityProviders,
  strictScope: string | undefined,
): Promise<VerifiedToken | undefined> {
  if (providers.list().length === 0) return undefined;
  const token = header.replace(/^Bearer /, '');
  const issuer = issuerOf(token);
  const provider = issuer === undefined ? undefined : providers.byIssuer(issuer);
  if (provider === undefined) return undefined;
  const { verifyTokenOf } = await import('./identity-provider-tokens.ts');
  return verifyTokenOf(provider, token, strictScope);
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
