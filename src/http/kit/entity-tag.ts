import { invalid } from './invalid.ts';

const TAGS = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/u;
const TAG = /(W\/)?"([^"]*)"/gu;
const VERSION = /^(?:0|[1-9]\d{0,15})$/u;

/** A lifecycle's version as its strong entity tag. */
export const entityTag = (version: number): string => `"${version}"`;

/** Whether `If-None-Match` names the tag: the caller has what it would be sent (RFC 9110, 13.1.2). */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  header?.trim() === '*' ||
  [...(header ?? '').matchAll(TAG)].some(([, , value]) => `"${value}"` === tag);

/**
 * The versions of which `If-Match` asks for one, or `undefined` when any will do (RFC 9110, 13.1.1). A tag that we
 * never gave, and a weak one, is none of them.
 *
 * @throws ProblemError `REQUEST_INVALID` when it is no list of entity tags
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  const given = header?.trim();
  if (given === undefined || given === '*') return undefined;
  if (!TAGS.test(given)) {
    return invalid('If-Match', 'must be an entity tag such as "3", or *');
  }
  return [...given.matchAll(TAG)]
    .filter(([, weak, tag = '']) => weak === undefined && VERSION.test(tag))
    .map(([, , tag]) => Number(tag));
}
