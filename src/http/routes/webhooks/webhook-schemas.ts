import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { ContentType } from '../../../domain/webhook.ts';
import { CONTENT_TYPES } from '../../../domain/webhook.ts';
import { SECRET_SHOWN } from '../../kit/bodies.ts';
import {
  component,
  openObject,
  optionalBoolean,
  optionalText,
  words,
  nullableText,
} from '../../kit/schema.ts';
import { HTTP_LIMITS } from '../../limits.ts';

/* Schemas of webhooks in requests and answers: see `schemas.ts`. */

const url = Type.String({
  description: `Where events are sent, https, at most ${HTTP_LIMITS.webhookUrlCharsMax} characters; or mailto:customers: a provider's customers get mails about their licences; or mailto:operators: the operators get mails about alarms`,
  examples: ['https://example.org/hooks/tenure'],
});
const types = Type.Array(Type.String(), {
  description: 'Types of events, also tenure.operation.* and the like; none: all',
  examples: [['tenure.operation.succeeded', 'tenure.lifecycle.*']],
});

const contentType = Type.Unsafe<ContentType>({
  type: 'string',
  enum: [...CONTENT_TYPES],
  description: 'The media type that deliveries are sent with; the body is a CloudEvent with either',
});

export const Webhook = component('Webhook', {
  id: Type.String({ examples: ['wh_5e0fd54fdd1c4d7f'] }),
  url,
  types,
  contentType,
  enabled: Type.Boolean(),
  disabledReason: nullableText(),
  failures: Type.Integer({ description: 'In a row; tries at the same time count as one' }),
  failingSince: nullableText(),
  createdAt: Type.String(),
  secret: optionalText('Shown when it is made, and never again', 'whsec_…'),
  secretShown: SECRET_SHOWN,
  previousSecretUntil: optionalText('Until then what was the secret signs as well'),
});

export const Delivery = component('Delivery', {
  id: Type.String(),
  messageId: Type.String({
    description: 'Header webhook-id, the same with every attempt',
    examples: ['evt_121'],
  }),
  type: Type.String({ examples: ['tenure.operation.succeeded'] }),
  payload: Type.Unsafe<unknown>({
    type: 'object',
    additionalProperties: true,
    description: 'The event that is sent: a CloudEvent',
  }),
  state: words(['pending', 'delivered', 'failed']),
  attempts: Type.Integer(),
  createdAt: Type.String(),
  dueAt: optionalText('When it is tried next'),
  finishedAt: optionalText(),
  lastAttempt: Type.Optional(
    openObject({
      at: Type.String(),
      ms: Type.Integer(),
      status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      error: nullableText(),
    }),
  ),
});

export const WebhookBody = Type.Object({
  url,
  types: Type.Optional(types),
  contentType: Type.Optional({ ...contentType, default: CONTENT_TYPES[0] }),
});
export type WebhookBody = Static<typeof WebhookBody>;

export const WebhookPatchBody = Type.Object({
  url: Type.Optional(url),
  types: Type.Optional(types),
  contentType: Type.Optional(contentType),
  enabled: optionalBoolean('true: resets the count of failures, and resumes waiting deliveries'),
});
export type WebhookPatchBody = Static<typeof WebhookPatchBody>;
