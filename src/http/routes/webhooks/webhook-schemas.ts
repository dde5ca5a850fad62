import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import type { ContentType } from '../../../domain/webhook.ts';
import { CONTENT_TYPES } from '../../../domain/webhook.ts';
import { SECRET_SHOWN } from '../../kit/bodies.ts';
import { HTTP_LIMITS } from '../../limits.ts';

/* Schemas of webhooks in requests and answers: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

const url = Type.String({
  description: `Where events are sent, https, at most ${HTTP_LIMITS.webhookUrlCharsMax} characters; or mailto:customers: a provider's customers get mails about their licences`,
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

export const Webhook = Type.Object(
  {
    id: Type.String({ examples: ['wh_5e0fd54fdd1c4d7f'] }),
    url,
    types,
    contentType,
    enabled: Type.Boolean(),
    disabledReason: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    failures: Type.Integer({ description: 'In a row; tries at the same time count as one' }),
    failingSince: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    createdAt: Type.String(),
    secret: Type.Optional(
      Type.String({ description: 'Shown when it is made, and never again', examples: ['whsec_…'] }),
    ),
    secretShown: SECRET_SHOWN,
    previousSecretUntil: Type.Optional(
      Type.String({ description: 'Until then what was the secret signs as well' }),
    ),
  },
  { $id: 'Webhook', ...open },
);

export const Delivery = Type.Object(
  {
    id: Type.String(),
    messageId: Type.String({
      description: 'Header webhook-id, the same with every attempt',
      examples: ['evt_121'],
    }),
    type: Type.String({ examples: ['tenure.operation.succeeded'] }),
    payload: Type.Unsafe<unknown>({
      type: 'object',
      additionalProperties: true,
      description: 'What is sent: a CloudEvent',
    }),
    state: Type.Unsafe<string>({ type: 'string', enum: ['pending', 'delivered', 'failed'] }),
    attempts: Type.Integer(),
    createdAt: Type.String(),
    dueAt: Type.Optional(Type.String({ description: 'When it is tried next' })),
    finishedAt: Type.Optional(Type.String()),
    lastAttempt: Type.Optional(
      Type.Object(
        {
          at: Type.String(),
          ms: Type.Integer(),
          status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
          error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
        },
        open,
      ),
    ),
  },
  { $id: 'Delivery', ...open },
);

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
  enabled: Type.Optional(
    Type.Boolean({ description: 'true: forgets that it has failed, and goes on with what waits' }),
  ),
});
export type WebhookPatchBody = Static<typeof WebhookPatchBody>;
