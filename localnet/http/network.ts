import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { Ledger } from '../ledger/ledger.ts';
import { addControlRoutes } from './control.ts';
import { answerUnknownPaths } from './listener.ts';
import type { Log } from './listener.ts';
import { answerErrorsPlainly } from './plain-errors.ts';
import { addRegistryRoutes, REGISTRY_LIMITS } from './token-registry.ts';
import { serveUnderNames } from './virtual-hosts.ts';
import { JSON_API_NAMES } from './validator.ts';

/**
 * The network port (4000), not yet listening: the registry and the scan, the control routes on loopback, and the super
 * validator's JSON Ledger API to callers that use one of its names.
 */
export function createNetwork(ledger: Ledger, jsonApi: FastifyInstance, log: Log): FastifyInstance {
  const app = Fastify(REGISTRY_LIMITS);
  serveUnderNames(app, JSON_API_NAMES, jsonApi);
  answerUnknownPaths(app);
  answerErrorsPlainly(app, { surface: 'network' }, log);
  addRegistryRoutes(app, ledger);
  addControlRoutes(app, ledger);
  return app;
}
