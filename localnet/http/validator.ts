import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { TokenVerifier } from '../auth/verify.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import { meetOnArrival } from '../arrival.ts';
import type { Arriving } from '../arrival.ts';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS } from '../listener.ts';
import type { Log } from '../log.ts';
import { answerErrorsPlainly, readJsonBodies, STRICT_SCHEMAS } from './plain-errors.ts';
import { addScanProxyRoutes } from './scan-proxy.ts';
import { serveUnderNames } from './virtual-hosts.ts';
import { requireToken } from './wallet/caller.ts';
import type { Automation } from './wallet/automation.ts';
import { addOnboardingRoutes } from './wallet/onboarding.ts';
import { addWalletPage } from './wallet/page.ts';
import type { WalletPageOptions } from './wallet/page.ts';
import { addWalletRoutes } from './wallet/routes.ts';
import { addValidatorAdminRoutes } from './validator-admin.ts';
import { addNameRoutes } from './names.ts';

export interface ValidatorOptions {
  readonly ledger: Ledger;
  /** The participant to which the validator belongs. */
  readonly participant: ParticipantApi;
  readonly verify: TokenVerifier;
  /** The validator's automation. */
  readonly automation: Automation;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/** The maximum size of a body. An allocation with all its metadata is far smaller. */
const BODY_BYTES_MAX = 256 * 1024;
const LIMITS = { ...LISTENER_LIMITS, ...STRICT_SCHEMAS, bodyLimit: BODY_BYTES_MAX };

/** Creates the validator of a participant (port x903), which does not listen yet. */
export function createValidator(options: ValidatorOptions): FastifyInstance {
  const app = Fastify(LIMITS);
  addValidator(app, options);
  answerUnknownPaths(app);
  return app;
}

/** Host names of the JSON Ledger API on the port of a validator's wallet page. The first is the preferred one. */
export const JSON_API_NAMES = ['json-ledger-api.localhost', 'canton.localhost'] as const;

/**
 * Creates the app for a validator's wallet port (2000), which does not listen yet. It serves the wallet page and its
 * validator. If the request's host name is one of the JSON Ledger API's, that API answers.
 */
export function createWalletSite(
  options: ValidatorOptions & WalletPageOptions & { readonly jsonApi: FastifyInstance },
): FastifyInstance {
  const app = Fastify(LIMITS);
  serveUnderNames(app, JSON_API_NAMES, options.jsonApi);
  addValidator(app, options);
  addWalletPage(app, options);
  return app;
}

/** Adds a validator's routes. All of them need a token, except probes. */
function addValidator(app: FastifyInstance, options: ValidatorOptions): void {
  const { ledger, participant, log } = options;
  meetOnArrival(app, options.arrival);
  allowAnyOrigin(app);
  answerErrorsPlainly(app, { surface: 'validator', participant: participant.name }, log);
  readJsonBodies(app);
  app.get('/api/validator/livez', async (_request, reply) => reply.code(200).send());
  app.get('/api/validator/readyz', async (_request, reply) => reply.code(200).send());
  app.register(async (scope) => {
    requireToken(scope, options);
    addScanProxyRoutes(scope, ledger);
  });
  addOnboardingRoutes(app, options);
  addValidatorAdminRoutes(app, options);
  addNameRoutes(app, options);
  addWalletRoutes(app, options);
}
