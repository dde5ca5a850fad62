import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { LAZY_VALIDATORS } from './lazy-validators.ts';

/** Limits of every HTTP listener of LocalNet. Listeners that accept more than small JSON bodies raise `bodyLimit`. */
export const LISTENER_LIMITS = {
  /** The maximum size of a body in bytes. A JSON command with all its contract payloads is far smaller. */
  bodyLimit: 1024 * 1024,
  /** The time in milliseconds within which a request must arrive completely. Otherwise it is dropped. */
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  // LocalNet stops without waiting for clients that keep their connections open.
  forceCloseConnections: true,
  schemaController: LAZY_VALIDATORS,
  // A party ID has up to 255 characters, and three times as many when percent-encoded.
  routerOptions: { maxParamLength: 1_024 },
} as const satisfies FastifyServerOptions;

/**
 * Lets pages of any origin call, as the reference application's proxy does: `OPTIONS` is answered here, with 204 and
 * the requesting origin. This is safe, because there are no cookies: the bearer token is the only credential.
 */
export function allowAnyOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin !== undefined) {
      void reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin' });
    }
    if (request.method !== 'OPTIONS') return;
    const asked = request.headers['access-control-request-headers'];
    await reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': asked ?? 'authorization, content-type',
        'access-control-max-age': '600',
      })
      .send();
  });
}

/** Answers an unknown path with JSON that contains the path. */
export function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) =>
    reply.code(404).send({ error: 'Not found', method: request.method, path: pathOf(request) }),
  );
}

/** Returns the path of a request without its query, which may contain secrets. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Starts listening. Returns the port, which the operating system chooses if `port` is 0. */
export async function listenOn(app: FastifyInstance, host: string, port: number): Promise<number> {
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
}

/** Returns a signal that is aborted if the caller disconnects before it has its answer. */
export function hungUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
