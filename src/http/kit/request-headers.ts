import { HTTP_LIMITS } from '../limits.ts';
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

/** What a caller prefers about waiting (RFC 7240). */
export interface Preferences {
  readonly respondAsync: boolean;
  /** How long to wait for the outcome, bounded. */
  readonly waitMs: number;
  /** The granted `wait` in seconds; `null` when none was asked for. */
  readonly waitSeconds: number | null;
}

/** Between commas, except those in quoted text. */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gu;
/** A token and its value; parameters may follow after `;`. */
const PREFERENCE = /^\s*([\w!#$%&'*+\-.^`|~]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*))?/u;
const WHOLE_SECONDS = /^\d{1,9}$/u;

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gu, '$1') : value;

/** The first of each counts; what cannot be read is not preferred. */
function preferencesIn(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [item] of header.matchAll(ITEM)) {
    const [, name = '', value = ''] = PREFERENCE.exec(item) ?? [];
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, unquoted(value));
  }
  return found;
}

/**
 * Reads `Prefer`. Alone, `respond-async` asks for an answer at once; `wait=N` waits at most N seconds for the
 * outcome; both together wait, then go on without the caller.
 */
export function readPreferences(header: string | string[] | undefined): Preferences {
  const found = preferencesIn(Array.isArray(header) ? header.join(',') : (header ?? ''));
  const respondAsync = found.has('respond-async');
  const wait = found.get('wait') ?? '';
  if (!WHOLE_SECONDS.test(wait)) {
    return {
      respondAsync,
      waitMs: respondAsync ? 0 : HTTP_LIMITS.httpWaitMsDefault,
      waitSeconds: null,
    };
  }
  const waitMs = Math.min(Number(wait) * 1_000, HTTP_LIMITS.httpWaitMsMax);
  return { respondAsync, waitMs, waitSeconds: waitMs / 1_000 };
}

/** `Preference-Applied`, or `null` when nothing was asked that made a difference. */
export function appliedPreferences(asked: Preferences, isAsync: boolean): string | null {
  const applied = [
    ...(asked.respondAsync && isAsync ? ['respond-async'] : []),
    ...(asked.waitSeconds === null ? [] : [`wait=${asked.waitSeconds}`]),
  ];
  return applied.length === 0 ? null : applied.join(', ');
}
