import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { TokenRejected } from '../auth/verify.ts';
import type { TokenVerifier } from '../auth/verify.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import { atParticipantBorder } from './json-call.ts';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS, pathOf } from './listener.ts';
import type { Log } from './listener.ts';
import { addPackageRoutes } from './package-routes.ts';

/** The small HTTP surfaces beside a participant's JSON API; none listens yet. */

/**
 * Package administration (x902). Like a participant's admin API it asks for no token and is meant for the machine it
 * runs on; errors have the JSON API's shape.
 */
export function createAdmin(participant: ParticipantApi, log: Log): FastifyInstance {
  const app = Fastify(LISTENER_LIMITS);
  atParticipantBorder(app, { surface: 'admin', participant, log });
  answerUnknownPaths(app);
  app.removeAllContentTypeParsers();
  const everybodyMay = () => undefined;
  addPackageRoutes(app, participant, { mayList: everybodyMay, mayUpload: everybodyMay });
  return app;
}

/** HTTP health of a participant (x900). */
export function createHealth(): FastifyInstance {
  const app = Fastify(LISTENER_LIMITS);
  answerUnknownPaths(app);
  app.get('/health', async () => ({ status: 'SERVING' }));
  return app;
}

export interface ValidatorOptions {
  /** The participant that the validator belongs to. */
  readonly participant: ParticipantApi;
  readonly verify: TokenVerifier;
  readonly dsoParty: string;
  readonly log: Log;
}

/** The validator (x903), which the user's wallet port serves too. Probes are open, everything else needs a token. */
export function createValidator(options: ValidatorOptions): FastifyInstance {
  const { participant, verify, dsoParty, log } = options;
  const app = Fastify(LISTENER_LIMITS);
  allowAnyOrigin(app);
  answerUnknownPaths(app);
  app.get('/api/validator/livez', async (_request, reply) => reply.code(200).send());
  app.get('/api/validator/readyz', async (_request, reply) => reply.code(200).send());
  app.get('/api/validator/v0/scan-proxy/dso-party-id', async (request, reply) => {
    try {
      await verify(request.headers.authorization);
    } catch (error) {
      if (!(error instanceof TokenRejected)) throw error;
      log({
        surface: 'validator',
        participant: participant.name,
        path: pathOf(request),
        level: 'info',
        code: 'UNAUTHENTICATED',
        reason: `${error.defect}: ${error.message}`,
      });
      return reply.code(401).send({ error: 'The supplied authentication is invalid' });
    }
    return { dso_party_id: dsoParty };
  });
  return app;
}

/** The token registry (5012), asked without a token; the network port serves it too. */
export function createRegistry(dsoParty: string): FastifyInstance {
  const app = Fastify(LISTENER_LIMITS);
  answerUnknownPaths(app);
  addRegistryRoutes(app, dsoParty);
  return app;
}

export function addRegistryRoutes(app: FastifyInstance, dsoParty: string): void {
  app.get('/registry/metadata/v1/info', async () => ({
    adminId: dsoParty,
    supportedApis: { 'splice-api-token-metadata-v1': 1 },
  }));
}
