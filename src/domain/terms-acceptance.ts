/*
 * How a user accepts the terms of a licence. The contracts have no choice for this, so the user signs a comment whose
 * body has this form:
 *
 *   Accepts the terms with SHA-256 <64 small hexadecimal digits>
 *   Version: <version>
 *   URL: <address>
 *
 * The lines with version and URL are optional.
 */

/** The accepted terms: the hash of their text, and where people find the text. */
export interface AcceptedTerms {
  readonly hash: string;
  readonly version: string | null;
  readonly url: string | null;
}

/** The form of the comment, as a regular expression that is valid in PostgreSQL and in JavaScript. */
export const TERMS_ACCEPTANCE =
  '^Accepts the terms with SHA-256 ([0-9a-f]{64})(?:\\nVersion: ([^\\n]+))?(?:\\nURL: ([^\\n]+))?$';

const FORM = new RegExp(TERMS_ACCEPTANCE, 'u');

export const acceptanceText = ({ hash, version, url }: AcceptedTerms): string =>
  [
    `Accepts the terms with SHA-256 ${hash}`,
    ...(version === null ? [] : [`Version: ${version}`]),
    ...(url === null ? [] : [`URL: ${url}`]),
  ].join('\n');

/** Returns the terms that a comment accepts; `null` if the comment does not accept any. */
export function acceptedTermsIn(text: string): AcceptedTerms | null {
  const found = FORM.exec(text);
  if (found === null) return null;
  const [, hash = '', version = null, url = null] = found;
  return { hash, version, url };
}
