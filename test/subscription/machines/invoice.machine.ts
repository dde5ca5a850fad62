import { setup } from 'xstate';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { GoneEvent, OutcomeEvent } from '../../../machines/machine-kit.ts';
import { defineLifecycle, runElsewhere } from '../../../machines/machine-kit.ts';

export type InvoiceEvent =
  // Requests of a caller.
  | { readonly type: 'invoice.pay'; readonly changeId: string }
  | { readonly type: 'invoice.void'; readonly changeId: string }
  // Outcomes of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.invoicePaid' }
  | { readonly type: 'ledger.invoiceVoided' };

const back = { 'command.refused': 'open', 'command.succeeded': 'open' } as const;

/**
 * One invoice of a subscription. Its operations are in the subscription's lane.
 *
 * - `open`: the customer may pay it, or the vendor may void it.
 * - `paying`, `voiding`: the command has been submitted.
 * - `paid`, `voided`, `gone`: final. Only an update of the ledger leads to these states.
 */
export const invoiceMachine = setup({
  types: {} as { events: InvoiceEvent; context: Record<string, never> },
  actions: { 'pay-invoice': runElsewhere, 'void-invoice': runElsewhere },
}).createMachine({
  id: 'invoice',
  context: {},
  initial: 'open',
  on: {
    'ledger.invoicePaid': '.paid',
    'ledger.invoiceVoided': '.voided',
    'ledger.gone': '.gone',
  },
  states: {
    open: {
      on: {
        'invoice.pay': { target: 'paying', actions: 'pay-invoice' },
        'invoice.void': { target: 'voiding', actions: 'void-invoice' },
      },
    },
    paying: { on: back },
    voiding: { on: back },
    paid: { type: 'final' },
    voided: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const invoice = defineLifecycle({
  kind: 'invoice',
  version: 1,
  migrations: [],
  machine: invoiceMachine,
  actions: [
    { name: 'pay', event: 'invoice.pay', role: 'user', verb: 'pay' },
    { name: 'void', event: 'invoice.void', role: 'provider', verb: 'void' },
  ],
});

/** Returns the invoices among these lifecycles that have not ended. */
export const openInvoices = (around: readonly Lifecycle[]): Lifecycle[] =>
  around.filter(({ kind, endedAt }) => kind === invoice.kind && endedAt === null);
