import type { Static } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import type { ActPosition, BulkAct, BulkAction, BulkRequest } from '../../../app/desk/bulk-acts.ts';
import { BULK_ACTIONS, applyBulk, previewBulk } from '../../../app/desk/bulk-acts.ts';
import { DECISIONS } from '../../../app/desk/decide-doubt.ts';
import type { DoubtDecision } from '../../../app/desk/decide-doubt.ts';
import { isUuid } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { fail } from '../../../domain/problems.ts';
import {
  OPS_ACTS,
  OPS_OPERATIONS,
  actionRoute,
  collectionRoute,
  readId,
} from '../../kit/address.ts';
import { prefixOf } from '../../kit/public-address.ts';
import { PREVIEW_ONLY } from '../../kit/confirmation.ts';
import { readTimeAndId } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { registerDeskList } from './desk-list.ts';
import { opsScope } from './ops-access.ts';
import { reasonOf } from './ops-operation.ts';
import { OpsFilterBody, readOpsFilter } from './ops-filter.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo, lastingIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject } from '../../kit/schema.ts';
import { IdParams } from '../../schemas.ts';
import { orderOf } from '../../kit/list-query.ts';

const TAG = 'ops';

const PreviewBody = closedObject({
  action: Type.Unsafe<BulkAction>({ type: 'string', enum: [...BULK_ACTIONS] }),
  decision: Type.Optional(
    Type.Unsafe<DoubtDecision>({
      type: 'string',
      enum: [...DECISIONS],
      description: 'With `decide`',
    }),
  ),
  filter: OpsFilterBody,
  reason: reasonOf('the participant is back'),
});

type PreviewBody = Static<typeof PreviewBody>;

const ApplyBody = closedObject({
  token: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.bulkTokenCharsMax,
    description: 'The token of the preview',
  }),
  count: Type.Integer({ minimum: 0, description: 'The number of operations in the preview' }),
});

const StopBody = closedObject({ reason: reasonOf('the first ones failed again') });

function requestIn(deps: HttpDeps, { action, decision, filter, reason }: PreviewBody): BulkRequest {
  if ((decision !== undefined) !== (action === 'decide')) {
    invalid('decision', 'is required for decide, and not allowed for other actions');
  }
  const read = readOpsFilter(filter, deps.wallClock.nowMs());
  return { action, decision: decision ?? null, filter: read, reason };
}

const actBody = (act: BulkAct): JsonRecord => {
  const { decision, finishedAt, filter, ...rest } = act;
  return {
    ...rest,
    ...(decision === null ? {} : { decision }),
    filter: { ...filter },
    ...(finishedAt === null ? {} : { finishedAt }),
  };
};

function registerPreview(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', collectionRoute(OPS_OPERATIONS, 'preview'), {
    operationId: 'previewOpsOperations',
    summary: 'Preview a bulk action on all operations that match a filter',
    description:
      'Changes nothing. The token permits one `:apply` by the same operator, within minutes. An empty filter matches all operations that the operator sees.',
    tag: TAG,
    body: PreviewBody,
    reply: {
      200: plain(
        'BulkPreview',
        'The number of operations, and the reasons why others are left out',
      ),
    },
    problems: [400, 401, 403, 413, 415, 422, 503],
    harmless: PREVIEW_ONLY,
    handle: async (request, reply) => {
      const asked = requestIn(deps, request.body);
      const scope = opsScope(deps, request);
      const preview = await previewBulk(
        deps.bulkActs,
        callerOf(request),
        scope,
        asked,
        lastingIo(request),
      );
      const { count, token, expiresInMs, refused, sample } = preview;
      return reply.send({
        count,
        token,
        expiresAt: new Date(deps.wallClock.nowMs() + expiresInMs).toISOString(),
        refused: refused.map((one) => ({ ...one })),
        sample: sample.map(({ id, commandId, operation, lifecycleId, state, acceptedAt }) => ({
          id,
          commandId,
          operation,
          lifecycleId,
          state,
          acceptedAt,
        })),
      });
    },
  });
}

function registerApply(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', collectionRoute(OPS_OPERATIONS, 'apply'), {
    operationId: 'applyOpsOperations',
    summary: 'Apply a previewed bulk action to the number of operations in the preview',
    description:
      'The bulk action is recorded at once and processed at a limited rate, in order within each lane. Refused if the filter now matches another number of operations.',
    tag: TAG,
    body: ApplyBody,
    reply: { 202: plain('BulkAct', 'The recorded bulk action') },
    problems: [400, 401, 403, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const asked = request.body;
      const act = await applyBulk(deps.bulkActs, callerOf(request), asked, lastingIo(request));
      return reply
        .code(202)
        .header('location', `${prefixOf(request)}/${OPS_ACTS}/${act.id}`)
        .send(actBody(act));
    },
  });
}

function registerReads(app: HttpApp, deps: HttpDeps): void {
  registerDeskList(app, deps, {
    path: `/${OPS_ACTS}`,
    operationId: 'listActs',
    summary: 'List bulk actions',
    entry: 'BulkAct',
    inOrder: 'The newest first, unless `sort` says otherwise',
    statuses: [400, 401, 403, 406, 503],
    filter: { sort: sortOf('-appliedAt', 'appliedAt') },
    readKey(cursor): ActPosition {
      const [appliedAt, id] = readTimeAndId(cursor, isUuid);
      return { appliedAt, id };
    },
    keyOf: ({ appliedAt, id }) => [appliedAt, id],
    bodyOf: actBody,
    find: ({ scope, filter: { sort }, page, io }) =>
      deps.bulkActs.list({ scope, order: orderOf(sort), ...page }, io),
  });
  route(app, 'GET', `/${OPS_ACTS}/:id`, {
    operationId: 'getAct',
    summary: 'Read the progress of a bulk action, and the reasons of refusals',
    tag: TAG,
    params: IdParams,
    reply: { 200: plain('BulkAct', 'The act') },
    problems: [400, 401, 403, 404, 406, 503],
    handle: async (request, reply) => {
      const id = readId(request);
      const scope = opsScope(deps, request);
      const found = isUuid(id) ? await deps.bulkActs.find(id, scope, readIo(reply)) : null;
      if (found === null) return fail('NOT_FOUND', `bulk action ${id} does not exist`);
      const refusals = found.refused.map((one) => ({ ...one }));
      return reply.send({ ...actBody(found.act), refusals });
    },
  });
}

function registerStop(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_ACTS, 'stop'), {
    operationId: 'stopAct',
    summary: 'Stop a bulk action; processed operations stay as they are',
    tag: TAG,
    params: IdParams,
    body: StopBody,
    reply: { 200: plain('BulkAct', 'The act as it is now') },
    problems: [400, 401, 403, 404, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const id = readId(request);
      const { reason } = request.body;
      const why = { by: callerOf(request), reason };
      const scope = opsScope(deps, request);
      const act = isUuid(id) ? await deps.bulkActs.stop(id, scope, why, lastingIo(request)) : null;
      if (act === null) return fail('NOT_FOUND', `bulk action ${id} does not exist`);
      return reply.send(actBody(act));
    },
  });
}

/** Registers the routes by which operators act on many operations at once. */
export function registerBulk(app: HttpApp, deps: HttpDeps): void {
  registerPreview(app, deps);
  registerApply(app, deps);
  registerReads(app, deps);
  registerStop(app, deps);
}
