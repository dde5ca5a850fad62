import { createHash } from 'node:crypto';
import { HTTP_LIMITS } from '../limits.ts';
import { invalid } from './invalid.ts';

/** A list of entity tags, of which elements may be empty (RFC 9110, 5.6.1). Some proxies write `w/`. */
const TAGS = /^[\s,]*(?:[Ww]\/)?"[^"]*"(?:\s*,(?:\s*(?:[Ww]\/)?"[^"]*")?)*\s*$/u;
const TAG = /"([^"]*)"/gu;
/** What a server or proxy appends that changes the coding of the body: `"3-gzip"`, `"3;br"`, `"3--gzip"`. */
const CODING = /(?:--?|;)(?:x-)?(?:gzip|br|deflate|df|zstd|compress)$/iu;
/** The version, and behind a point the digest of what changes without a new version. */
const VERSION = /^(0|[1-9]\d{0,15})(?:\.[\w-]{1,64})?$/u;

/** The version of a lifecycle or policy as a strong entity tag. */
export const entityTag = (version: number): string => `"${version}"`;

/** The tag of a body that also shows what changes without a new version of its lifecycle. */
export function entityTagOfBody(version: number, body: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `"${version}.${digest.slice(0, HTTP_LIMITS.tagDigestChars)}"`;
}

/** The tags of a list as this server gave them, without what a proxy on the way may have changed. */
const tagsIn = (list: string): readonly string[] =>
  [...list.matchAll(TAG)].map(([, tag = '']) => tag.replace(CODING, ''));

/** Whether `If-None-Match` names the tag: the caller has what it would be sent (RFC 9110, 13.1.2). */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  header?.trim() === '*' || tagsIn(header ?? '').some((known) => tagsIn(tag).includes(known));

/**
 * The versions of which `If-Match` asks for one, or `undefined` when any will do (RFC 9110, 13.1.1). A proxy that
 * compresses makes a tag weak or appends the coding. Both still name the version, because the tag stands for a version
 * and not for bytes. A tag that this server never gave names no version.
 *
 * @throws ProblemError `REQUEST_INVALID` when it is no list of entity tags
 */
export function readIfMatch(header: string | undefined): readonly number[] | undefined {
  const given = header?.trim();
  if (given === undefined || given === '*') return undefined;
  if (!TAGS.test(given)) {
    return invalid('If-Match', 'must be an entity tag such as "3", or *');
  }
  return tagsIn(given).flatMap((tag) => {
    const version = VERSION.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
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
