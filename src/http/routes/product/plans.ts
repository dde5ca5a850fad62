import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PlanChanged } from '../../../app/ports/plans.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { canonicalJson } from '../../../domain/json.ts';
import type { Plan, PlanTerms, PlanVersion } from '../../../domain/plan.ts';
import { isPlanId } from '../../../domain/plan.ts';
import { fail } from '../../../domain/problems.ts';
import { readId } from '../../kit/address.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readOneOf, readPaging } from '../../kit/list-query.ts';
import { answerArray, sendPage } from '../../kit/listing.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { listOf, one, pageOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { PagingQuery, IdParams, PolicyHeaders } from '../../schemas.ts';
import { DEFAULT_TERMS, readTerms } from './plan-terms.ts';
import { PlanBody, PlanPatchBody } from './product-schemas.ts';

const PATH = '/plans';
const TAG = 'plans';

const versionBody = ({ version, terms, createdAt, archivedAt }: PlanVersion): JsonRecord => ({
  version,
  ...terms,
  entitlements: { ...terms.entitlements },
  renews: terms.renews == null ? null : { ...terms.renews },
  createdAt,
  archivedAt,
});

const planBody = (plan: Plan): JsonRecord => ({
  id: plan.id,
  revision: plan.revision,
  ...versionBody(plan),
});

const notThere = (): never => fail('NOT_FOUND', 'no plan of yours has this id');

const sendOne = (reply: FastifyReply, plan: Plan, status = 200): FastifyReply =>
  reply.code(status).header('etag', entityTag(plan.revision)).send(planBody(plan));

function sendChanged(reply: FastifyReply, changed: PlanChanged): FastifyReply {
  if (changed === null) return notThere();
  if (!('isAt' in changed)) return sendOne(reply, changed);
  return fail('PRECONDITION_FAILED', `the plan is at revision ${changed.isAt}`, {
    extra: { version: changed.isAt },
  });
}

async function planIn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): Promise<Plan> {
  const { party } = callerOf(request);
  return (await deps.plans.byId(readId(request), party, readIo(reply))) ?? notThere();
}

function readKey(cursor: string): string {
  const [id] = parsed(cursor);
  return typeof id === 'string' && isPlanId(id) ? id : foreign();
}

function registerList(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', PATH, {
    operationId: 'listPlans',
    summary: 'Your plans, each at its newest version',
    tag: TAG,
    query: Type.Object({
      ...PagingQuery.properties,
      archived: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: ['true', 'false'],
          description: '`true`: with those that are archived',
        }),
      ),
    }),
    reply: { 200: pageOf('Plan', 'By id') },
    problems: [400, 401, 403, 406, 503],
    handle: async (request, reply) => {
      const raw = request.query;
      const { limit: asked, ...position } = readPaging(raw, readKey);
      const limit = asked ?? HTTP_LIMITS.productPageSize;
      const withArchived = readOneOf(raw, 'archived', ['true', 'false']) === 'true';
      const provider = callerOf(request).party;
      const query = { provider, withArchived, ...position, limit: limit + 1 };
      const found = await deps.plans.list(query, readIo(reply));
      const cursorOf = ({ id }: Plan): string => written([id]);
      return sendPage(request, reply, { found, limit, cursorOf, bodyOf: planBody });
    },
  });
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `${PATH}/:id`, {
    operationId: 'getPlan',
    summary: 'One of your plans, at its newest version',
    tag: TAG,
    params: IdParams,
    reply: { 200: one('Plan', 'The plan') },
    problems: [400, 401, 403, 404, 406, 503],
    handle: async (request, reply) => sendOne(reply, await planIn(deps, request, reply)),
  });
  route(app, 'GET', `${PATH}/:id/versions`, {
    operationId: 'listPlanVersions',
    summary: 'All versions of a plan',
    tag: TAG,
    params: IdParams,
    reply: { 200: listOf('PlanVersion', 'The newest first') },
    problems: [400, 401, 403, 404, 406, 503],
    handle: async (request, reply) => {
      const { id } = await planIn(deps, request, reply);
      return answerArray(
        deps.plans.versions(id, callerOf(request).party, readIo(reply)),
        async (versions) => versions.map((each) => ({ planId: id, ...versionBody(each) })),
        reply,
      );
    },
  });
}

function registerAdd(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', PATH, {
    operationId: 'addPlan',
    summary: 'Sell something',
    tag: TAG,
    body: PlanBody,
    reply: { 201: one('Plan', 'The plan, at version 1') },
    problems: [400, 401, 403, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const { id, ...given } = request.body;
      const kept = readTerms({ ...DEFAULT_TERMS, ...given });
      const added = await deps.plans.add(id, kept, callerOf(request), readIo(reply));
      if (added === null) return fail('ALREADY_EXISTS', `you have a plan ${id}`);
      return sendOne(reply, added, 201);
    },
  });
}

const isSame = (before: PlanTerms, after: PlanTerms): boolean =>
  canonicalJson({ ...before }) === canonicalJson({ ...after });

function registerChange(app: HttpApp, deps: HttpDeps): void {
  route(app, 'PATCH', `${PATH}/:id`, {
    operationId: 'changePlan',
    summary: 'Make another version of a plan; members that are left out stay',
    description:
      'Licences keep the version under which they were sold. A change that changes nothing makes no version.',
    tag: TAG,
    params: IdParams,
    headers: PolicyHeaders,
    body: PlanPatchBody,
    reply: { 200: one('Plan', 'The plan at its newest version') },
    problems: [400, 401, 403, 404, 412, 413, 415, 503],
    handle: async (request, reply) => {
      const asked = readIfMatch(request.headers['if-match']);
      const before = await planIn(deps, request, reply);
      const kept = readTerms({ ...before.terms, ...request.body });
      if (isSame(before.terms, kept.terms) && asked?.includes(before.revision) !== false) {
        return sendOne(reply, before);
      }
      // The terms are based on this revision: another revision must not be overwritten.
      const revisions = asked ?? [before.revision];
      const by = callerOf(request);
      const changed = await deps.plans.change(before.id, kept, by, revisions, readIo(reply));
      return sendChanged(reply, changed);
    },
  });
}

function registerArchive(app: HttpApp, deps: HttpDeps): void {
  for (const verb of ['archive', 'restore'] as const) {
    route(app, 'POST', `${PATH}/:id/${verb}`, {
      operationId: `${verb}Plan`,
      summary: verb === 'archive' ? 'Sell a plan no more' : 'Sell an archived plan again',
      tag: TAG,
      params: IdParams,
      headers: PolicyHeaders,
      reply: { 200: one('Plan', 'The plan') },
      problems: [400, 401, 403, 404, 412, 503],
      handle: async (request, reply) => {
        const asked = readIfMatch(request.headers['if-match']);
        const by = callerOf(request);
        const id = readId(request);
        const isArchived = verb === 'archive';
        const changed = await deps.plans.archive(id, isArchived, by, asked, readIo(reply));
        return sendChanged(reply, changed);
      },
    });
  }
}

/** The plans of the provider. The terms of a plan bind offers, so changes need the permission of policies. */
export async function registerPlans(app: HttpApp, deps: HttpDeps): Promise<void> {
  registerList(app, deps);
  registerOne(app, deps);
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'policy');
    registerAdd(own, deps);
    registerChange(own, deps);
    registerArchive(own, deps);
  });
}
