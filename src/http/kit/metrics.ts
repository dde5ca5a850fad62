import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';
import type { HttpApp } from './request-context.ts';
import { endTrace, routeOf } from './trace.ts';

/** Measures every request when it has been answered, or given up. */
export function measureRequests(app: HttpApp, deps: HttpDeps): void {
  const known = new Set(app.supportedMethods);
  app.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    deps.metrics.answered({
      // The convention's word for a method that nobody knows: the caller's own word would be a label without bounds.
      method: known.has(request.method) ? request.method : '_OTHER',
      route: routeOf(request) ?? 'unmatched',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    });
    endTrace(request, reply);
  });
}
