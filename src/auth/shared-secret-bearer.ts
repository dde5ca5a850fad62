import { errors, jwtVerify } from 'jose';
import type { SignIn } from '../app/callers/sign-in.ts';
import { SignInRefusedError } from '../app/callers/sign-in.ts';
import { fail } from '../domain/problems.ts';
import type { Authenticate } from './bearer.ts';
import { subjectIn } from './claims.ts';
import { hasEndlessTime } from './token-rules.ts';

export interface SharedSecretBearerOptions {
  /** Every holder of the secret can be any user, like everyone who signs in with a name only. */
  readonly secret: string;
  /** Must be among the token's `aud`. */
  readonly audience: string;
  readonly signIn: SignIn;
  /** Wall time. */
  readonly nowMs: () => number;
  /** The clock difference to the tokens' issuer that is tolerated. */
  readonly leewayMs: number;
}

const TOKEN = /^bearer +([\w\-.]+) *$/iu;

const refuse = (message: string): never =>
  fail('UNAUTHENTICATED', message, { extra: { reason: 'invalid_token' } });

/** Returns claim `sub` of a valid token. A token without `exp` never expires, like the network's own tokens. */
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
 * Turns the `Authorization` header of a program into a caller, in shared-secret mode: an HS256 token whose `sub` is a
 * name that a tenant lists.
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
