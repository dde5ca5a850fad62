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

/** For whoever collects them; no token, and nothing in them that names a party, a contract or an operation. */
export function registerMetrics(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/metrics',
    {
      config: { rateLimit: false },
      schema: {
        operationId: 'metrics',
        summary: 'What this process measures, as Prometheus reads it',
        tags: ['health'],
        security: [],
        response: {
          200: {
            description: 'Text exposition format',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
        },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) => {
      const { type, text } = await deps.metrics.exposition();
      return reply.type(type).send(text);
    },
  );
}
