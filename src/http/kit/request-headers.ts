import { createHash } from 'node:crypto';
import { HTTP_LIMITS } from '../limits.ts';
import { invalid } from './invalid.ts';

/** A list of entity tags, with possibly empty elements (RFC 9110, 5.6.1). Some proxies write `w/`. */
const TAGS = /^[\s,]*(?:[Ww]\/)?"[^"]*"(?:\s*,(?:\s*(?:[Ww]\/)?"[^"]*")?)*\s*$/u;
const TAG = /"([^"]*)"/gu;
/** The suffix with which a server or proxy marks a compressed body: `"3-gzip"`, `"3;br"`, `"3--gzip"`. */
const CODING = /(?:--?|;)(?:x-)?(?:gzip|br|deflate|df|zstd|compress)$/iu;
/** The version and, after a dot, the digest of data that can change without a new version. */
const VERSION = /^(0|[1-9]\d{0,15})(?:\.[\w-]{1,64})?$/u;

/** The version of a lifecycle or policy as a strong entity tag. */
export const entityTag = (version: number): string => `"${version}"`;

/** The entity tag of a body that also shows data that can change without a new version of its lifecycle. */
export function entityTagOfBody(version: number, body: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `"${version}.${digest.slice(0, HTTP_LIMITS.tagDigestChars)}"`;
}

/** Returns the tags of a list as this server issued them, without what proxies have added. */
const tagsIn = (list: string): readonly string[] =>
  [...list.matchAll(TAG)].map(([, tag = '']) => tag.replace(CODING, ''));

/** Whether `If-None-Match` names the tag, so that the caller already has the answer (RFC 9110, 13.1.2). */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  header?.trim() === '*' || tagsIn(header ?? '').some((known) => tagsIn(tag).includes(known));

/**
 * Returns the versions that `If-Match` allows, or `undefined` if any version is allowed (RFC 9110, 13.1.1). A proxy
 * that compresses makes a tag weak or appends the coding. Such a tag still names the version, because a tag identifies
 * a version and not bytes. A tag that this server never issued names no version.
 *
 * @throws ProblemError `REQUEST_INVALID` if the header is not a list of entity tags
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

/** A caller's wishes about the wait for the outcome (RFC 7240). */
export interface Preferences {
  readonly respondAsync: boolean;
  /** How long the request waits for the outcome, within the limit. */
  readonly waitMs: number;
  /** The `wait` that was granted, in seconds; `null` if the caller set none. */
  readonly waitSeconds: number | null;
}

/** Matches one item of a list: items are separated by commas outside quoted text. */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gu;
/** Matches a preference's name and value; parameters may follow after `;`. */
const PREFERENCE = /^\s*([\w!#$%&'*+\-.^`|~]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]*))?/u;
const WHOLE_SECONDS = /^\d{1,9}$/u;

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/gu, '$1') : value;

/** Returns the preferences by name. The first of each name counts; unreadable ones are ignored. */
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
 * Reads `Prefer`. `respond-async` alone requests an immediate answer; `wait=N` waits at most N seconds for the outcome.
 * With both, the request waits N seconds, and the operation then continues without the caller.
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

/** Returns the header `Preference-Applied`; `null` if no preference made a difference. */
export function appliedPreferences(asked: Preferences, isAsync: boolean): string | null {
  const applied = [
    ...(asked.respondAsync && isAsync ? ['respond-async'] : []),
    ...(asked.waitSeconds === null ? [] : [`wait=${asked.waitSeconds}`]),
  ];
  return applied.length === 0 ? null : applied.join(', ');
}
