import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../auth/verify.ts';
import type { ParticipantServices } from '../grpc/participant-services.ts';
import { LEDGER_API_VERSION } from '../grpc/services/version.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { meetOnArrival } from '../arrival.ts';
import type { Arriving } from '../arrival.ts';
import { asyncApiOf, openApiOf } from './json/documents.ts';
import { OPERATIONS } from './json/operations.ts';
import { addOperations, parseJson } from './json/routes.ts';
import { chosenPackage } from '../ledger/package-choice.ts';
import { ValueCodec } from './json/value-codec.ts';
import { JsonWebSockets } from './json/websockets.ts';
import { atParticipantBorder } from './json-call.ts';
import { allowAnyOrigin, LISTENER_LIMITS, pathOf } from '../listener.ts';
import type { Log } from '../log.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The streams of a JSON API. */
    webSockets?: JsonWebSockets;
  }
}

export interface JsonApiOptions {
  readonly participant: ParticipantNode;
  /**
   * Returns the services that the participant's gRPC port also uses. They are replaced when the participant restarts.
   */
  readonly services: () => ParticipantServices;
  readonly verify: TokenVerifier;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/** The maximum size of a body, as in a participant's HTTP server. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Creates the JSON Ledger API of one participant, which does not listen yet. Probes, `/v2/version` and the
 * documentation need no token; everything else needs a bearer token, as the gRPC services do.
 */
export function createJsonApi(options: JsonApiOptions): FastifyInstance {
  const { participant, verify, log } = options;
  const app = Fastify({ ...LISTENER_LIMITS, bodyLimit: BODY_BYTES_MAX });
  const values = new ValueCodec(participant.registry, (reference, chooser) =>
    chosenPackage(reference, chooser, participant, participant.nowMicros()),
  );
  const { services } = options;
  meetOnArrival(app, options.arrival);
  allowAnyOrigin(app);
  atParticipantBorder(app, { surface: 'json', participant, verify, log });
  answerUnknownPaths(app);
  readBodies(app);

  app.get('/livez', async (_request, reply) => reply.code(200).send());
  app.get('/readyz', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send('[+] ledger ok (SERVING)\nreadyz check passed\n'),
  );
  serveDocuments(app);
  addOperations(app, OPERATIONS, { participant, services, values });
  const webSockets = new JsonWebSockets(OPERATIONS, {
    participant,
    services,
    values,
    verify,
    log,
    arrival: options.arrival,
  });
  app.decorate('webSockets', webSockets);
  app.server.on('upgrade', (request, socket, head) => webSockets.upgrade(request, socket, head));
  // Closing the server would wait for upgraded connections, so they are ended first.
  app.addHook('preClose', async () => webSockets.drop());
  return app;
}

const KNOWN_PATHS: readonly RegExp[] = OPERATIONS.map(
  ({ path }) => new RegExp(`^${path.replace(/\{[\w-]+\}/g, '[^/]+')}$`),
);

/** Answers requests for unknown paths. Such requests need no token, and the answer names the path. */
function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler(async (request, reply) => {
    const { method, protocol, host, url } = request;
    const path = pathOf(request);
    if (KNOWN_PATHS.some((known) => known.test(path))) {
      return reply.code(405).type('text/plain; charset=utf-8').send('Method Not Allowed');
    }
    return reply.code(404).send({
      errors: [`HttpMethod(${method}), uri: ${protocol}://${host}${url}`],
      status: 404,
      ledgerApiError: null,
    });
  });
}

/** Serves the documentation, which is generated when it is first requested. */
function serveDocuments(app: FastifyInstance): void {
  const documents = { '/docs/openapi': openApiOf, '/docs/asyncapi': asyncApiOf };
  for (const [path, write] of Object.entries(documents)) {
    let document: string | undefined;
    app.get(path, async (_request, reply) => {
      document ??= write(OPERATIONS, LEDGER_API_VERSION);
      return reply.type('text/plain; charset=utf-8').send(document);
    });
  }
}

/**
 * Reads uploaded files as bytes. Every other body is JSON, whatever its content type, because curl's default content
 * type is that of a form.
 */
function readBodies(app: FastifyInstance): void {
  // Some operations also have an older form, a GET with a body. Fastify reads the body only with this option.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.routeOptions.config.isFile === true) return body;
      if (request.method === 'GET' && request.routeOptions.config.takesBody !== true)
        return undefined;
      // Scripts send a content type with every call, even if there is no body.
      return body.length === 0 ? undefined : parseJson(body.toString('utf8'));
    },
  );
}
