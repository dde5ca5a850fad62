import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { addControlRoutes } from './control.ts';
import type { ControlOptions } from './control.ts';
import { answerUnknownPaths } from '../listener.ts';
import type { Log } from '../log.ts';
import { answerErrorsPlainly } from './plain-errors.ts';
import { addRegistryRoutes, REGISTRY_LIMITS } from './token-registry.ts';
import type { RegistryOptions } from './token-registry.ts';
import { nameOf, serveUnderNames } from './virtual-hosts.ts';
import { JSON_API_NAMES } from './validator.ts';

export interface NetworkOptions extends RegistryOptions {
  readonly jsonApi: FastifyInstance;
}

/**
 * Creates the app for a network's port (4000). It has the routes of the registry and the scan. If the request's host
 * name is one of the super validator's JSON Ledger API, that API answers.
 */
export function createNetwork(options: NetworkOptions): FastifyInstance {
  const { jsonApi, log } = options;
  const app = Fastify(REGISTRY_LIMITS);
  serveUnderNames(app, JSON_API_NAMES, jsonApi);
  answerUnknownPaths(app);
  answerErrorsPlainly(app, { surface: 'network' }, log);
  addRegistryRoutes(app, options);
  return app;
}

export interface NetworkPortOptions extends ControlOptions {
  /** Returns the app of the running network; `undefined` while none runs. */
  readonly network: () => FastifyInstance | undefined;
  readonly log: Log;
}

/**
 * Creates the network port (4000), which does not listen yet. When a network is replaced by another, the control routes
 * stay the same. All other routes belong to the current network.
 */
export function createNetworkPort(options: NetworkPortOptions): FastifyInstance {
  const app = Fastify(REGISTRY_LIMITS);
  const jsonApiNames = new Set<string>(JSON_API_NAMES);
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 && !jsonApiNames.has(nameOf(request))) return;
    const network = options.network();
    if (network === undefined) {
      await reply.code(503).send({ error: 'The network is being replaced' });
      return;
    }
    reply.hijack();
    network.routing(request.raw, reply.raw);
  });
  app.server.on('upgrade', (request, socket, head) => {
    const network = options.network();
    if (network === undefined) socket.destroy();
    else network.server.emit('upgrade', request, socket, head);
  });
  answerErrorsPlainly(app, { surface: 'network' }, options.log);
  addControlRoutes(app, options);
  return app;
}
