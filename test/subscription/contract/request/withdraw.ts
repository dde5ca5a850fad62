import { ARCHIVE } from '../../../../src/app/contract/model.ts';
import { record } from '../../../../src/app/contract/lf.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { subscriptionRequest } from '../../machines/request.machine.ts';
import { NO_CONTENT, SUBSCRIPTION_REQUEST } from '../names.ts';

/** The customer withdraws a request. The choice `Archive`, which every template has, is exercised. */
export const withdrawSubscription = defineOperation(subscriptionRequest, {
  name: 'withdraw-subscription',
  action: 'withdraw',
  actAs: 'caller',
  command: {
    kind: 'choice',
    template: SUBSCRIPTION_REQUEST,
    name: ARCHIVE,
    argument: record({}),
    consequence: { kind: 'ends', event: 'ledger.requestWithdrawn', state: 'withdrawn' },
  },
  argument: () => ({}),
  answer: () => NO_CONTENT,
});
