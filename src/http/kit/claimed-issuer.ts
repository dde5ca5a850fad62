import { HTTP_LIMITS } from '../limits.ts';

const PAYLOAD = /^bearer +[^.]*\.([\w-]*)\./iu;

/**
 * The unchecked issuer that a bearer token claims; empty where the token claims none. Waits for an issuer are counted
 * by this name.
 */
export function claimedIssuer(authorization: string): string {
  const payload = PAYLOAD.exec(authorization)?.[1] ?? '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const issuer = (claims as { readonly iss?: unknown } | null)?.iss;
    return typeof issuer === 'string' ? issuer.slice(0, HTTP_LIMITS.claimedIssuerCharsMax) : '';
  } catch {
    return '';
  }
}
