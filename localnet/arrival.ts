import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The failure that a request meets instead of being handled; `undefined` means that the request is handled. */
type Arrival = 'unavailable' | 'reset' | 'silence' | undefined;

export type Arriving = Arrival | Promise<Arrival>;

/** The maximum number of requests that are left without an answer. Further ones are refused. */
const SILENT_MAX = 200;

/**
 * Applies faults to requests: instead of an answer, the caller gets the error of a proxy that has lost its upstream, a
 * reset connection, or silence until it gives up. Must be called before any other hook is added.
 */
export function meetOnArrival(
  app: FastifyInstance,
  arrivalOf: ((request: FastifyRequest) => Arriving) | undefined,
): void {
  if (arrivalOf === undefined) return;
  let silent = 0;
  app.addHook('onRequest', async (request, reply) => {
    const arrival = await arrivalOf(request);
    if (arrival === undefined) return;
    const { socket } = request.raw;
    if (arrival === 'unavailable' || (arrival === 'silence' && silent >= SILENT_MAX)) {
      await reply.code(503).type('text/plain; charset=utf-8').send('no healthy upstream');
      return;
    }
    reply.hijack();
    if (arrival === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    silent += 1;
    socket.once('close', () => (silent -= 1));
  });
}
