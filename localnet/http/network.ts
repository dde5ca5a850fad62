import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { ScriptedFaults } from '../faults/plan.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { addControlRoutes } from './control.ts';
import { answerUnknownPaths } from './listener.ts';
import type { Log } from './listener.ts';
import { answerErrorsPlainly } from './plain-errors.ts';
import { addRegistryRoutes, REGISTRY_LIMITS } from './token-registry.ts';
import { serveUnderNames } from './virtual-hosts.ts';
import { JSON_API_NAMES } from './validator.ts';

export interface NetworkOptions {
  readonly ledger: Ledger;
  /** What the control routes steer. */
  readonly faults: ScriptedFaults;
  readonly jsonApi: FastifyInstance;
  readonly log: Log;
}

/**
 * The network port (4000), not yet listening: the registry and the scan, the control routes on loopback, and the super
 * validator's JSON Ledger API to callers that use one of its names.
 */
export function createNetwork({ ledger, faults, jsonApi, log }: NetworkOptions): FastifyInstance {
  const app = Fastify(REGISTRY_LIMITS);
  serveUnderNames(app, JSON_API_NAMES, jsonApi);
  answerUnknownPaths(app);
  answerErrorsPlainly(app, { surface: 'network' }, log);
  addRegistryRoutes(app, ledger);
  addControlRoutes(app, { ledger, faults });
  return app;
}
