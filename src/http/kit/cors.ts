import { varyBy } from './accept.ts';
import type { HttpApp } from './request-context.ts';

/*
 * Browser applications of other origins (the Fetch standard, "CORS protocol"). They send a bearer token: no answer
 * allows credentials, so browsers send no cookies. Origins are listed in full, never as `*` or `null`.
 */

const EXPOSED = [
  'Deprecation',
  'ETag',
  'Location',
  'Link',
  'Retry-After',
  'Sunset',
  'Idempotency-Key',
  'Idempotent-Replayed',
  'Preference-Applied',
  'Total-Count',
  'RateLimit',
  'RateLimit-Policy',
  'Trace-Id',
  'WWW-Authenticate',
].join(', ');

const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Prefer',
  'traceparent',
  'tracestate',
].join(', ');

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': ALLOWED_HEADERS,
  // Browsers cap the cache time at two hours.
  'access-control-max-age': '7200',
} as const;

/**
 * Lets pages of these origins call the API. Without origins nothing is registered, so requests have no extra cost.
 * Preflights are answered here, before any check of tokens or limits and without the database.
 */
export function allowOrigins(app: HttpApp, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    varyBy(reply, 'origin');
    const { origin, 'access-control-request-method': asked } = request.headers;
    if (origin === undefined || !origins.has(origin)) return undefined;
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    });
    if (request.method !== 'OPTIONS' || asked === undefined) return undefined;
    return reply.code(204).headers(PREFLIGHT).send();
  });
}
