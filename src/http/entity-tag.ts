import { fail } from '../domain/problems.ts';

const TAGS = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/u;
const VERSION = /^"(0|[1-9]\d{0,15})"$/u;
/** What no lifecycle ever is at. */
const NO_VERSION = -1;

/** A lifecycle's version as its strong entity tag. */
export const entityTag = (version: number): string => `"${version}"`;

/**
 * The version that `If-Match` asks for, or `undefined` when it asks for none. A tag that we never gave (a weak one,
 * another text) is a version that never matches.
 *
 * @throws ProblemError `REQUEST_INVALID` when it is no list of entity tags, or one of several
 */
export function readIfMatch(header: string | undefined): number | undefined {
  const given = header?.trim();
  if (given === undefined || given === '*') return undefined;
  if (!TAGS.test(given)) {
    return fail('REQUEST_INVALID', 'If-Match must be an entity tag such as "3", or *', {
      extra: { field: 'If-Match' },
    });
  }
  const version = VERSION.exec(given)?.[1];
  if (version !== undefined) return Number(version);
  if (given.includes(',')) {
    return fail('REQUEST_INVALID', 'If-Match must be one entity tag: a lifecycle has one version', {
      extra: { field: 'If-Match' },
    });
  }
  return NO_VERSION;
}
