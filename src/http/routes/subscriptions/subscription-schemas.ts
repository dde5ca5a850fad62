import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { SUBSCRIPTION_STATES } from '../../../../machines/subscription.machine.ts';
import { DEFAULT_INSTRUMENT } from '../../../domain/renewal.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { customer, reference } from '../lifecycles/lifecycle-schemas.ts';
import { RENEWAL } from '../product/product-schemas.ts';
import { component, openObject, nullableText } from '../../kit/schema.ts';

/* Schemas of subscriptions in requests and answers: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

const at = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2030-01-31T12:00:00.000000Z'] });

const TERMS = {
  planId: nullableText({
    maxLength: HTTP_LIMITS.nameCharsMax,
    description: 'The plan whose newest version is offered; null: the plan of the licence',
    examples: ['pro'],
  }),
  ...RENEWAL,
};

export const SubscriptionBody = Type.Partial(Type.Object(TERMS), { additionalProperties: false });
export type SubscriptionBody = Static<typeof SubscriptionBody>;

const orNull = (schema: object) => Type.Unsafe({ anyOf: [schema, { type: 'null' }] });

const fee = {
  fee: Type.String({ description: 'A decimal as text', examples: ['100.0'] }),
  instrument: Type.String({ examples: [DEFAULT_INSTRUMENT] }),
};

const Offer = openObject({
  renewalId: Type.String({ examples: ['renewal-a1b2c3d4e5f60718293a'] }),
  requestId: Type.String({
    description: 'The ID under which the wallet of the user shows the offer',
  }),
  ...fee,
  settleBefore: at('When it can no longer be paid'),
  isAllocated: Type.Boolean({ description: 'Whether the user has set money aside for it' }),
});

const NextOffer = openObject({
  at: at('When it is made, if nothing changes: ledger time'),
  until: at('The end of the licence, if it is paid in time'),
  ...fee,
  plan: openObject({
    id: TERMS.planId,
    version: Type.Integer({ examples: [1] }),
    name: Type.String({ examples: ['Pro'] }),
  }),
  priceBefore: orNull(
    Type.Object(
      { ...fee, period: Type.String({ examples: ['P1M'] }) },
      { ...open, description: 'The price under which the licence lasts, if it is another one' },
    ),
  ),
});

export const SubscriptionSchema = component('Subscription', {
  licenseId: Type.String({ examples: ['license-a1b2c3d4e5f60718293a'] }),
  reference,
  customer,
  provider: Type.String({ examples: ['app_provider_quickstart-root-1::1220aa02'] }),
  user: Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] }),
  state: nullableText({
    enum: [...SUBSCRIPTION_STATES, null],
    description: 'Computed from the ledger and its time; null while the licence is not projected',
  }),
  ...TERMS,
  cancelledAt: orNull(at('When it was cancelled')),
  version: Type.Integer({ description: 'Rises with every change; the entity tag' }),
  expiresAt: orNull(at('The end of the licence, from its contract')),
  offer: orNull(Offer),
  nextOffer: orNull(NextOffer),
});
