import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Returns the host name in a caller's request, without the port and in lower case. */
export const nameOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string =>
  (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

/**
 * Serves another listener's routes on this port, to callers whose `Host` is one of the given names. The port in `Host`
 * is ignored. The reference application's proxy uses the same names.
 *
 * @param names without a port, in lower case
 */
export function serveUnderNames(
  app: FastifyInstance,
  names: readonly string[],
  other: FastifyInstance,
): void {
  const known = new Set(names);
  app.addHook('onReady', async () => {
    await other.ready();
  });
  app.server.on('upgrade', (request, socket, head) => {
    if (other.webSockets !== undefined && known.has(nameOf(request))) {
      other.webSockets.upgrade(request, socket, head);
    } else {
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    }
  });
  // This hook runs before any other and before the body is read, because the other listener needs the unchanged
  // request.
  app.addHook('onRequest', async (request, reply) => {
    if (!known.has(nameOf(request))) return;
    reply.hijack();
    other.routing(request.raw, reply.raw);
  });
}
