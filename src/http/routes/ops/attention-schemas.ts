import { Type } from '@fastify/type-provider-typebox';
import { component, describedObject, words } from '../../kit/schema.ts';

/* Schemas of the digest, which lists what needs a person: see `schemas.ts`. */

const section = (name: string, description: string) =>
  Type.Optional(
    describedObject(description, {
      count: Type.Integer({
        description: 'The total number, including entries that are not shown',
      }),
      more: Type.Boolean({ description: 'Whether the total is larger than the count' }),
      items: Type.Array(Type.Unsafe<unknown>({ $ref: `${name}#` }), {
        description: 'The first few',
      }),
    }),
  );

/** The parts of the digest, most important first. */
export const ATTENTION_SECTIONS = [
  'inDoubt',
  'alarms',
  'failures',
  'waiting',
  'pauses',
  'circuits',
  'streams',
  'leases',
  'timers',
  'webhooks',
] as const;
export type AttentionSection = (typeof ATTENTION_SECTIONS)[number];

export const OpsAttention = component('OpsAttention', {
  asOf: Type.String({ examples: ['2026-01-31T12:00:00.000Z'] }),
  inDoubt: section('OperationSummary', 'Operations that wait for a decision, the oldest first'),
  alarms: section('Alarm', 'Operations that have waited too long, the oldest alarm first'),
  failures: section('Failure', 'The latest open failures, most frequent first'),
  waiting: section('OperationSummary', 'Open operations of more than a minute, the oldest first'),
  pauses: section('Pause', 'Pauses that operators have set. For operators of the provider'),
  circuits: section('Pause', 'Participants that are left alone. For operators of the provider'),
  streams: section(
    'OpsStream',
    'Streams that lag by more than a minute, and whose participants do not answer. For operators of the provider',
  ),
  leases: section('OpsLease', 'Leases that no process holds. For operators of the provider'),
  timers: section('Timer', 'Timers that were given up, the first to lapse first'),
  webhooks: section('Webhook', 'Webhooks of the caller’s party that fail, or were disabled for it'),
  unavailable: Type.Array(words(ATTENTION_SECTIONS), {
    description: 'Parts that could not be read in time; they are missing',
  }),
});
