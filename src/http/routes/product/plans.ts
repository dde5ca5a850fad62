import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { PlanChanged } from '../../../app/ports/plans.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { canonicalJson } from '../../../domain/json.ts';
import type { Plan, PlanTerms, PlanVersion } from '../../../domain/plan.ts';
import { isPlanId } from '../../../domain/plan.ts';
import { fail } from '../../../domain/problems.ts';
import { readId } from '../../kit/address.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { wordOf, sortOf } from '../../kit/filter-query.ts';
import { firstOf, registerPagedList } from '../../kit/paged-list.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { one } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { IdParams, PolicyHeaders } from '../../schemas.ts';
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

async function planIn(deps: HttpDeps, request: FastifyRequest, io: Io): Promise<Plan> {
  const { party } = callerOf(request);
  return (await deps.plans.byId(readId(request), party, io)) ?? notThere();
}

function readPlanKey(cursor: string): string {
  const [id] = parsed(cursor);
  return typeof id === 'string' && isPlanId(id) ? id : foreign();
}

function readVersion(cursor: string): number {
  const [version] = parsed(cursor);
  return typeof version === 'string' && /^[1-9]\d{0,8}$/u.test(version)
    ? Number(version)
    : foreign();
}

function registerLists(app: HttpApp, deps: HttpDeps): void {
  registerPagedList(app, deps, {
    path: PATH,
    tag: TAG,
    operationId: 'listPlans',
    summary: 'Your plans, each at its newest version',
    inOrder: 'By id',
    entry: 'Plan',
    filter: {
      sort: sortOf('id'),
      archived: wordOf('archived', ['true', 'false'], {
        description: '`true`: with those that are archived',
      }),
    },
    readKey: readPlanKey,
    keyOf: ({ id }: Plan) => [id],
    bodyOf: planBody,
    find({ request, filter: { archived }, page, io }) {
      const provider = callerOf(request).party;
      return deps.plans.list({ provider, withArchived: archived === 'true', ...page }, io);
    },
  });
  registerPagedList(app, deps, {
    path: `${PATH}/:id/versions`,
    tag: TAG,
    operationId: 'listPlanVersions',
    summary: 'All versions of a plan',
    inOrder: 'The newest first',
    params: IdParams,
    entry: 'PlanVersion',
    statuses: [400, 401, 403, 404, 406, 503],
    filter: { sort: sortOf('-version') },
    readKey: readVersion,
    keyOf: ({ version }: PlanVersion) => [String(version)],
    bodyOf: (each: PlanVersion, request) => ({ planId: readId(request), ...versionBody(each) }),
    async find({ request, page: { after, limit }, io }) {
      const { id } = await planIn(deps, request, io);
      const from = after === undefined ? undefined : after - 1;
      return firstOf(deps.plans.versions(id, callerOf(request).party, io, from), limit);
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
    handle: async (request, reply) => sendOne(reply, await planIn(deps, request, readIo(reply))),
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
      const before = await planIn(deps, request, readIo(reply));
      const kept = readTerms({ ...before.terms, ...request.body });
      if (isSame(before.terms, kept.terms) && asked?.includes(before.revision) !== false) {
        return sendOne(reply, before);
      }
      // The new terms are based on this revision of the plan, so no other revision may be overwritten.
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

/** Registers the routes of the provider's plans. They need `policy`, because offers follow a plan's terms. */
export async function registerPlans(app: HttpApp, deps: HttpDeps): Promise<void> {
  registerLists(app, deps);
  registerOne(app, deps);
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'policy');
    registerAdd(own, deps);
    registerChange(own, deps);
    registerArchive(own, deps);
  });
}
