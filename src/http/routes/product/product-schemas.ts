import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { DEFAULT_INSTRUMENT } from '../../../domain/renewal.ts';
import { closedObject, component, optionalText, nullableText } from '../../kit/schema.ts';

/* Schemas of customers, plans and suspensions in requests and answers: see `schemas.ts`. */

const closed = { additionalProperties: false } as const;

const texts = (description: string, examples: readonly object[], maxProperties: number) =>
  Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: HTTP_LIMITS.nameCharsMax },
    maxProperties,
    description,
    examples,
  });
const name = Type.String({ minLength: 1, maxLength: HTTP_LIMITS.nameCharsMax, examples: ['Acme'] });

const CUSTOMER = {
  name,
  shortName: nullableText({
    pattern: `^[A-Z0-9]{1,${HTTP_LIMITS.shortNameCharsMax}}$`,
    description:
      'Capital letters and digits: references of licences that the customer gets from now on begin with it',
    examples: ['ACME'],
  }),
  emails: Type.Array(Type.String({ maxLength: HTTP_LIMITS.nameCharsMax }), {
    maxItems: HTTP_LIMITS.emailsMax,
    examples: [['billing@acme.example']],
  }),
  timeZone: nullableText({
    description: 'An IANA name',
    maxLength: 64,
    examples: ['Europe/Zurich'],
  }),
  language: nullableText({ description: 'A BCP 47 tag', maxLength: 35, examples: ['de-CH'] }),
  note: Type.String({ maxLength: HTTP_LIMITS.noteCharsMax }),
  externalReferences: texts(
    'The customer’s IDs in other systems. A change that does not mention them keeps them',
    [{ crm: '4711' }],
    HTTP_LIMITS.externalReferencesMax,
  ),
};

const party = Type.String({
  maxLength: HTTP_LIMITS.nameCharsMax,
  description: 'The party on the ledger',
  examples: ['app_user_quickstart-root-1::1220aa01'],
});
const id = Type.String({ examples: ['cus_5e0fd54fdd1c4d7f'] });
const version = (description: string) => Type.Integer({ minimum: 1, description, examples: [1] });
const at = Type.String({ format: 'date-time', examples: ['2030-01-31T12:00:00.000000Z'] });

export const CustomerBody = closedObject({
  party,
  ...Type.Partial(Type.Object(CUSTOMER)).properties,
  name,
});
export type CustomerBody = Static<typeof CustomerBody>;
export const CustomerPatchBody = Type.Partial(Type.Object(CUSTOMER), closed);
export type CustomerPatchBody = Static<typeof CustomerPatchBody>;

export const CustomerSchema = component('Customer', {
  id,
  party,
  ...CUSTOMER,
  unsubscribedEmails: Type.Array(Type.String(), {
    description: 'The addresses of `emails` that have unsubscribed and get no mail',
    examples: [[]],
  }),
  version: version('Rises with every change; the entity tag'),
  createdAt: at,
  updatedAt: at,
});

const duration = (description: string, example: string) =>
  Type.String({
    maxLength: HTTP_LIMITS.durationCharsMax,
    description: `${description}: ISO 8601`,
    examples: [example],
  });

/** Members of a subscription, which a plan can have for its licences. */
export const RENEWAL = {
  offerBefore: duration('How long before the end of a period the next one is offered', 'P7D'),
  tries: Type.Integer({
    minimum: 1,
    maximum: HTTP_LIMITS.subscriptionTriesMax,
    description: 'How many unpaid offers one period has',
    examples: [3],
  }),
  endUnpaid: Type.Boolean({
    description: 'Whether the licence ends after the last unpaid offer and the grace of its plan',
  }),
};

const TERMS = {
  name,
  period: duration(
    'The period that one fee pays for; P1M and P1Y are calendar months, all others fixed durations',
    'P1M',
  ),
  fee: Type.String({
    description:
      'A decimal above zero as text, with at most 10 digits after the point and 28 before it',
    examples: ['100.0'],
  }),
  instrument: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.nameCharsMax,
    description: 'A token-standard instrument of the configured registry',
    examples: [DEFAULT_INSTRUMENT],
  }),
  prepareUntilDuration: duration('How long the user may set a fee aside', 'P3D'),
  settleBeforeDuration: duration('How long a renewal may be completed', 'P4D'),
  trial: duration('How long after its creation no policy ends a licence', 'P14D'),
  grace: duration('How long after its end no policy ends a licence', 'P3D'),
  offlineTime: duration('The longest validity of an offline licence file', 'P7D'),
  heartbeatTime: duration('A machine without a heartbeat for this duration frees its seat', 'PT1H'),
  seats: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: HTTP_LIMITS.seatsMax,
    description: 'Machines at a time; null: any number',
    examples: [5],
  }),
  entitlements: texts(
    `The entitlements of the licence; at most ${LIMITS.metadataTextCharsMax} characters as JSON, because the contract has them`,
    [{ projects: '10', export: 'yes' }],
    LIMITS.metadataEntriesMax,
  ),
  renews: Type.Unsafe<{
    readonly offerBefore?: string;
    readonly tries?: number;
    readonly endUnpaid?: boolean;
  } | null>({
    type: ['object', 'null'],
    properties: RENEWAL,
    additionalProperties: false,
    description:
      'Licences that are sold under this version renew themselves so; null: only if a person says so. Members that are left out have the defaults of a subscription',
    examples: [{ offerBefore: 'P7D', tries: 3, endUnpaid: false }],
  }),
};

export const PlanBody = closedObject({
  id: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Small letters, digits and hyphens; the ledger names the plan by it',
    examples: ['pro'],
  }),
  ...Type.Partial(Type.Object(TERMS)).properties,
  name,
  period: TERMS.period,
  fee: TERMS.fee,
});
export type PlanBody = Static<typeof PlanBody>;
export const PlanPatchBody = Type.Partial(Type.Object(TERMS), closed);
export type PlanPatchBody = Static<typeof PlanPatchBody>;

const planVersion = {
  version: version('New licences get the newest one'),
  ...TERMS,
  createdAt: at,
  archivedAt: nullableText({
    description: 'When another version took its place, or the plan was archived',
  }),
};
const planId = Type.String({ examples: ['pro'] });
export const PlanSchema = component('Plan', {
  id: planId,
  revision: version('Rises with every change; the entity tag'),
  ...planVersion,
});
export const PlanVersionSchema = component('PlanVersion', { planId, ...planVersion });

export const ReasonBody = closedObject({
  reason: Type.String({
    minLength: 1,
    maxLength: HTTP_LIMITS.reasonCharsMax,
    description: 'For the audit log and the licence’s parties',
    examples: ['chargeback of January'],
  }),
});
export type ReasonBody = Static<typeof ReasonBody>;

export const SearchQuery = {
  search: optionalText('Part of a name or of an external reference, or a whole party'),
};
