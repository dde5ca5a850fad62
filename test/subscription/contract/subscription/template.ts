import { INT64, PARTY, TEXT, TIMESTAMP } from '../../../../src/app/contract/lf.ts';
import { defineTemplate } from '../../../../src/app/contract/template.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { SUBSCRIPTION } from '../names.ts';

/**
 * A customer's subscription. When its plan is changed or an invoice is paid, the contract is archived and replaced by
 * another one.
 */
export const Subscription = defineTemplate(subscription, {
  name: SUBSCRIPTION,
  fields: {
    vendor: PARTY,
    customer: PARTY,
    subscriptionId: TEXT,
    plan: TEXT,
    paidUntil: TIMESTAMP,
    revision: INT64,
  },
  required: ['vendor', 'customer', 'subscriptionId', 'plan', 'paidUntil'],
  lifecycle: {
    word: 'Subscription',
    read: ({ vendor, customer, plan, paidUntil }) => ({
      provider: vendor,
      appUser: customer,
      input: { plan, paidUntil },
      columns: { expiresAt: paidUntil },
    }),
    replacement: {
      event: ({ plan, paidUntil }) => ({ type: 'ledger.subscriptionReplaced', plan, paidUntil }),
    },
    endings: { Archive: { event: 'ledger.subscriptionStopped', state: 'stopped' } },
    body: ({ lifecycle, payload }) => ({ ...payload, state: lifecycle.state }),
  },
});
