import { TEXT, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscriptionRequest } from '../../machines/request.machine.ts';
import { NO_CONTENT, SUBSCRIPTION_REQUEST } from '../names.ts';

/** The vendor declines a request. */
export const declineSubscription = defineOperation(subscriptionRequest, {
  name: 'decline-subscription',
  action: 'decline',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION_REQUEST,
    name: 'SubscriptionRequest_Decline',
    argument: record({ reason: TEXT }),
    consequence: { kind: 'ends', event: 'ledger.requestDeclined', state: 'declined' },
  },
  argument: ({ body }: Attempt<{ readonly reason: string }>) => ({ reason: body.reason }),
  answer: () => NO_CONTENT,
});
