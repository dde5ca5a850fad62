import { TEXT, record } from '../../../../src/app/contract/lf.ts';
import type { Attempt } from '../../../../src/app/contract/operation.ts';
import { defineOperation } from '../../../../src/app/contract/operation.ts';
import { invoice } from '../../machines/invoice.machine.ts';
import { INVOICE, NO_CONTENT } from '../names.ts';

/** The vendor voids an invoice. */
export const voidInvoice = defineOperation(invoice, {
  name: 'void-invoice',
  action: 'void',
  actAs: 'provider',
  command: {
    kind: 'choice',
    template: INVOICE,
    name: 'Invoice_Void',
    argument: record({ reason: TEXT }),
    consequence: { kind: 'ends', event: 'ledger.invoiceVoided', state: 'voided' },
  },
  argument: ({ body }: Attempt<{ readonly reason: string }>) => ({ reason: body.reason }),
  answer: () => NO_CONTENT,
});
