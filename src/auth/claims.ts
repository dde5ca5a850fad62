import type { JWTPayload } from 'jose';

/*
 * What is read from the claims of a token, of whatever kind. An authorization server of a tenant could put anything
 * there, and it goes into history, logs and answers.
 */

const PRINTABLE = /^[^\p{C}]{1,255}$/u;

const printable = (claimed: unknown): string | undefined =>
  typeof claimed === 'string' && PRINTABLE.test(claimed) ? claimed : undefined;

/** Claim `sub`; undefined unless it is a name of 1 to 255 printable characters. */
export const subjectIn = (claims: JWTPayload): string | undefined => printable(claims.sub);

/** What to call somebody: `name`, else the name that they sign in with, else who they are to programs. */
export const nameIn = (claims: JWTPayload, subject: string): string =>
  printable(claims['name']) ?? printable(claims['preferred_username']) ?? subject;

/** Claim `party_id`, for tests; undefined where there is none. Not checked. */
export function partyClaimIn(claims: JWTPayload): string | undefined {
  const claimed: unknown = claims['party_id'];
  return typeof claimed === 'string' && claimed !== '' ? claimed : undefined;
}
