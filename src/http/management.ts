import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './kit/deps.ts';
import { excludedIn } from './routes/health/health.ts';
import { HTTP_LIMITS } from './limits.ts';
import { createReadiness } from './kit/readiness.ts';
import { sharedReading } from './kit/shared-reading.ts';

/**
 * The server for operators and their tools: readiness with its reasons, and metrics. It needs no token, so its port
 * must be reachable only from this machine or a private network. Its connections are separate from those of the API, so
 * a client that uses up all connections of the API delays no probe.
 */
export async function buildManagement(
  deps: Pick<HttpDeps, 'readiness' | 'metrics'>,
): Promise<FastifyInstance> {
  const app = Fastify({
    requestTimeout: HTTP_LIMITS.httpReceiveMs,
    forceCloseConnections: true,
    bodyLimit: 1,
  });
  app.server.maxConnections = HTTP_LIMITS.managementConnectionsMax;
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
  const readiness = createReadiness(deps.readiness);
  const exposition = sharedReading(() => deps.metrics.exposition(), HTTP_LIMITS.managementKeptMs);
  app.get('/livez', async (_request, reply) => reply.type('text/plain').send('ok'));
  app.get('/readyz', async (request: FastifyRequest, reply: FastifyReply) => {
    const { isReady, body } = await readiness(excludedIn(request));
    return reply.code(isReady ? 200 : 503).send(body);
  });
  app.get('/metrics', async (_request, reply) => {
    const { type, text } = await exposition();
    return reply.type(type).send(text);
  });
  await app.ready();
  return app;
}
