import { randomUUID } from 'node:crypto';
import type { Party } from '../../../../src/domain/ids.ts';
import { textAt } from '../../../../src/domain/json.ts';
import { PARTY, TEXT, record } from '../../../../src/app/contract/lf.ts';
import type { FirstAttempt } from '../../../../src/app/contract/operation.ts';
import { defineBeginning } from '../../../../src/app/contract/operation.ts';
import { SUBSCRIPTION_REQUEST } from '../names.ts';
import { SubscriptionRequest } from './template.ts';

interface Body {
  readonly vendor: Party;
  readonly plan: string;
}

interface Fixed {
  readonly subscriptionId: string;
}

/** A customer requests a subscription from a vendor. */
export const askForSubscription = defineBeginning({
  name: 'ask-for-subscription',
  actAs: 'caller',
  command: {
    kind: 'create',
    template: SUBSCRIPTION_REQUEST,
    argument: record({ vendor: PARTY, customer: PARTY, subscriptionId: TEXT, plan: TEXT }),
    begins: {
      provider: (body) => textAt(body, 'vendor') as Party | undefined,
      refusal: ({ party }, body) =>
        textAt(body, 'vendor') === party ? 'a vendor does not subscribe to its own plans' : null,
    },
  },
  fix: () => ({ subscriptionId: randomUUID() }),
  argument: ({ change, body, fixed }: FirstAttempt<Body, Fixed>) => ({
    vendor: body.vendor,
    customer: change.submitter.actAs,
    subscriptionId: fixed.subscriptionId,
    plan: body.plan,
  }),
  answer: ({ created }) => ({
    status: 201,
    body: {
      contractId: created(SubscriptionRequest)?.contractId ?? null,
      plan: created(SubscriptionRequest)?.payload.plan ?? null,
    },
  }),
  isEffect: ({ created, fixed }) =>
    created(SubscriptionRequest)?.payload.subscriptionId === fixed.subscriptionId,
});
