import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';

/** One media range of an `Accept` header and its quality. */
interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

const RANGE = /^([\w!#$&^.+\-*]+\/[\w!#$&^.+\-*]+)\s*(?:;(.*))?$/u;
const QUALITY = /(?:^|;)\s*q\s*=\s*([\d.]+)/iu;

function rangesIn(header: string): MediaRange[] {
  return header.split(',').flatMap((part) => {
    const found = RANGE.exec(part.trim());
    if (found === null) return [];
    const quality = Number(QUALITY.exec(found[2] ?? '')?.[1] ?? '1');
    return [{ type: (found[1] ?? '').toLowerCase(), quality: Number.isNaN(quality) ? 1 : quality }];
  });
}

/** Returns the quality that a list such as `Accept-Encoding` gives to the token; `null` if the list lacks the token. */
export function qualityOf(header: string, token: 'br' | 'gzip' | '*'): number | null {
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';');
    if (name.trim().toLowerCase() !== token) continue;
    const quality = Number(QUALITY.exec(`;${parameters.join(';')}`)?.[1] ?? '1');
    return Number.isNaN(quality) ? 1 : quality;
  }
  return null;
}

/** Whether the header names HTML. Browsers name it when they show a page to a person; programs usually do not. */
export const namesPage = (header: string | undefined): boolean =>
  rangesIn(header ?? '').some(({ type, quality }) => type === 'text/html' && quality > 0);

/**
 * Whether a caller accepts this media type (RFC 9110, 12.5.1). The most specific matching range decides. Without a
 * header, or with an invalid one, every type is accepted.
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  const ranges = rangesIn(header ?? '');
  if (ranges.length === 0) return true;
  const [group = ''] = mediaType.split('/');
  for (const covering of [mediaType, `${group}/*`, '*/*']) {
    const found = ranges.filter((range) => range.type === covering);
    if (found.length > 0) return found.some((range) => range.quality > 0);
  }
  return false;
}

/** Whether the header names the media type `named` with a higher quality than it explicitly gives to `over`. */
export function prefers(
  header: string | undefined,
  { named, over }: { readonly named: string; readonly over: string },
): boolean {
  const qualityOf = (mediaType: string): number =>
    Math.max(
      0,
      ...rangesIn(header ?? '').flatMap(({ type, quality }) =>
        type === mediaType ? [quality] : [],
      ),
    );
  return qualityOf(named) > qualityOf(over);
}

/*
 * Some addresses send a page to a person, and another answer or none to a program. The kind of client is a constraint
 * of the route, so a program is routed as if the page did not exist.
 */

const NAME = 'asker';
const PERSON = 'person';

/** The constraint of a route for people only. */
export const FOR_NAVIGATION = { [NAME]: PERSON };

export const isForNavigation = (constraints: Readonly<Record<string, unknown>> = {}): boolean =>
  NAME in constraints;

/** Stores the route for people at an address; an address has at most one. */
function oneRoute<Handler>() {
  let kept: Handler | null = null;
  return {
    get: (asker: string): Handler | null => (asker === PERSON ? kept : null),
    set: (_asker: string, handler: Handler): void => {
      kept = handler;
    },
  };
}

export const NAVIGATION = {
  [NAME]: {
    name: NAME,
    storage: oneRoute,
    deriveConstraint: ({ headers }: IncomingMessage): string =>
      namesPage(headers.accept) ? PERSON : 'program',
  },
};

/** Adds a request header to `Vary`, for caches. Headers that `Vary` already names stay. */
export function varyBy(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  void reply.header('vary', before === undefined ? name : `${String(before)}, ${name}`);
}
