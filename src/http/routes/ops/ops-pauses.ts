import type { Static } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import { completionsStream } from '../../../app/ports/streams.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { Caller } from '../../../domain/caller.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import type { ParticipantName } from '../../../domain/ids.ts';
import { isUuid, trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { PAUSE_MODES, PAUSE_SCOPES } from '../../../domain/pause.ts';
import type { Pause, PauseMode, PauseScope } from '../../../domain/pause.ts';
import type { Circuit } from '../../../domain/participant-health.ts';
import { fail } from '../../../domain/problems.ts';
import { OPS_PAUSES, actionRoute, readId } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { requireProvider } from './ops-access.ts';
import { ReasonBody, reasonIn, reasonOf } from './ops-operation.ts';
import { invalid } from '../../kit/invalid.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo, lastingIo } from '../../kit/request-context.ts';
import { listOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject } from '../../kit/schema.ts';
import { IdParams } from '../../schemas.ts';
import { HTTP_LIMITS } from '../../limits.ts';

const TAG = 'ops';

const PauseBody = closedObject({
  scope: Type.Unsafe<PauseScope>({ type: 'string', enum: [...PAUSE_SCOPES] }),
  name: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.pauseNameCharsMax,
    examples: ['app-provider'],
  }),
  mode: Type.Optional(
    Type.Unsafe<PauseMode>({ type: 'string', enum: [...PAUSE_MODES], default: 'pause' }),
  ),
  reason: reasonOf('the participant is being upgraded'),
});

type PauseBody = Static<typeof PauseBody>;

/** Refuses an unknown name. A pause of a misspelt name would stop nothing although the answer reports success. */
async function requireKnown(
  deps: HttpDeps,
  { scope, name }: PauseBody,
  caller: Caller,
  io: Io,
): Promise<void> {
  if (scope === 'operation' && !OPERATIONS.some((known) => known === name)) {
    invalid('name', `must be one of ${OPERATIONS.join(', ')}`);
  }
  if (scope === 'provider' && name !== caller.party) {
    invalid('name', `must be the provider’s party, ${caller.party}`);
  }
  if (scope !== 'participant') return;
  const cursors = await deps.store.transact(io, (tx) => tx.cursors());
  if (cursors.has(completionsStream(trusted<ParticipantName>(name)))) return;
  fail('REQUEST_INVALID', `Tenure has no participant ${name}`, { extra: { field: 'name' } });
}

/** A pause or a drain, as operators read it. */
export const pauseBody = (pause: Pause & { readonly held?: number }): JsonRecord => ({ ...pause });

/** An open circuit of a participant, as operators read it. */
export const circuitBody = (circuit: Circuit): JsonRecord => ({
  scope: 'participant',
  name: circuit.participant,
  mode: circuit.reason,
  since: circuit.since,
  until: circuit.until,
  reason: `${circuit.ledgerCode}, ${circuit.level} times in a row`,
});

function registerList(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `/${OPS_PAUSES}`, {
    operationId: 'listPauses',
    summary:
      'List pauses by operators, oldest first, and then the participants to which Tenure submits nothing',
    tag: TAG,
    reply: { 200: listOf('Pause', 'All of them') },
    problems: [401, 403, 406, 503],
    handle: async (request, reply) => {
      requireProvider(deps, request);
      const io = readIo(reply);
      const [pauses, circuits] = await Promise.all([
        deps.pauses.list(io),
        deps.pauses.circuits(io),
      ]);
      return reply.send([...pauses.map(pauseBody), ...circuits.map(circuitBody)]);
    },
  });
}

function registerPut(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', `/${OPS_PAUSES}`, {
    operationId: 'createPause',
    summary: 'Pause a participant, an operation, or the provider',
    description:
      'Operations are still accepted, and wait. A second request for the same scope and name changes mode and reason.',
    tag: TAG,
    body: PauseBody,
    reply: { 201: plain('Pause', 'It is stopped') },
    problems: [400, 401, 403, 413, 415, 503],
    handle: async (request, reply) => {
      const caller = requireProvider(deps, request);
      const io = lastingIo(request);
      const body = request.body;
      await requireKnown(deps, body, caller, io);
      const { scope, name, mode = 'pause', reason } = body;
      const by = { byParty: caller.party, bySubject: caller.subject };
      const pause = await deps.pauses.put({ scope, name, mode, reason }, by, io);
      return reply.code(201).send(pauseBody(pause));
    },
  });
}

function registerResume(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_PAUSES, 'resume'), {
    operationId: 'resumePause',
    summary: 'End a pause',
    tag: TAG,
    params: IdParams,
    body: ReasonBody('the upgrade is done'),
    reply: { 200: plain('Pause', 'The pause that has ended') },
    problems: [400, 401, 403, 404, 413, 415, 503],
    handle: async (request, reply) => {
      const caller = requireProvider(deps, request);
      const id = readId(request);
      const reason = reasonIn(request);
      const by = { byParty: caller.party, bySubject: caller.subject, reason };
      const ended = isUuid(id) ? await deps.pauses.remove(id, by, lastingIo(request)) : null;
      if (ended === null) return fail('NOT_FOUND', `pause ${id} does not exist`);
      return reply.send(pauseBody(ended));
    },
  });
}

/** Registers the routes by which operators pause, drain and resume. */
export function registerPauses(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerPut(app, deps);
  registerResume(app, deps);
}
