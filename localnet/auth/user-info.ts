import type { IncomingHttpHeaders } from 'node:http';
import { decodeJwt } from 'jose';
import type { OpenRealm } from './signing-keys.ts';
import { createTokenVerifier, LOCALNET_AUDIENCE, TokenRejected } from './verify.ts';
import type { TokenVerifier } from './verify.ts';

export interface UserInfoAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The claims of an access token that describe its subject. */
const SUBJECT_CLAIMS = ['sub', 'preferred_username', 'name', 'roles', 'party_id'];

/** Returns a refusal in the form of RFC 6750, section 3. */
const refusal = (status: number, error: string, description: string): UserInfoAnswer => ({
  status,
  headers: {
    'www-authenticate': `Bearer realm="LocalNet", error="${error}", error_description="${description}"`,
  },
  body: { error, error_description: description },
});

/**
 * Creates the userinfo endpoint, which returns the access token's claims about its subject, for every grant. As
 * elsewhere, access tokens are verified by signature and lifetime; a logout does not end them.
 */
export function createUserInfo(nowMs: () => number) {
  const verifiers = new Map<string, TokenVerifier>();
  const verifierOf = (open: OpenRealm): TokenVerifier => {
    const known = verifiers.get(open.issuer);
    if (known !== undefined) return known;
    const made = createTokenVerifier({ issuers: [open], audiences: [LOCALNET_AUDIENCE], nowMs });
    verifiers.set(open.issuer, made);
    return made;
  };
  return async (
    open: OpenRealm,
    { authorization }: IncomingHttpHeaders,
  ): Promise<UserInfoAnswer> => {
    try {
      await verifierOf(open)(authorization);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      return refusal(401, 'invalid_token', 'Token verification failed');
    }
    const claims = decodeJwt(authorization?.replace(/^Bearer /, '') ?? '');
    if (!String(claims['scope']).split(' ').includes('openid')) {
      return refusal(403, 'insufficient_scope', 'Missing openid scope');
    }
    const body = Object.fromEntries(
      SUBJECT_CLAIMS.filter((name) => name in claims).map((name) => [name, claims[name]]),
    );
    return { status: 200, headers: {}, body };
  };
}
