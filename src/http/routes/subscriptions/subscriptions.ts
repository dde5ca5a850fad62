import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasRole } from '../../../app/engine/lanes/allowed.ts';
import type { Io } from '../../../app/ports/io.ts';
import { planOf } from '../../../app/subscriptions/gather.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { LifecycleId, Party } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { fail, failVersion } from '../../../domain/problems.ts';
import type { Subscription, SubscriptionTerms } from '../../../domain/subscription.ts';
import { contractRoute } from '../../kit/address.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { invalid } from '../../kit/invalid.ts';
import { member, one as oneText, text, sortOf } from '../../kit/filter-query.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { entityTag, readIfMatch } from '../../kit/request-headers.ts';
import { LICENSES } from '../../kit/resources.ts';
import { one } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { ContractParams, PolicyHeaders } from '../../schemas.ts';
import { findVisible, ledgerTimes } from '../lifecycles/lifecycle-reads.ts';
import { DEFAULT_RENEWAL, readOfferBefore } from '../product/plan-terms.ts';
import { registerLicenseActs } from './license-acts.ts';
import { namesOf, subscriptionBody } from './subscription-body.ts';
import { SubscriptionBody } from './subscription-schemas.ts';

const TAG = 'subscriptions';
const ADDRESS = contractRoute(LICENSES.path, '/subscription');

const DEFAULTS = { planId: null, ...DEFAULT_RENEWAL } as const;

const notThere = (): never => fail('NOT_FOUND', 'the licence does not renew itself');

function readTerms(body: SubscriptionBody): SubscriptionTerms {
  const { planId, offerBefore, tries, endUnpaid } = { ...DEFAULTS, ...body };
  return { planId, offerBeforeMs: readOfferBefore(offerBefore), tries, endsUnpaid: endUnpaid };
}

async function send(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  subscription: Subscription,
  io: Io,
): Promise<FastifyReply> {
  const { nowMs } = await ledgerTimes(deps, request, io);
  const nameOf = await namesOf(deps, callerOf(request).party, [subscription], io);
  const body = await subscriptionBody(deps, subscription, nameOf(subscription), nowMs, io);
  return reply.header('etag', entityTag(subscription.version)).send(body);
}

const licenseIn = async (deps: HttpDeps, request: FastifyRequest, io: Io): Promise<Lifecycle> =>
  (await findVisible(deps, LICENSES, request, io)).lifecycle;

/** Returns a list with the subscription of one licence; empty if the party is not a party of the licence. */
async function ofLicense(deps: HttpDeps, party: Party, license: LifecycleId, io: Io) {
  const found = await deps.subscriptions.of(license, io);
  return found !== null && [found.provider, found.appUser].includes(party) ? [found] : [];
}

interface ShownSubscription {
  readonly row: Subscription;
  readonly body: JsonRecord;
}

/** Returns the subscriptions of one page, each with its state, which is computed from several reads. */
async function shownOf(
  deps: HttpDeps,
  request: FastifyRequest,
  rows: readonly Subscription[],
  io: Io,
): Promise<readonly ShownSubscription[]> {
  const { nowMs } = await ledgerTimes(deps, request, io);
  const nameOf = await namesOf(deps, callerOf(request).party, rows, io);
  return Promise.all(
    rows.map(async (row) => ({
      row,
      body: await subscriptionBody(deps, row, nameOf(row), nowMs, io),
    })),
  );
}

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerPagedList(app, deps, {
    path: '/subscriptions',
    tag: TAG,
    operationId: 'listSubscriptions',
    summary: 'Licences of the caller that renew themselves, with their offers',
    inOrder: 'Ordered by the ID of the licence',
    entry: 'Subscription',
    statuses: [400, 401, 406, 503],
    filter: {
      sort: sortOf('licenseId'),
      licenseId: member(
        'licenseId',
        text('Only that of this licence', 'license-a1b2c3d4e5f60718293a'),
        oneText,
      ),
    },
    pageSize: HTTP_LIMITS.subscriptionPageSize,
    pageSizeMax: HTTP_LIMITS.subscriptionPageSize,
    readKey,
    keyOf: ({ row }: ShownSubscription) => [row.licenseId],
    bodyOf: ({ body }: ShownSubscription) => body,
    async find({ request, filter: { licenseId }, page, io }) {
      const { party } = callerOf(request);
      const rows =
        licenseId === undefined
          ? await deps.subscriptions.page({ party, ...page }, io)
          : await ofLicense(deps, party, trusted<LifecycleId>(licenseId), io);
      return shownOf(deps, request, rows, io);
    },
    async count({ request, filter: { licenseId }, io }) {
      const { party } = callerOf(request);
      if (licenseId === undefined) return deps.subscriptions.count(party, io);
      const rows = await ofLicense(deps, party, trusted<LifecycleId>(licenseId), io);
      return { count: rows.length, more: false };
    },
  });

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', ADDRESS, {
    operationId: 'getSubscription',
    summary: 'How a licence renews itself, and its open and next offer',
    tag: TAG,
    params: ContractParams,
    reply: { 200: one('Subscription', 'The subscription') },
    problems: [400, 401, 404, 406, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const { id } = await licenseIn(deps, request, io);
      const found = (await deps.subscriptions.of(id, io)) ?? notThere();
      return send(deps, request, reply, found, io);
    },
  });
}

function readKey(cursor: string): LifecycleId {
  const [id] = parsed(cursor);
  return typeof id === 'string' && id !== '' ? (id as LifecycleId) : foreign();
}

/** Registers the route that sets a subscription. It needs `policy`, because subscriptions ask a user for money. */
function registerSet(app: HttpApp, deps: HttpDeps): void {
  route(app, 'PUT', ADDRESS, {
    operationId: 'setSubscription',
    summary: 'Let a licence renew itself, as its provider',
    description:
      'Members that are left out have their defaults. Ends a cancellation. An open offer keeps its price.',
    tag: TAG,
    params: ContractParams,
    headers: PolicyHeaders,
    needsBody: false,
    body: SubscriptionBody,
    reply: { 200: one('Subscription', 'The subscription as it is now') },
    problems: [400, 401, 403, 404, 409, 412, 413, 415, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const by = callerOf(request);
      const lifecycle = await licenseIn(deps, request, io);
      if (!hasRole(lifecycle, 'provider', by.party)) {
        return fail('FORBIDDEN', 'only the provider may let this License renew itself');
      }
      if (lifecycle.endedAt !== null) {
        return fail('LIFECYCLE_ENDED', `the licence has ended: ${lifecycle.state}`);
      }
      const { id: licenseId, provider, appUser } = lifecycle;
      const terms = readTerms(request.body);
      const plan = await planOf(deps, { licenseId, provider, planId: terms.planId }, io);
      if (plan === null) {
        const why = terms.planId === null ? 'is required: the licence has no plan' : 'is no plan';
        return invalid('planId', `${why} of yours`);
      }
      const asked = readIfMatch(request.headers['if-match']);
      const of = { licenseId, provider, appUser };
      const set = await deps.subscriptions.set(of, terms, asked, by, io);
      if (set !== null) return send(deps, request, reply, set, io);
      const current = await deps.subscriptions.of(licenseId, io);
      return failVersion('subscription', current?.version ?? 0, asked ?? []);
    },
  });
}

function registerCancel(app: HttpApp, deps: HttpDeps): void {
  route(app, 'DELETE', ADDRESS, {
    operationId: 'cancelSubscription',
    summary: 'Cancel a subscription at the end of its period, as the user or the provider',
    description:
      'An open offer without an allocation is withdrawn. Money that is set aside already waits for the provider.',
    tag: TAG,
    params: ContractParams,
    reply: { 200: one('Subscription', 'The subscription as it is now') },
    problems: [400, 401, 404, 503],
    handle: async (request, reply) => {
      const io = readIo(reply);
      const { id } = await licenseIn(deps, request, io);
      const found = (await deps.subscriptions.cancel(id, callerOf(request), io)) ?? notThere();
      return send(deps, request, reply, found, io);
    },
  });
}

/** Registers the routes of subscriptions, by which licences renew themselves. */
export async function registerSubscriptions(app: HttpApp, deps: HttpDeps): Promise<void> {
  registerList(app, deps);
  registerOne(app, deps);
  registerCancel(app, deps);
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'policy');
    registerSet(own, deps);
    registerLicenseActs(own, deps);
  });
}
