import { randomUUID } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Io } from '../../../app/ports/io.ts';
import type { DeliveryKey } from '../../../app/ports/webhooks.ts';
import { newSecret } from '../../../domain/webhook-signature.ts';
import type { Party } from '../../../domain/ids.ts';
import { MAIL_TARGET, MAIL_TYPES } from '../../../domain/mail.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { NO_QUOTAS } from '../../../domain/quota.ts';
import type { Delivery, Webhook } from '../../../domain/webhook.ts';
import { WEBHOOKS, actionRoute, readId } from '../../kit/address.ts';
import { readDeliveryCursor, writeDeliveryCursor } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { checkEventTypes } from '../events/event-query.ts';
import { TEST_EVENT } from '../events/event-schemas.ts';
import { invalid } from '../../kit/invalid.ts';
import { readPaging } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo } from '../../kit/request-context.ts';
import type { ProblemStatus } from '../../kit/responses.ts';
import { listOf, pageOf, plain, problems } from '../../kit/responses.ts';
import { IdParams, PagingQuery } from '../../schemas.ts';
import { WebhookBody, WebhookPatchBody } from './webhook-schemas.ts';
import { fillBody } from '../lifecycles/writes.ts';

const TAG = 'webhooks';
const PATH = `/${WEBHOOKS}`;

/** A webhook for its party, without the secret. */
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

/** A quota can only lower the limit, and the provider has none. */
export function mostWebhooks(
  { quotas, hosting }: Pick<HttpDeps, 'quotas' | 'hosting'>,
  party: Party,
): number {
  const quota = party === hosting.provider ? 0 : (quotas ?? NO_QUOTAS).webhooks;
  return quota === 0 ? LIMITS.webhooksPerPartyMax : quota;
}

/** @returns the address in its stored form */
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
 * Returns the tenant whose removal ends a webhook of the caller; `null` for a tenant of the configuration. Reads the
 * database, because the caller's authentication may have used data from before the tenant was removed.
 */
async function tenantOf(deps: HttpDeps, tenantId: string, io: Io): Promise<string | null> {
  const tenant = await deps.tenants.byId(tenantId, io);
  if (tenant === null) return fail('UNAUTHENTICATED', 'your tenant is not registered any more');
  return tenant.internal ? null : tenantId;
}

const notThere = (): never => fail('NOT_FOUND', 'no webhook of yours has this id');

async function webhookIn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply) {
  const { party } = callerOf(request);
  return (await deps.webhooks.byId(readId(request), party, readIo(reply))) ?? notThere();
}

/** Finds the webhook and requires that it is enabled, since a disabled one receives nothing. */
async function enabledIn(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply) {
  const webhook = await webhookIn(deps, request, reply);
  if (webhook.disabledReason === null) return webhook;
  return fail('WEBHOOK_DISABLED', `it is disabled: ${webhook.disabledReason}`);
}

const schemaOf = (
  operationId: string,
  summary: string,
  response: object,
  ...more: readonly ProblemStatus[]
) => ({
  operationId,
  summary,
  tags: [TAG],
  response: { ...response, ...problems(401, 503, ...more) },
});

function registerCollection(app: HttpApp, deps: HttpDeps): void {
  app.get(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: schemaOf(
        'listWebhooks',
        'Your webhooks, the oldest first',
        { 200: listOf('Webhook', 'All of them') },
        406,
      ),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { party } = callerOf(request);
      return reply.send((await deps.webhooks.list(party, readIo(reply))).map(webhookBody));
    },
  );
  app.post(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'createWebhook',
          'Be told of your events',
          { 201: plain('Webhook', 'With its secret, which is shown this once') },
          400,
          409,
          413,
          415,
          422,
        ),
        description:
          'Each event is sent as a CloudEvent, signed as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.',
        'x-body-required': true,
        body: WebhookBody,
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { party, subject, tenantId: callersTenant } = callerOf(request);
      const asked = request.body as WebhookBody;
      const ofMail = asked.url === MAIL_TARGET ? MAIL_TYPES : [];
      const types = checkEventTypes(asked.types ?? ofMail, 'types');
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
  );
}

function registerOne(app: HttpApp, deps: HttpDeps): void {
  app.get(
    `${PATH}/:id`,
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'getWebhook',
          'One of your webhooks',
          { 200: plain('Webhook', 'The webhook') },
          400,
          404,
          406,
        ),
        params: IdParams,
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) =>
      reply.send(webhookBody(await webhookIn(deps, request, reply))),
  );
  app.delete(
    `${PATH}/:id`,
    {
      config: { produces: null },
      schema: {
        ...schemaOf(
          'deleteWebhook',
          'Be told of nothing more',
          { 204: { description: 'Gone', type: 'null' } },
          400,
          404,
        ),
        params: IdParams,
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const by = callerOf(request);
      if (!(await deps.webhooks.remove(readId(request), by, readIo(reply)))) notThere();
      return reply.code(204).send();
    },
  );
}

function registerPatch(app: HttpApp, deps: HttpDeps): void {
  app.patch(
    `${PATH}/:id`,
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'changeWebhook',
          'Change where it leads, what it is told of, and whether',
          { 200: plain('Webhook', 'As it is now') },
          400,
          404,
          413,
          415,
          422,
        ),
        params: IdParams,
        'x-body-required': true,
        body: WebhookPatchBody,
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { url, types, enabled, contentType } = request.body as WebhookPatchBody;
      const { id, party } = await webhookIn(deps, request, reply);
      const patch = {
        ...(url === undefined ? {} : { url: await checkTarget(deps, url, party) }),
        ...(types === undefined ? {} : { types: checkEventTypes(types, 'types') }),
        ...(contentType === undefined ? {} : { contentType }),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
      };
      const changed = await deps.webhooks.patch(id, callerOf(request), patch, readIo(reply));
      return reply.send(webhookBody(changed ?? notThere()));
    },
  );
}

function registerActs(app: HttpApp, deps: HttpDeps): void {
  app.post(
    actionRoute(WEBHOOKS, 'rotate-secret'),
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'rotateWebhookSecret',
          'A new secret; the old one signs as well for a day',
          { 200: plain('Webhook', 'With its new secret, which is shown this once') },
          400,
          404,
        ),
        params: IdParams,
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const webhook = await webhookIn(deps, request, reply);
      const secret = newSecret();
      const by = callerOf(request);
      const until = await deps.webhooks.rotate(webhook.id, by, secret, readIo(reply));
      const previousSecretUntil = until ?? notThere();
      return reply.send({ ...webhookBody(webhook), secret, previousSecretUntil });
    },
  );
  app.post(
    actionRoute(WEBHOOKS, 'test'),
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'testWebhook',
          'Send something that is no event',
          { 202: plain('Delivery', 'It is on its way') },
          400,
          404,
          409,
        ),
        params: IdParams,
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
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
  );
}

function registerDeliveries(app: HttpApp, deps: HttpDeps): void {
  app.get(
    `${PATH}/:id/deliveries`,
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'listDeliveries',
          'What became of what it was told, the newest first',
          { 200: pageOf('Delivery', 'A page of them') },
          400,
          404,
          406,
        ),
        params: IdParams,
        querystring: PagingQuery,
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const paging = readPaging<DeliveryKey>(request.query as JsonRecord, readDeliveryCursor);
      const { id } = await webhookIn(deps, request, reply);
      const limit = paging.limit ?? HTTP_LIMITS.deliveriesPageSize;
      const query = { ...paging, limit: limit + 1 };
      const found = await deps.webhooks.deliveries(id, query, readIo(reply));
      return sendPage(request, reply, {
        found,
        limit,
        cursorOf: writeDeliveryCursor,
        bodyOf: deliveryBody,
      });
    },
  );
  app.post(
    `${PATH}/:id/deliveries/:deliveryId/redeliver`,
    {
      config: { produces: 'application/json' },
      schema: {
        ...schemaOf(
          'redeliver',
          'Try it again at once, under the same message id',
          { 202: plain('Delivery', 'It is on its way') },
          400,
          404,
          409,
        ),
        params: Type.Object({ ...IdParams.properties, deliveryId: Type.String() }),
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { deliveryId } = request.params as { readonly deliveryId: string };
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
  );
}

/** The webhooks of the caller's own party. */
export function registerWebhooks(app: HttpApp, deps: HttpDeps): void {
  registerCollection(app, deps);
  registerOne(app, deps);
  registerPatch(app, deps);
  registerActs(app, deps);
  registerDeliveries(app, deps);
}
