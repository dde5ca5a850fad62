import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../auth/verify.ts';
import type { ParticipantServices } from '../grpc/participant-services.ts';
import type { Json } from '../ledger/lf-json.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { meetOnArrival } from './arrival.ts';
import type { Arriving } from './arrival.ts';
import { OPERATIONS } from './json/operations.ts';
import { addOperations } from './json/routes.ts';
import { Unreadable } from './json/unreadable.ts';
import { ValueCodec } from './json/value-codec.ts';
import { atParticipantBorder } from './json-call.ts';
import { allowAnyOrigin, LISTENER_LIMITS } from './listener.ts';
import type { Log } from './listener.ts';

export interface JsonApiOptions {
  readonly participant: ParticipantNode;
  /** The services that the participant's gRPC port serves. */
  readonly services: ParticipantServices;
  readonly verify: TokenVerifier;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/** As a participant's HTTP server has it. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The JSON Ledger API of one participant, not yet listening. Probes, `/v2/version` and the documentation are open;
 * everything else needs a bearer token, as the gRPC services do.
 */
export function createJsonApi(options: JsonApiOptions): FastifyInstance {
  const { participant, verify, log } = options;
  const app = Fastify({ ...LISTENER_LIMITS, bodyLimit: BODY_BYTES_MAX });
  const services = { ...options.services, values: new ValueCodec(participant.registry) };
  meetOnArrival(app, options.arrival);
  allowAnyOrigin(app);
  atParticipantBorder(app, { surface: 'json', participant, verify, log });
  answerUnknownPaths(app);
  readBodies(app);

  app.get('/livez', async (_request, reply) => reply.code(200).send());
  app.get('/readyz', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send('[+] ledger ok (SERVING)\nreadyz check passed\n'),
  );
  addOperations(app, OPERATIONS, { participant, services });
  return app;
}

/** A path that does not exist needs no token; its answer says what was asked for. */
function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler(async ({ method, protocol, host, url }, reply) =>
    reply.code(404).send({
      errors: [`HttpMethod(${method}), uri: ${protocol}://${host}${url}`],
      status: 404,
      ledgerApiError: null,
    }),
  );
}

/** Files stay what they are; every other body is JSON, whatever its content type says: a form is curl's default. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.routeOptions.config.isFile === true) return body;
      // Scripts send the content type with every call, also with those that have no body.
      return body.length === 0 ? undefined : parseJson(body.toString('utf8'));
    },
  );
}

export function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const isCutOff = /Unexpected end|Unterminated string/.test((error as Error).message);
    throw new Unreadable(
      isCutOff ? 'exhausted input' : `expected json value got '${text.slice(0, 6)}...'`,
    );
  }
}
