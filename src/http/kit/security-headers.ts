import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';
import { isSecure } from './public-address.ts';
import type { HttpApp } from './request-context.ts';

/** For answers of an API: they may load nothing, be shown nowhere, and tell nobody where they came from. */
const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: [`'none'`], baseUri: [`'none'`], frameAncestors: [`'none'`] },
  },
  xFrameOptions: { action: 'deny' },
  // Not for browsers that came here without TLS: RFC 6797, 7.2.
  strictTransportSecurity: false,
});

const YEAR_S = 31_536_000;

/** Adds what every answer has. Pages replace the content security policy with one of their own. */
export function withHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  protect(request.raw, reply.raw, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  if (isSecure(request)) {
    void reply.header('strict-transport-security', `max-age=${YEAR_S}`);
  }
  return reply.header('cache-control', 'no-store').header('trace-id', request.id);
}

/** Before anything else happens with a request. */
export function addHeaders(app: HttpApp): void {
  app.addHook('onRequest', async (request, reply) => {
    void withHeaders(request, reply);
  });
}
