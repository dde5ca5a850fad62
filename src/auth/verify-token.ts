import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { ProblemError, problem } from '../domain/problems.ts';
import { ForeignSignatureError, KeysUnavailableError } from './issuer-keys.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { ALGORITHMS, defectOfHeader, defectOfTimes, hasExpired } from './token-rules.ts';

/** A token that its issuer has signed. Whether the issuer is trusted, and for which tenant, is checked at every use. */
export interface Verified {
  readonly issuer: string;
  readonly claims: JWTPayload;
  /** The expiry of the token plus the tolerated clock difference. */
  readonly expiresAtMs: number;
}

export interface VerifyOptions {
  /** The audience that must be among the values of the token's claim `aud`. */
  readonly audience: string;
  /** Returns the wall time. */
  readonly nowMs: () => number;
  /** The tolerated difference between the clocks of Tenure and of the issuer. */
  readonly leewayMs: number;
}

/** Refuses a request. The message says what is wrong with the token, and quotes none of its contents. */
export const refuse = (message: string, hasToken = true): never => {
  throw new ProblemError(
    problem('UNAUTHENTICATED', message, hasToken ? { extra: { reason: 'invalid_token' } } : {}),
  );
};

const WORDS: Readonly<Record<string, string | undefined>> = {
  aud: 'the token is meant for another audience',
  nbf: 'the token is not valid yet',
};

function describeDefect(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return WORDS[error.claim] ?? `claim ${error.claim} is missing or not acceptable`;
  }
  return 'the token is malformed';
}

/** Decodes a token without verifying it. @throws ProblemError `UNAUTHENTICATED` if the token is malformed */
function decoded(token: string): {
  readonly header: ProtectedHeaderParameters;
  readonly claims: JWTPayload;
} {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return refuse('the token is malformed');
  }
}

function answerTo(error: unknown, issuer: string): Error {
  if (error instanceof KeysUnavailableError) {
    const retryAfterS = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
    const message = `the keys of ${issuer} cannot be read now, so the token cannot be checked`;
    const details = problem('AUTHORIZATION_SERVER_UNAVAILABLE', message, {
      extra: { retryAfterS },
    });
    return new ProblemError(details, { cause: error });
  }
  if (error instanceof ForeignSignatureError) {
    return refuse(
      error.isNamed ? 'the signature does not match' : 'the token is signed with an unknown key',
    );
  }
  if (error instanceof errors.JOSEError) return refuse(describeDefect(error));
  // This error is a bug in Tenure, not a fault of the token.
  return error as Error;
}

/**
 * Checks signature, issuer, audience and times of a token.
 *
 * @throws ProblemError `UNAUTHENTICATED`, or `AUTHORIZATION_SERVER_UNAVAILABLE` if the keys cannot be read
 */
export async function verifyToken(
  { issuer, token }: { readonly issuer: string; readonly token: string },
  keys: IssuerKeys,
  { audience, nowMs, leewayMs }: VerifyOptions,
): Promise<Verified> {
  const { header, claims } = decoded(token);
  const defect = defectOfHeader(header);
  if (defect !== null) return refuse(defect);
  // The expiry is checked before the keys are read, because the issuer of an old token may not answer any more.
  if (hasExpired(claims, nowMs(), leewayMs)) return refuse('the token has expired');
  const options = {
    issuer,
    audience,
    algorithms: [...ALGORITHMS],
    requiredClaims: ['exp', 'sub'],
    clockTolerance: leewayMs / 1_000,
    currentDate: new Date(nowMs()),
  };
  try {
    const { payload } = await keys.tried(issuer, header, (key) => jwtVerify(token, key, options));
    const wrongTimes = defectOfTimes(payload, nowMs(), leewayMs);
    if (wrongTimes !== null) return refuse(wrongTimes);
    return { issuer, claims: payload, expiresAtMs: (payload.exp ?? 0) * 1_000 + leewayMs };
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw answerTo(error, issuer);
  }
}
