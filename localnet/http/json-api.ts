import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../auth/verify.ts';
import type { Json } from '../ledger/lf-json.ts';
import type { ObjectMeta, ParticipantApi, PartyDetails, User } from '../ledger/participant.ts';
import type { Right } from '../ledger/rights.ts';
import { Unreadable, readCommands } from './json-commands.ts';
import { accessOf, atParticipantBorder, callOf } from './json-call.ts';
import { allowAnyOrigin, answerUnknownPaths, LISTENER_LIMITS } from './listener.ts';
import type { Log } from './listener.ts';
import { addPackageRoutes } from './package-routes.ts';

export interface JsonApiOptions {
  readonly participant: ParticipantApi;
  readonly verify: TokenVerifier;
  /** What `GET /v2/version` answers; the same facts as the gRPC version service gives. */
  readonly version: Json;
  readonly log: Log;
}

/**
 * The JSON Ledger API of one participant, not yet listening. `/livez` and `/readyz` are open; everything else needs a
 * bearer token, as the gRPC services do.
 */
export function createJsonApi(options: JsonApiOptions): FastifyInstance {
  const { participant, verify, log } = options;
  const app = Fastify(LISTENER_LIMITS);
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
  addSubmissionRoute(app, participant);
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
      try {
        return JSON.parse(body) as Json;
      } catch {
        throw new Unreadable('expected json value');
      }
    },
  );
}

function addSubmissionRoute(app: FastifyInstance, participant: ParticipantApi): void {
  app.post('/v2/commands/submit-and-wait', async (request, reply) => {
    const call = callOf(request);
    const access = accessOf(request);
    const raw = readCommands(request.body as Json | undefined);
    // Rights first, contents second: who may not ask learns nothing about the question.
    const userId = access.requireUser(raw.userId ?? '');
    access.requireActAs(raw.actAs ?? []);
    access.requireReadAs(raw.readAs ?? []);
    const { traceContext } = call;
    const submission = participant.readSubmission({ ...raw, traceContext }, userId);
    call.submission = submission;
    const accepted = await participant.submitAndWait(submission, { signal: signalOf(reply) });
    return { updateId: accepted.updateId, completionOffset: Number(accepted.offset) };
  });
}

/** Aborts when the caller hangs up. */
function signalOf(reply: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) hungUp.abort();
  });
  return hungUp.signal;
}

function addUserRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  const { users } = participant;
  /** Everybody may look at oneself, only an admin at others. */
  const userIdOf = (request: FastifyRequest): string => {
    const { userId } = request.params as { userId: string };
    const access = accessOf(request);
    if (userId !== access.userId) access.requireAdmin();
    return userId;
  };
  app.get('/v2/users', async (request) => {
    accessOf(request).requireAdmin();
    const page = users.list(pageSizeOf(request), pageTokenOf(request));
    return { users: page.items.map(userJson), nextPageToken: page.nextPageToken };
  });
  app.get('/v2/users/:userId', async (request) => ({
    user: userJson(users.get(userIdOf(request))),
  }));
  app.get('/v2/users/:userId/rights', async (request) => ({
    rights: users.rightsOf(userIdOf(request)).map(rightJson),
  }));
  app.get('/v2/authenticated-user', async (request) => ({
    user: userJson(users.get(accessOf(request).userId)),
  }));
}

function addPartyRoutes(app: FastifyInstance, participant: ParticipantApi): void {
  const { parties } = participant;
  app.get('/v2/parties', async (request) => {
    accessOf(request).requireAdmin();
    const page = parties.list(pageSizeOf(request), pageTokenOf(request));
    return { partyDetails: page.items.map(partyJson), nextPageToken: page.nextPageToken };
  });
  app.get('/v2/parties/participant-id', async (request) => {
    accessOf(request).requireAdmin();
    return { participantId: participant.participantId };
  });
  app.get('/v2/parties/:party', async (request) => {
    accessOf(request).requireAdmin();
    // The path names one party; query `parties` may name it and others instead.
    const { party } = request.params as { party: string };
    const asked = queryOf(request).getAll('parties');
    return { partyDetails: parties.get(asked.length > 0 ? asked : [party]).map(partyJson) };
  });
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URL(request.url, 'http://localnet').searchParams;

const pageTokenOf = (request: FastifyRequest): string => queryOf(request).get('pageToken') ?? '';

/** `0` leaves the size to the participant. */
function pageSizeOf(request: FastifyRequest): number {
  const text = queryOf(request).get('pageSize') ?? '0';
  if (!/^\d{1,9}$/.test(text)) {
    throw new Unreadable('expected an integer', 'query parameter pageSize');
  }
  return Number(text);
}

const metaJson = ({ resourceVersion, annotations }: ObjectMeta) => ({
  resourceVersion,
  annotations,
});

const userJson = (user: User) => ({
  id: user.id,
  primaryParty: user.primaryParty,
  isDeactivated: user.isDeactivated,
  metadata: metaJson(user.metadata),
  identityProviderId: user.identityProviderId,
});

const partyJson = (details: PartyDetails) => ({
  party: details.party,
  isLocal: details.isLocal,
  localMetadata: metaJson(details.metadata),
  identityProviderId: details.identityProviderId,
});

/** `{kind: {CanActAs: {value: {party}}}}`; a right without a party has an empty value. */
const rightJson = (right: Right) => ({
  kind: {
    [`${right.kind.charAt(0).toUpperCase()}${right.kind.slice(1)}`]: {
      value: 'party' in right ? { party: right.party } : {},
    },
  },
});
