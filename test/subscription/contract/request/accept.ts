import { isoAfter } from '../../../../src/domain/time.ts';
import { TIMESTAMP, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt, Recording } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscriptionRequest } from '../../machines/request.machine.ts';
import { SUBSCRIPTION_REQUEST } from '../names.ts';
import { Subscription } from '../subscription/template.ts';

interface Body {
  /** How long the subscription is free, in microseconds. */
  readonly freeMicros: string;
}

interface Fixed {
  readonly paidUntil: string;
}

/** The vendor accepts a request. This creates a subscription. */
export const acceptSubscription = defineOperation(subscriptionRequest, {
  name: 'accept-subscription',
  action: 'accept',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION_REQUEST,
    name: 'SubscriptionRequest_Accept',
    argument: record({ paidUntil: TIMESTAMP }),
    consequence: { kind: 'ends', event: 'ledger.requestAccepted', state: 'accepted' },
  },
  fix: ({ body, pastMs }: Recording<Body>) => ({
    paidUntil: isoAfter(pastMs, BigInt(body.freeMicros)),
  }),
  argument: ({ fixed }: Attempt<Body, Fixed>) => ({ paidUntil: fixed.paidUntil }),
  answer: ({ created }) => {
    const made = created(Subscription);
    return {
      status: 201,
      body: {
        contractId: made?.contractId ?? null,
        lifecycleId: made?.lifecycle?.id ?? null,
        plan: made?.payload.plan ?? null,
        paidUntil: made?.payload.paidUntil ?? null,
      },
    };
  },
});
