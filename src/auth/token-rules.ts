import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { DAY_MS } from '../domain/time.ts';
import { AUTH_LIMITS } from './limits.ts';

/**
 * All public-key algorithms that the library supports. With `none`, or with an HMAC whose key is the public key, every
 * stranger could sign tokens.
 */
export const ALGORITHMS: readonly string[] =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 ML-DSA-44 ML-DSA-65 ML-DSA-87'.split(
    ' ',
  );

/** Accepted types of access tokens (RFC 7519, 5.1; RFC 9068, 2.1). Logout tokens, for example, have another type. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

const hasAcceptedType = (typ: unknown): boolean =>
  typ === undefined ||
  (typeof typ === 'string' && TYPES.has(typ.toLowerCase().replace(/^application\//u, '')));

/** Returns a clause that says why a token with this header is refused, or `null`. */
export function defectOfHeader(header: ProtectedHeaderParameters): string | null {
  if (!ALGORITHMS.includes(String(header.alg))) return 'the token is signed with another algorithm';
  if (!hasAcceptedType(header.typ)) return 'the token is not an access token';
  // A JWT never has this header (RFC 7797, 7).
  return 'b64' in header ? 'the token has the header b64' : null;
}

const TIMES = ['exp', 'nbf', 'iat'] as const;

/** Whether a time in the token is infinite: JSON allows numbers, such as 1e400, that are parsed as infinite. */
export const hasEndlessTime = (claims: JWTPayload): boolean =>
  TIMES.some((name) => claims[name] !== undefined && !Number.isFinite(claims[name]));

/** Returns a clause that says why a verified token with these times is refused, or `null`. */
export function defectOfTimes(claims: JWTPayload, nowMs: number, leewayMs: number): string | null {
  if (hasEndlessTime(claims)) return 'a time of the token is not a finite number';
  const endMs = (claims.exp ?? 0) * 1_000;
  if (endMs <= nowMs + AUTH_LIMITS.tokenLifeMsMax + leewayMs) return null;
  return `the token is valid for more than ${AUTH_LIMITS.tokenLifeMsMax / DAY_MS} days`;
}

/** Whether a token has expired according to its own claim. Such a token may be refused without verifying it. */
export const hasExpired = ({ exp }: JWTPayload, nowMs: number, leewayMs: number): boolean =>
  typeof exp === 'number' && exp * 1_000 + leewayMs <= nowMs;
