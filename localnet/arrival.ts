import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a request meets before it is looked at; `undefined`: nothing, it is answered. */
type Arrival = 'unavailable' | 'reset' | 'silence' | undefined;

/** The same, where it may take its time. */
export type Arriving = Arrival | Promise<Arrival>;

/** Requests that nobody answers are few: more are refused. */
const SILENT_MAX = 200;

/**
 * Lets requests meet something else than an answer: a proxy that has lost what is behind it, a reset connection, or
 * silence until the caller gives up. To be called before any other hook is added.
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
