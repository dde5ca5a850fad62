import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { isSecure } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/** Headers for answers of an API: they may load nothing, must not be embedded, and send no referrer. */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: [`'none'`], baseUri: [`'none'`], frameAncestors: [`'none'`] },
  },
  xFrameOptions: { action: 'deny' },
  // Added by `withHeaders`, and only for TLS: RFC 6797, 7.2.
  strictTransportSecurity: false,
});

const YEAR_S = 31_536_000;

/** Adds the headers that every answer has. Pages replace the content security policy. */
export function withHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  protect(request.raw, reply.raw, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  if (isSecure(request)) {
    void reply.header('strict-transport-security', `max-age=${YEAR_S}`);
  }
  return reply.header('cache-control', 'no-store').header('trace-id', request.id);
}

/** Adds the headers before any other processing of a request. */
export function addHeaders(app: HttpApp): void {
  app.addHook('onRequest', async (request, reply) => {
    void withHeaders(request, reply);
  });
}
