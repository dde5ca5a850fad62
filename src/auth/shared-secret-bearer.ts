import { errors, jwtVerify } from 'jose';
import type { SignIn } from '../app/callers/sign-in.ts';
import { SignInRefusedError } from '../app/callers/sign-in.ts';
import { fail } from '../domain/problems.ts';
import type { Authenticate } from './bearer.ts';
import { subjectIn } from './claims.ts';
import { hasEndlessTime } from './token-rules.ts';

export interface SharedSecretBearerOptions {
  /**
   * The secret that signs tokens. Everyone who knows it can act as any user, just as everyone can sign in with any name
   * in this mode.
   */
  readonly secret: string;
  /** The audience that must be among the values of a token's claim `aud`. */
  readonly audience: string;
  readonly signIn: SignIn;
  /** Returns the wall time. */
  readonly nowMs: () => number;
  /** The tolerated difference between the clocks of Tenure and of the tokens' issuer. */
  readonly leewayMs: number;
}

const TOKEN = /^bearer +([\w\-.]+) *$/iu;

const refuse = (message: string): never =>
  fail('UNAUTHENTICATED', message, { extra: { reason: 'invalid_token' } });

/** Returns the claim `sub` of a valid token. A token without `exp` never expires, like LocalNet's own tokens. */
async function subjectOf(token: string, options: SharedSecretBearerOptions): Promise<string> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(options.secret), {
      algorithms: ['HS256'],
      audience: options.audience,
      requiredClaims: ['sub'],
      clockTolerance: options.leewayMs / 1_000,
      currentDate: new Date(options.nowMs()),
    });
    if (hasEndlessTime(payload)) return refuse('a time of the token is not a finite number');
    return subjectIn(payload) ?? refuse('claim sub is not a name');
  } catch (error) {
    if (error instanceof errors.JOSEError) return refuse('the token does not hold');
    throw error;
  }
}

/**
 * Authenticates programs in shared-secret mode: the `Authorization` header contains an HS256 token whose `sub` is one
 * of the names that a tenant lists.
 */
export function createSharedSecretBearer(options: SharedSecretBearerOptions): Authenticate {
  return async (authorization) => {
    const token = TOKEN.exec(authorization ?? '')?.[1];
    if (token === undefined) return fail('UNAUTHENTICATED', 'a bearer token is required');
    const subject = await subjectOf(token, options);
    try {
      const { tenantId, party, name, ...identity } = await options.signIn.byName(subject);
      const { roles, permissions } = identity;
      const rights = permissions === undefined ? { roles } : { roles, permissions };
      return { tenantId, party, ...rights, subject, name, via: 'bearer' };
    } catch (error) {
      if (error instanceof SignInRefusedError) return refuse('no tenant has such a user');
      throw error;
    }
  };
}
