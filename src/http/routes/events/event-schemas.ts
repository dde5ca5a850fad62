import { Type } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import { CHANGE_STATES, WAITS } from '../../../domain/change.ts';
import type { EventType } from '../../../domain/event.ts';
import { EVENT_TYPES } from '../../../domain/event.ts';
import { LIFECYCLE_KINDS, OPERATIONS } from '../../../domain/licensing.ts';
import { PROBLEMS } from '../../../domain/problems.ts';
import {
  alarmSeverity,
  component,
  openObject,
  optionalInteger,
  optionalText,
  nullableText,
} from '../../kit/schema.ts';

/* A schema for each type of event, for the OpenAPI document. Both the deliveries of webhooks and the stream use it. */

const oneOf = (words: readonly string[], description?: string) =>
  Type.Unsafe<string>({
    type: 'string',
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  });

const party = Type.String({ examples: ['app_provider_quickstart-root-1::1220f5d3'] });
const lifecycleId = Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] });
const instant = Type.String({ examples: ['2030-01-31T12:00:00.000000Z'] });

const OperationEventData = component('OperationEventData', {
  operationId: Type.String(),
  commandId: Type.String({ examples: ['accept-1'] }),
  operation: oneOf(OPERATIONS),
  state: oneOf(CHANGE_STATES),
  lifecycleId: Type.Optional(lifecycleId),
  code: Type.Optional(oneOf(Object.keys(PROBLEMS), 'Of a failure')),
  ledgerCode: optionalText('Of a refusal of the ledger'),
  waitingFor: Type.Optional(oneOf(WAITS, 'While it is retried')),
});

const LifecycleEventData = component('LifecycleEventData', {
  lifecycleId,
  kind: oneOf(LIFECYCLE_KINDS),
  state: Type.String({ examples: ['active'] }),
  version: Type.Integer({ minimum: 1 }),
  contractId: Type.String(),
  provider: party,
  user: party,
  licenseLifecycleId: optionalText('The licence of a renewal'),
  licenseNum: Type.Optional(Type.String({ examples: ['1'] })),
  expiresAt: Type.Optional(instant),
});

const SuspensionEventData = component('SuspensionEventData', {
  lifecycleId,
  reference: Type.String({ examples: ['ACME-0007'] }),
  provider: party,
  user: party,
  suspended: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: { at: { type: 'string' }, reason: { type: 'string' } },
    description: '`null` once the licence is reinstated',
  }),
});

const ReminderEventData = component('ReminderEventData', {
  licenseId: Type.Optional(lifecycleId),
  licenseNum: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  provider: party,
  user: party,
  expiresAt: Type.Optional(instant),
  daysBefore: optionalInteger('Of a licence that expires soon'),
  renewalId: optionalText('Of an unpaid renewal'),
  settleBefore: Type.Optional(instant),
});

const price = {
  fee: Type.String({ description: 'A decimal as text', examples: ['100.0'] }),
  instrument: Type.String({ examples: ['Amulet'] }),
  period: Type.String({ description: 'ISO 8601', examples: ['P1M'] }),
};

const PriceEventData = component('PriceEventData', {
  licenseId: lifecycleId,
  provider: party,
  user: party,
  plan: openObject({ id: Type.String(), version: Type.Integer() }),
  ...price,
  before: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: price,
    additionalProperties: true,
    description: 'The price under which the licence lasts; `null` if it has no plan',
  }),
});

const AlarmEventData = component('AlarmEventData', {
  operationId: Type.String(),
  commandId: Type.String({ examples: ['accept-1'] }),
  operation: oneOf(OPERATIONS),
  provider: party,
  kind: oneOf(WAITS, 'The cause of the operation’s wait'),
  severity: alarmSeverity,
  since: Type.String({
    description: 'When it began to wait',
    examples: ['2030-01-31T12:00:00.000000Z'],
  }),
  detail: Type.String({ description: 'The cause of the wait, in words' }),
});

const CommentEventData = component('CommentEventData', {
  provider: party,
  user: party,
  licenseNum: Type.Integer(),
  commenter: party,
  contractId: Type.String({ description: 'The comment on the ledger' }),
  licenseLifecycleId: nullableText(),
});

const AuditEventData = component('AuditEventData', {
  act: Type.String({ examples: ['pause'] }),
  object: optionalText('The object of the act'),
});

const TestEventData = component('TestEventData', {});

/** The type of the delivery with which a party tests its webhook. It has no number and is not in the stream. */
export const TEST_EVENT = 'tenure.webhook.test';

type SentType = EventType | typeof TEST_EVENT;

function dataOf(type: SentType): TSchema {
  if (type === TEST_EVENT) return TestEventData;
  if (type === 'tenure.comment.made') return CommentEventData;
  if (type === 'tenure.audit.recorded') return AuditEventData;
  if (type.startsWith('tenure.alarm.')) return AlarmEventData;
  if (type.startsWith('tenure.operation.')) return OperationEventData;
  if (type.startsWith('tenure.lifecycle.')) return LifecycleEventData;
  if (type === 'tenure.license.price-changed') return PriceEventData;
  return /\.(?:suspended|reinstated)$/u.test(type) ? SuspensionEventData : ReminderEventData;
}

/** Returns the name of an event's component: `tenure.operation.in-doubt` becomes `OperationInDoubtEvent`. */
export const eventSchemaName = (type: SentType): string =>
  `${type
    .split(/[.-]/u)
    .slice(1)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')}Event`;

const cloudEventOf = (type: SentType) =>
  component(eventSchemaName(type), {
    specversion: Type.Literal('1.0'),
    id: Type.String({
      description: 'Its number, by which a stream is resumed; unique together with `source`',
      examples: ['121'],
    }),
    source: Type.String({ examples: ['urn:tenure:app_provider%3A%3A1220f5d3'] }),
    type: Type.Literal(type),
    ...(type === TEST_EVENT ? {} : { subject: Type.String({ examples: ['license-a1b2c3d4'] }) }),
    time: instant,
    datacontenttype: Type.Literal('application/json'),
    data: dataOf(type),
  });

const refTo = (name: string): string => `#/components/schemas/${name}`;

const Event = {
  $id: 'Event',
  description: 'A CloudEvent 1.0 of any type',
  oneOf: EVENT_TYPES.map((type) => ({ $ref: `${eventSchemaName(type)}#` })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(EVENT_TYPES.map((type) => [type, refTo(eventSchemaName(type))])),
  },
};

const written = (schema: object) => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: schema,
});

const Gap = {
  type: 'object',
  required: ['after', 'upTo'],
  properties: { after: { type: 'string' }, upTo: { type: 'string' } },
};

/** One item of the stream. */
const EventStreamItem = {
  $id: 'EventStreamItem',
  type: 'object',
  required: ['id', 'data'],
  properties: { id: { type: 'string', description: 'For Last-Event-ID' } },
  oneOf: [
    {
      description: 'An event',
      properties: { data: written({ $ref: 'Event#' }) },
      not: { required: ['event'], properties: { event: {} } },
    },
    {
      description: 'Events after `after`, up to `upTo`, are not kept any more',
      required: ['event'],
      properties: { event: { const: 'gap' }, data: written(Gap) },
    },
    {
      description: 'A position to resume after, with `positions=true`',
      required: ['event'],
      properties: { event: { const: 'position' }, data: written({ type: 'object' }) },
    },
  ],
};

const SENT: readonly SentType[] = [...EVENT_TYPES, TEST_EVENT];

export const EVENT_SCHEMAS: readonly object[] = [
  OperationEventData,
  LifecycleEventData,
  SuspensionEventData,
  ReminderEventData,
  PriceEventData,
  AlarmEventData,
  CommentEventData,
  AuditEventData,
  TestEventData,
  ...SENT.map(cloudEventOf),
  Event,
  EventStreamItem,
];

const SIGNATURE = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

const delivery = (type: SentType) => ({
  operationId: `on${eventSchemaName(type).slice(0, -'Event'.length)}`,
  summary: type,
  description:
    'Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered ' +
    'with 2xx: at least once, in any order.',
  tags: ['webhooks'],
  security: [],
  parameters: SIGNATURE.map((name) => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string' },
  })),
  requestBody: {
    required: true,
    content: Object.fromEntries(
      ['application/json', 'application/cloudevents+json'].map((media) => [
        media,
        { schema: { $ref: refTo(eventSchemaName(type)) } },
      ]),
    ),
  },
  responses: {
    '2XX': { description: 'Any 2xx within 15 seconds: the event is delivered' },
    410: { description: 'The webhook is disabled' },
    default: { description: 'Any other answer: the event is sent again later' },
  },
});

/** The document's member `webhooks`: the requests that Tenure sends, by the type of event. */
export const eventWebhooks = (): object =>
  Object.fromEntries(SENT.map((type) => [type, { post: delivery(type) }]));

/** The items of the stream. Generators read them here, because `itemSchema` is a member of OpenAPI 3.2. */
export const STREAM_ITEMS = {
  contentMediaType: 'text/event-stream',
  contentSchema: { type: 'array', items: { $ref: refTo('EventStreamItem') } },
};
