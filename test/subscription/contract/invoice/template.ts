import { PARTY, TEXT, TIMESTAMP } from '../../../../src/app/contract/lf.ts';
import { defineTemplate } from '../../../../src/app/contract/template.ts';
import { invoice } from '../../machines/invoice.machine.ts';
import { subscription } from '../../machines/subscription.machine.ts';
import { DECIMAL, INVOICE } from '../names.ts';

/** A vendor's request to a customer to pay. The invoice names its subscription by ID. */
export const Invoice = defineTemplate(invoice, {
  name: INVOICE,
  fields: {
    vendor: PARTY,
    customer: PARTY,
    subscriptionId: TEXT,
    invoiceId: TEXT,
    amount: DECIMAL,
    paysUntil: TIMESTAMP,
  },
  required: ['vendor', 'customer', 'subscriptionId', 'invoiceId'],
  lifecycle: {
    word: 'Invoice',
    read: ({ vendor, customer }) => ({
      provider: vendor,
      appUser: customer,
      input: {},
    }),
    origin: subscription.kind,
    endings: { Archive: { event: 'ledger.invoiceVoided', state: 'voided' } },
    body: ({ lifecycle, payload }) => ({ ...payload, state: lifecycle.state }),
  },
});
