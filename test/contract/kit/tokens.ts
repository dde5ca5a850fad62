import { SignJWT } from 'jose';
import type { CryptoKey } from 'jose';
import type { Localnet } from '../../../localnet/localnet.ts';
import type { Identity } from './identities.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

/** How long before its expiry a token is replaced by a new one. */
const RENEW_BEFORE_MS = 30_000;

/** Fetches access tokens from the network's authorization server, and uses each of them until it is about to expire. */
export class TokenSource {
  readonly #endpoints: Localnet['urls']['tokenEndpoints'];
  readonly #kept = new Map<string, { readonly token: Promise<string>; expiresAtMs: number }>();

  constructor(endpoints: Localnet['urls']['tokenEndpoints']) {
    this.#endpoints = endpoints;
  }

  of(identity: Identity): Promise<string> {
    const kept = this.#kept.get(identity.userId);
    if (kept !== undefined && kept.expiresAtMs - RENEW_BEFORE_MS > Date.now()) return kept.token;
    const entry = { token: Promise.resolve(''), expiresAtMs: Infinity };
    entry.token = this.#fetch(identity).then(({ token, expiresAtMs }) => {
      entry.expiresAtMs = expiresAtMs;
      return token;
    });
    entry.token.catch(() => this.#kept.delete(identity.userId));
    this.#kept.set(identity.userId, entry);
    return entry.token;
  }

  async #fetch({ realm, grant }: Identity): Promise<{ token: string; expiresAtMs: number }> {
    const answer = await fetch(this.#endpoints[realm], {
      method: 'POST',
      body: new URLSearchParams({ ...grant, scope: 'openid' }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(`token request: ${answer.status} ${await answer.text()}`);
    const { access_token, expires_in } = (await answer.json()) as {
      access_token: string;
      expires_in: number;
    };
    return { token: access_token, expiresAtMs: Date.now() + expires_in * 1_000 };
  }
}

/**
 * The secret of the super validator's participant, which always accepts HMAC tokens. It is public, as in the reference.
 */
const UNSAFE_SECRET = new TextEncoder().encode('unsafe');

export interface SelfSigned {
  readonly userId?: string;
  readonly audience?: string;
  /**
   * When the token expires, in seconds from now; a negative number is in the past. Without it, the token has no `exp`.
   */
  readonly expiresInS?: number;
  readonly scope?: string;
  readonly secret?: Uint8Array;
}

/** Signs an HS256 token, as a program does that signs its own tokens for a participant in shared-secret mode. */
export async function selfSignedToken(options: SelfSigned = {}): Promise<string> {
  const token = new SignJWT({
    sub: options.userId ?? 'ledger-api-user',
    aud: options.audience ?? 'https://canton.network.global',
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' });
  if (options.expiresInS !== undefined) {
    token.setExpirationTime(Math.floor(Date.now() / 1_000) + options.expiresInS);
  }
  return token.sign(options.secret ?? UNSAFE_SECRET);
}

/** Returns a token with the claims of `original`, signed with another RSA key that has the same key ID. */
export async function forge(original: string, privateKey: CryptoKey): Promise<string> {
  const [header, payload] = original
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, string>);
  return new SignJWT(payload).setProtectedHeader({ ...header, alg: 'RS256' }).sign(privateKey);
}
