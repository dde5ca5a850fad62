import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DECISIONS, decideDoubt } from '../../app/decide-doubt.ts';
import type { DoubtDecision } from '../../app/decide-doubt.ts';
import { auditView, viewDoubt } from '../../app/doubt-view.ts';
import { viewOperation } from '../../app/operation-view.ts';
import type { Io } from '../../app/ports.ts';
import type { Change } from '../../domain/change.ts';
import type { ChangeId, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import { OPS_COMMANDS, actionRoute } from '../address.ts';
import type { HttpDeps } from '../deps.ts';
import { operationBody } from '../operation.ts';
import { readId } from '../path-id.ts';
import type { HttpApp } from '../request-context.ts';
import { callerOf, readIo } from '../request-context.ts';
import { listOf, plain, problems } from '../responses.ts';
import { IdParams } from '../schemas.ts';
import { fillBody } from './writes.ts';

const TAG = 'ops';
const REASON_CHARS_MAX = 2_000;
const UPDATE_ID_CHARS_MAX = 255;

/** The operator's desk is nobody else's: neither a user's nor a provider's without that role. */
async function requireOperator(request: FastifyRequest): Promise<void> {
  if (callerOf(request).roles.has('operator')) return;
  fail('FORBIDDEN', 'only an operator may look here');
}

/** Everything that is known of one operation, whoever asked for it. */
async function opsBody(
  deps: HttpDeps,
  request: FastifyRequest,
  change: Change,
  io: Io,
): Promise<JsonRecord> {
  const { reads } = deps.store;
  const [view, doubt, audit] = await Promise.all([
    viewOperation(reads, change, io),
    change.state === 'in-doubt' ? viewDoubt(reads, change, deps.wallClock.nowMs(), io) : null,
    reads.audit(change.id, io),
  ]);
  return {
    ...operationBody(request, view),
    callerParty: change.callerParty,
    callerSubject: change.callerSubject,
    ...(doubt === null ? {} : { doubt: { ...doubt } as unknown as JsonRecord }),
    audit: audit.map(auditView),
  };
}

const CHANGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** The operation that the path names. */
async function changeIn(deps: HttpDeps, request: FastifyRequest, io: Io): Promise<Change> {
  const id = readId(request);
  const [change] = CHANGE_ID.test(id)
    ? await deps.store.reads.changesById([trusted<ChangeId>(id)], io)
    : [];
  if (change === undefined) return fail('OPERATION_NOT_FOUND', `no operation ${id}`);
  request.commandId = change.commandId;
  return change;
}

function registerReads(app: HttpApp, deps: HttpDeps): void {
  app.get(
    '/ops/in-doubt',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listInDoubt',
        summary: 'Operations that wait for a decision, oldest first, each with what is known of it',
        tags: [TAG],
        response: {
          200: listOf('OpsOperation', 'At most a hundred of them'),
          ...problems(401, 403, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const io = readIo(reply);
      const changes = await deps.store.reads.inDoubt(LIMITS.inDoubtListMax, io);
      const bodies: JsonRecord[] = [];
      for (const change of changes) bodies.push(await opsBody(deps, request, change, io));
      return reply.send(bodies);
    },
  );
  app.get(
    '/ops/alarms',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listAlarms',
        summary: 'Operations that have waited too long for one thing, the oldest alarm first',
        tags: [TAG],
        response: { 200: listOf('Alarm', 'At most a thousand'), ...problems(401, 403, 406, 503) },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) =>
      reply.send(await deps.alarms.list(LIMITS.alarmsMax, readIo(reply))),
  );
  app.get(
    `/${OPS_COMMANDS}/:id`,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'getOpsCommand',
        summary: 'One operation by its own id, whoever asked for it',
        tags: [TAG],
        params: IdParams,
        response: {
          200: plain('OpsOperation', 'The operation'),
          ...problems(400, 401, 403, 404, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const io = readIo(reply);
      return reply.send(await opsBody(deps, request, await changeIn(deps, request, io), io));
    },
  );
}

const DecideBody = Type.Object(
  {
    decision: Type.Unsafe<DoubtDecision>({ type: 'string', enum: [...DECISIONS] }),
    reason: Type.String({
      minLength: 1,
      maxLength: REASON_CHARS_MAX,
      examples: ['no update with its workflow ID between offsets 120 and 240'],
    }),
    updateId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: UPDATE_ID_CHARS_MAX,
        description: 'With `took-effect`: the update that it was',
      }),
    ),
  },
  { additionalProperties: false },
);

interface DecideBody {
  readonly decision: DoubtDecision;
  readonly reason: string;
  readonly updateId?: string;
}

function registerDecide(app: HttpApp, deps: HttpDeps): void {
  app.post(
    actionRoute(OPS_COMMANDS, 'decide'),
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'decideOpsCommand',
        summary: 'Record what a person has found about an operation in doubt, and go on with it',
        tags: [TAG],
        params: IdParams,
        'x-body-required': true,
        body: DecideBody,
        response: {
          200: plain('OpsOperation', 'The operation as it is now'),
          ...problems(400, 401, 403, 404, 406, 409, 413, 415, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { decision, reason, updateId } = request.body as DecideBody;
      if (updateId !== undefined && decision !== 'took-effect') {
        fail('REQUEST_INVALID', 'only what took effect has an update', {
          extra: { field: 'updateId' },
        });
      }
      const io: Io = {
        signal: new AbortController().signal,
        deadlineMs: LIMITS.databaseStatementMs,
      };
      const { id } = await changeIn(deps, request, io);
      const named = updateId === undefined ? {} : { updateId: trusted<UpdateId>(updateId) };
      const asked = { changeId: id, decision, reason, ...named };
      const change = await decideDoubt(deps, callerOf(request), asked, io);
      return reply.send(await opsBody(deps, request, change, io));
    },
  );
}

/** What operators see and do, for all parties. */
export async function registerOps(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (desk: HttpApp) => {
    desk.addHook('onRequest', requireOperator);
    registerReads(desk, deps);
    registerDecide(desk, deps);
  });
}
