import { PARTY, TEXT } from '../../../../src/app/contract/lf.ts';
import { defineTemplate } from '../../../../src/app/contract/template.ts';
import { subscriptionRequest } from '../../machines/request.machine.ts';
import { SUBSCRIPTION_REQUEST } from '../names.ts';

/** A customer's request for a subscription. The customer withdraws it with the built-in choice `Archive`. */
export const SubscriptionRequest = defineTemplate(subscriptionRequest, {
  name: SUBSCRIPTION_REQUEST,
  fields: { vendor: PARTY, customer: PARTY, subscriptionId: TEXT, plan: TEXT },
  required: ['vendor', 'customer', 'subscriptionId', 'plan'],
  lifecycle: {
    word: 'Request',
    read: ({ vendor, customer }) => ({ provider: vendor, appUser: customer, input: {} }),
    endings: {},
    body: ({ lifecycle, payload }) => ({ ...payload, state: lifecycle.state }),
  },
});
