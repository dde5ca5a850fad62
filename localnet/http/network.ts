import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { addControlRoutes } from './control.ts';
import { httpStatusOf } from './json-errors.ts';
import { answerUnknownPaths, LISTENER_LIMITS, pathOf } from './listener.ts';
import type { Log } from './listener.ts';
import { addRegistryRoutes } from './side-surfaces.ts';

/** The network port (4000), not yet listening: the registry, and the control routes on loopback. */
export function createNetwork(ledger: Ledger, log: Log): FastifyInstance {
  // A body is refused as it is, not trimmed or converted until it fits.
  const ajv = { customOptions: { removeAdditional: false, coerceTypes: false } } as const;
  const app = Fastify({ ...LISTENER_LIMITS, ajv });
  answerUnknownPaths(app);
  addRegistryRoutes(app, ledger.parties.dso);
  addControlRoutes(app, ledger);
  app.setErrorHandler(async (error, request, reply) => {
    if (error instanceof LedgerError) {
      return reply.code(httpStatusOf(error)).send({ error: error.text });
    }
    const { statusCode, message } = error as { statusCode?: number; message: string };
    if (statusCode !== undefined && statusCode < 500) {
      return reply.code(statusCode).send({ error: message });
    }
    log({ surface: 'network', path: pathOf(request), level: 'error', reason: 'bug', error });
    return reply.code(500).send({ error: 'Internal error' });
  });
  return app;
}
