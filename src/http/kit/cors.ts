import { varyBy } from './accept.ts';
import type { HttpApp } from './request-context.ts';

/*
 * Access for browser applications of other origins (the Fetch standard, "CORS protocol"). They send a bearer token. No
 * answer allows credentials, so browsers send no cookies. Answers name an allowed origin in full, never `*` or `null`.
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
  // Browsers limit the cache time to two hours.
  'access-control-max-age': '7200',
} as const;

/**
 * Lets pages of these origins call the API. Without origins nothing is registered, so requests have no extra cost.
 * Preflight requests are answered here, before any check of tokens or limits and without the database.
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
