import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../auth/verify.ts';
import type { Json } from '../ledger/lf-json.ts';
import type { ParticipantApi } from '../ledger/participant.ts';
import type { Submission } from '../ledger/submission.ts';
import { meetOnArrival } from './arrival.ts';
import type { Arriving } from './arrival.ts';
import { accessOf, atParticipantBorder, callOf } from './json-call.ts';
import { readCommands } from './json-commands.ts';
import { Unreadable } from './json-fields.ts';
import { addPartyRoutes } from './json-parties.ts';
import { addUserRoutes } from './json-users.ts';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS, hungUp } from './listener.ts';
import type { Log } from './listener.ts';
import { addPackageRoutes } from './package-routes.ts';

export interface JsonApiOptions {
  readonly participant: ParticipantApi;
  readonly verify: TokenVerifier;
  /** What `GET /v2/version` answers; the same facts as the gRPC version service gives. */
  readonly version: Json;
  readonly log: Log;
  readonly arrival?: () => Arriving;
}

/**
 * The JSON Ledger API of one participant, not yet listening. `/livez`, `/readyz` and `/v2/version` are open; everything
 * else needs a bearer token, as the gRPC services do.
 */
export function createJsonApi(options: JsonApiOptions): FastifyInstance {
  const { participant, verify, log } = options;
  const app = Fastify(LISTENER_LIMITS);
  meetOnArrival(app, options.arrival);
  allowAnyOrigin(app);
  atParticipantBorder(app, { surface: 'json', participant, verify, log });
  answerUnknownPaths(app);
  readJsonWhateverItsType(app);

  app.get('/livez', async (_request, reply) => reply.code(200).send());
  app.get('/readyz', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send('[+] ledger ok (SERVING)\nreadyz check passed\n'),
  );
  app.get('/v2/version', async () => options.version);
  app.get('/v2/state/ledger-end', async () => ({ offset: Number(participant.ledgerEnd()) }));
  addPackageRoutes(app, participant, {
    mayList: accessOf,
    mayUpload: (request) => accessOf(request).requireAdmin(),
  });
  addSubmissionRoutes(app, participant);
  addUserRoutes(app, participant);
  addPartyRoutes(app, participant);
  return app;
}

/** The JSON API reads every body as JSON, whatever its content type says; a form is curl's default. */
function readJsonWhateverItsType(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => {
      // Scripts send the content type with every call, also with those that have no body.
      if (body === '') return undefined;
      try {
        return JSON.parse(body) as Json;
      } catch {
        throw new Unreadable('expected json value');
      }
    },
  );
}

function addSubmissionRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  const submissionOf = (request: FastifyRequest): Submission => {
    const call = callOf(request);
    const access = accessOf(request);
    const raw = readCommands(request.body as Json | undefined);
    const bytes = Buffer.byteLength(JSON.stringify(request.body));
    // Rights first, contents second: who may not ask learns nothing about the question.
    const userId = access.requireUser(raw.userId ?? '');
    access.requireActAs(raw.actAs ?? []);
    access.requireReadAs(raw.readAs ?? []);
    const { traceContext } = call;
    const submission = participant.readSubmission({ ...raw, traceContext, bytes }, userId);
    call.submission = submission;
    return submission;
  };
  app.post('/v2/commands/submit-and-wait', async (request, reply) => {
    const submission = submissionOf(request);
    const accepted = await participant.submitAndWait(submission, { signal: hungUp(reply) });
    return { updateId: accepted.updateId, completionOffset: Number(accepted.offset) };
  });
  // What becomes of it is a completion.
  app.post('/v2/commands/async/submit', async (request) => {
    await participant.submit(submissionOf(request));
    return {};
  });
}
