import { randomUUID } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import { newSecret } from '../../../domain/webhook-signature.ts';
import type { Party } from '../../../domain/ids.ts';
import { MAIL_TYPES } from '../../../domain/mail.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { NO_QUOTAS } from '../../../domain/quota.ts';
import type { Delivery, Webhook } from '../../../domain/webhook.ts';
import { WEBHOOKS, actionRoute, readId } from '../../kit/address.ts';
import { readDeliveryCursor } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { checkEventTypes } from '../events/event-query.ts';
import { TEST_EVENT } from '../events/event-schemas.ts';
import { invalid } from '../../kit/invalid.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import { listOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { IdParams } from '../../schemas.ts';
import { WebhookBody, WebhookPatchBody } from './webhook-schemas.ts';
import { orderOf } from '../../kit/list-query.ts';

const TAG = 'webhooks';
const PATH = `/${WEBHOOKS}`;

/** A webhook as its party reads it, without the secret. */
export const webhookBody = (webhook: Webhook): JsonRecord => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  contentType: webhook.contentType,
  enabled: webhook.disabledReason === null,
  disabledReason: webhook.disabledReason,
  failures: webhook.failures,
  failingSince: webhook.failingSince,
  createdAt: webhook.createdAt,
});

const deliveryBody = (delivery: Delivery): JsonRecord => ({
  id: delivery.id,
  messageId: delivery.messageId,
  type: delivery.type,
  payload: JSON.parse(delivery.body) as JsonRecord,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: delivery.createdAt,
  ...(delivery.state === 'pending' ? { dueAt: delivery.dueAt } : {}),
  ...(delivery.finishedAt === null ? {} : { finishedAt: delivery.finishedAt }),
  ...(delivery.last === null ? {} : { lastAttempt: { ...delivery.last } }),
});

/** Returns how many webhooks a party may have. A tenant's quota can only lower this; the provider has no quota. */
export function mostWebhooks(
  { quotas, hosting }: Pick<HttpDeps, 'quotas' | 'hosting'>,
  party: Party,
): number {
  const quota = party === hosting.provider ? 0 : (quotas ?? NO_QUOTAS).webhooks;
  return quota === 0 ? LIMITS.webhooksPerPartyMax : quota;
}

/** Checks the address of a target, and returns it in its stored form. @throws ProblemError if it is not allowed */
async function checkTarget(deps: HttpDeps, text: string, party: Party): Promise<string> {
  const url = text.length <= HTTP_LIMITS.webhookUrlCharsMax ? URL.parse(text) : null;
  if (url === null) return invalid('url', 'must be an address, https://…');
  if (url.username !== '' || url.password !== '') return invalid('url', 'must hold no password');
  const defect = await deps.targetDefect(url, party);
  if (defect === null) return url.href;
  return fail('WEBHOOK_TARGET_REFUSED', `nothing may be sent there: ${defect}`, {
    extra: { field: 'url' },
  });
}

/**
 * Returns the tenant whose removal also ends the caller's webhook; `null` for a tenant from the configuration. Reads
 * the database, because the caller may have been authenticated with data from before the tenant was removed.
 */
async function tenantOf(deps: HttpDeps, tenantId: string, io: Io): Promise<string | null> {
  const tenant = await deps.tenants.byId(tenantId, io);
  if (tenant === null) return fail('UNAUTHENTICATED', 'your tenant is not registered any more');
  return tenant.internal ? null : tenantId;
}

const notThere = (): never => fail('NOT_FOUND', 'no webhook of yours has this id');

async function webhookIn(deps: HttpDeps, request: FastifyRequest, io: Io) {
  const { party } = callerOf(request);
  return (await deps.webhooks.byId(readId(request), party, io)) ?? notThere();
}

/** Finds a webhook and requires that it is enabled, because a disabled one receives nothing. */
async function enabledIn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply) {
  const webhook = await webhookIn(deps, request, readIo(reply));
  if (webhook.disabledReason === null) return webhook;
  return fail('WEBHOOK_DISABLED', `it is disabled: ${webhook.disabledReason}`);
}

function registerCollection(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', PATH, {
    operationId: 'listWebhooks',
    summary: 'Your webhooks, the oldest first',
    tag: TAG,
    reply: { 200: listOf('Webhook', 'All of them') },
    problems: [401, 406, 503],
    handle: async (request, reply) => {
      const { party } = callerOf(request);
      return reply.send((await deps.webhooks.list(party, readIo(reply))).map(webhookBody));
    },
  });
  route(app, 'POST', PATH, {
    operationId: 'createWebhook',
    summary: 'Add a webhook, which receives your events',
    tag: TAG,
    reply: { 201: plain('Webhook', 'With its secret, which is shown this once') },
    problems: [400, 401, 409, 413, 415, 422, 503],
    description:
      'Each event is sent as a CloudEvent, signed as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.',
    body: WebhookBody,
    handle: async (request, reply) => {
      const { party, subject, tenantId: callersTenant } = callerOf(request);
      const asked = request.body;
      const types = checkEventTypes(asked.types ?? MAIL_TYPES[asked.url] ?? [], 'types');
      const url = await checkTarget(deps, asked.url, party);
      const tenantId = await tenantOf(deps, callersTenant, readIo(reply));
      const secret = newSecret();
      const id = `wh_${randomUUID().replaceAll('-', '')}`;
      const most = mostWebhooks(deps, party);
      const { contentType } = asked;
      const sent = contentType === undefined ? {} : { contentType };
      const added = await deps.webhooks.add(
        { id, party, createdBy: subject, url, types, secret, tenantId, most, ...sent },
        readIo(reply),
      );
      if (added === null) return fail('WEBHOOKS_LIMITED', `a party has at most ${most} webhooks`);
      request.log.info({ webhookId: id, party, subject }, 'a webhook was made');
      return reply.code(201).send({ ...webhookBody(added), secret });
    },
  });
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `${PATH}/:id`, {
    operationId: 'getWebhook',
    summary: 'One of your webhooks',
    tag: TAG,
    reply: { 200: plain('Webhook', 'The webhook') },
    problems: [400, 401, 404, 406, 503],
    params: IdParams,
    handle: async (request, reply) =>
      reply.send(webhookBody(await webhookIn(deps, request, readIo(reply)))),
  });
  route(app, 'DELETE', `${PATH}/:id`, {
    operationId: 'deleteWebhook',
    summary: 'Remove a webhook',
    tag: TAG,
    reply: { 204: { description: 'Gone', type: 'null' } },
    problems: [400, 401, 404, 503],
    params: IdParams,
    produces: null,
    handle: async (request, reply) => {
      const by = callerOf(request);
      if (!(await deps.webhooks.remove(readId(request), by, readIo(reply)))) notThere();
      return reply.code(204).send();
    },
  });
}

function registerPatch(app: HttpApp, deps: HttpDeps): void {
  route(app, 'PATCH', `${PATH}/:id`, {
    operationId: 'changeWebhook',
    summary: 'Change the address and the event types of a webhook, or enable or disable it',
    tag: TAG,
    reply: { 200: plain('Webhook', 'As it is now') },
    problems: [400, 401, 404, 413, 415, 422, 503],
    params: IdParams,
    body: WebhookPatchBody,
    handle: async (request, reply) => {
      const { url, types, enabled, contentType } = request.body;
      const { id, party } = await webhookIn(deps, request, readIo(reply));
      const patch = {
        ...(url === undefined ? {} : { url: await checkTarget(deps, url, party) }),
        ...(types === undefined ? {} : { types: checkEventTypes(types, 'types') }),
        ...(contentType === undefined ? {} : { contentType }),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
      };
      const changed = await deps.webhooks.patch(id, callerOf(request), patch, readIo(reply));
      return reply.send(webhookBody(changed ?? notThere()));
    },
  });
}

function registerActs(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(WEBHOOKS, 'rotate-secret'), {
    operationId: 'rotateWebhookSecret',
    summary: 'A new secret; the old one signs as well for a day',
    tag: TAG,
    reply: { 200: plain('Webhook', 'With its new secret, which is shown this once') },
    problems: [400, 401, 404, 503],
    params: IdParams,
    handle: async (request, reply) => {
      const webhook = await webhookIn(deps, request, readIo(reply));
      const secret = newSecret();
      const by = callerOf(request);
      const until = await deps.webhooks.rotate(webhook.id, by, secret, readIo(reply));
      const previousSecretUntil = until ?? notThere();
      return reply.send({ ...webhookBody(webhook), secret, previousSecretUntil });
    },
  });
  route(app, 'POST', actionRoute(WEBHOOKS, 'test'), {
    operationId: 'testWebhook',
    summary: 'Send something that is no event',
    tag: TAG,
    reply: { 202: plain('Delivery', 'It is on its way') },
    problems: [400, 401, 404, 409, 503],
    params: IdParams,
    handle: async (request, reply) => {
      const { id } = await enabledIn(deps, request, reply);
      const messageId = `test_${randomUUID().replaceAll('-', '')}`;
      const type = TEST_EVENT;
      const body = JSON.stringify({
        specversion: '1.0',
        id: messageId,
        source: `urn:tenure:${id}`,
        type,
        time: new Date(deps.wallClock.nowMs()).toISOString(),
        datacontenttype: 'application/json',
        data: {},
      });
      const message = { messageId, type, body };
      const by = callerOf(request);
      const delivery = await deps.webhooks.deliver(id, by, message, readIo(reply));
      if (delivery === null) {
        // The webhook may have been deleted since it was read.
        await enabledIn(deps, request, reply);
        return fail('WEBHOOK_TESTS_LIMITED', `${LIMITS.webhookTestsMax} tests of it wait already`);
      }
      return reply.code(202).send(deliveryBody(delivery));
    },
  });
}

function registerDeliveries(app: HttpApp, deps: HttpDeps): void {
  registerPagedList(app, deps, {
    path: `${PATH}/:id/deliveries`,
    tag: TAG,
    operationId: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    inOrder: 'The newest first, unless `sort` says otherwise',
    params: IdParams,
    entry: 'Delivery',
    statuses: [400, 401, 404, 406, 503],
    filter: { sort: sortOf('-createdAt', 'createdAt') },
    readKey: readDeliveryCursor,
    keyOf: ({ createdAt, id }) => [createdAt, id],
    bodyOf: deliveryBody,
    async find({ request, filter: { sort }, page, io }) {
      const { id } = await webhookIn(deps, request, io);
      return deps.webhooks.deliveries(id, { order: orderOf(sort), ...page }, io);
    },
  });
  route(app, 'POST', `${PATH}/:id/deliveries/:deliveryId/redeliver`, {
    operationId: 'redeliver',
    summary: 'Try it again at once, under the same message id',
    tag: TAG,
    reply: { 202: plain('Delivery', 'It is on its way') },
    problems: [400, 401, 404, 409, 503],
    params: Type.Object({ ...IdParams.properties, deliveryId: Type.String() }),
    handle: async (request, reply) => {
      const { deliveryId } = request.params;
      const { id } = await enabledIn(deps, request, reply);
      const delivery = await deps.webhooks.redeliver(
        id,
        deliveryId,
        callerOf(request),
        readIo(reply),
      );
      if (delivery === null) return fail('NOT_FOUND', 'no delivery of this webhook has this id');
      return reply.code(202).send(deliveryBody(delivery));
    },
  });
}

/** Registers the routes for the webhooks of the caller's own party. */
export function registerWebhooks(app: HttpApp, deps: HttpDeps): void {
  registerCollection(app, deps);
  registerOne(app, deps);
  registerPatch(app, deps);
  registerActs(app, deps);
  registerDeliveries(app, deps);
}
