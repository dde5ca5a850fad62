import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { ParticipantApi } from '../ledger/participant.ts';
import { atParticipantBorder } from './json-call.ts';
import { answerUnknownPaths, LISTENER_LIMITS } from '../listener.ts';
import type { Log } from '../log.ts';
import { addPackageRoutes } from './package-routes.ts';

/** The small HTTP interfaces of a participant in addition to its JSON API. They do not listen yet. */

/**
 * Creates the interface for package administration (port x902). Like a participant's admin API, it needs no token and
 * is meant for callers on the same machine. Errors have the JSON API's format.
 */
export function createAdmin(participant: ParticipantApi, log: Log): FastifyInstance {
  const app = Fastify(LISTENER_LIMITS);
  atParticipantBorder(app, { surface: 'admin', participant, log });
  answerUnknownPaths(app);
  app.removeAllContentTypeParsers();
  addPackageRoutes(app, participant);
  return app;
}

/** Creates the health interface of a participant over HTTP (port x900). */
export function createHealth(): FastifyInstance {
  const app = Fastify(LISTENER_LIMITS);
  answerUnknownPaths(app);
  app.get('/health', async () => ({ status: 'SERVING' }));
  return app;
}
