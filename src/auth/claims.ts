import type { JWTPayload } from 'jose';
import { isPseudonym } from '../domain/caller.ts';

/*
 * Readers for the claims of tokens of all kinds. They check values, because a tenant's authorization server can put
 * anything into a claim, and Tenure copies claims into history, logs and answers.
 */

const PRINTABLE = /^[^\p{C}]{1,255}$/u;

const printable = (claimed: unknown): string | undefined =>
  typeof claimed === 'string' && PRINTABLE.test(claimed) ? claimed : undefined;

/**
 * Returns the claim `sub`, or `undefined` unless it is a name of 1 to 255 printable characters. A name in the form of a
 * pseudonym is not allowed: the audit log would take it for the person behind the pseudonym.
 */
export function subjectIn(claims: JWTPayload): string | undefined {
  const subject = printable(claims.sub);
  return subject === undefined || isPseudonym(subject) ? undefined : subject;
}

/** Returns a person's display name: `name`, otherwise the name used to sign in, otherwise the subject. */
export const nameIn = (claims: JWTPayload, subject: string): string =>
  printable(claims['name']) ?? printable(claims['preferred_username']) ?? subject;

/**
 * Returns the names in a claim that lists roles or scopes. The claim is an array of strings, or one string with spaces
 * between the names.
 *
 * @param path the claim, or the path to a nested claim with dots, such as `resource_access.tenure.roles`. A claim whose
 * own name contains dots is found too.
 */
export function namesAt(claims: JWTPayload, path: string): readonly string[] {
  const found = claimAt(claims, path);
  if (typeof found === 'string') return found.split(' ').filter((name) => name !== '');
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}

function claimAt(within: unknown, path: string): unknown {
  if (typeof within !== 'object' || within === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(within));
  if (members.has(path)) return members.get(path);
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const found = claimAt(members.get(path.slice(0, dot)), path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the claim `party_id`, unchecked, or `undefined` if the token has none. For tests. */
export function partyClaimIn(claims: JWTPayload): string | undefined {
  const claimed: unknown = claims['party_id'];
  return typeof claimed === 'string' && claimed !== '' ? claimed : undefined;
}
