import { PARTY, record } from '../../../../src/app/contract/lf.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { NO_CONTENT, SUBSCRIPTION } from '../names.ts';

/** Either party stops a subscription that is no longer paid for. */
export const stopSubscription = defineOperation(subscription, {
  name: 'stop-subscription',
  action: 'stop',
  actAs: 'caller',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION,
    name: 'Subscription_Stop',
    argument: record({ actor: PARTY }),
    consequence: { kind: 'ends', event: 'ledger.subscriptionStopped', state: 'stopped' },
  },
  argument: ({ change }) => ({ actor: change.submitter.actAs }),
  answer: () => NO_CONTENT,
});
