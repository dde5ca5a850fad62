import { assign, setup } from 'xstate';
import { isPast } from '../../../src/domain/time.ts';
import type { GoneEvent, OutcomeEvent } from '../../../machines/machine-kit.ts';
import { defineLifecycle, runElsewhere } from '../../../machines/machine-kit.ts';
import { openInvoices } from './invoice.machine.ts';

export interface SubscriptionContext {
  readonly plan: string;
  /** The time until which the subscription is paid, from the contract. ISO 8601 with microseconds. */
  readonly paidUntil: string;
}

export type SubscriptionEvent =
  // Requests of a caller.
  | {
      readonly type: 'subscription.bill';
      readonly changeId: string;
      readonly openInvoices: number;
    }
  | { readonly type: 'subscription.changePlan'; readonly changeId: string }
  | { readonly type: 'subscription.stop'; readonly changeId: string; readonly nowMs: number }
  // Outcomes of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.subscriptionStopped' }
  | {
      readonly type: 'ledger.subscriptionReplaced';
      readonly plan: string;
      readonly paidUntil: string;
    };

const back = { 'command.refused': 'active', 'command.succeeded': 'active' } as const;

/**
 * One subscription, from its first contract to its end. A change of plan and the payment of an invoice replace the
 * contract; the lifecycle stays the same.
 *
 * - `active`: the contract exists, paid for or not.
 * - `billing`, `changingPlan`, `stopping`: the command has been submitted. Billing is possible while no invoice is
 *   open, and stopping when `paidUntil` has passed.
 * - `stopped`, `gone`: final. Only an update of the ledger leads to these states.
 */
export const subscriptionMachine = setup({
  types: {} as {
    events: SubscriptionEvent;
    context: SubscriptionContext;
    input: SubscriptionContext;
  },
  actions: {
    'bill-subscription': runElsewhere,
    'change-plan': runElsewhere,
    'stop-subscription': runElsewhere,
  },
  guards: {
    isUnbilled: (_, params: { openInvoices: number }) => params.openInvoices === 0,
    isLapsed: ({ context }, params: { nowMs: number }) => isPast(context.paidUntil, params.nowMs),
  },
}).createMachine({
  id: 'subscription',
  context: ({ input }) => input,
  initial: 'active',
  on: {
    'ledger.subscriptionReplaced': {
      actions: assign({
        plan: ({ event }) => event.plan,
        paidUntil: ({ event }) => event.paidUntil,
      }),
    },
    'ledger.subscriptionStopped': '.stopped',
    'ledger.gone': '.gone',
  },
  states: {
    active: {
      on: {
        'subscription.bill': {
          target: 'billing',
          guard: {
            type: 'isUnbilled',
            params: ({ event }) => ({ openInvoices: event.openInvoices }),
          },
          actions: 'bill-subscription',
        },
        'subscription.changePlan': { target: 'changingPlan', actions: 'change-plan' },
        'subscription.stop': {
          target: 'stopping',
          guard: { type: 'isLapsed', params: ({ event }) => ({ nowMs: event.nowMs }) },
          actions: 'stop-subscription',
        },
      },
    },
    billing: { on: back },
    changingPlan: { on: back },
    stopping: { on: back },
    stopped: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const subscription = defineLifecycle({
  kind: 'subscription',
  version: 1,
  migrations: [],
  machine: subscriptionMachine,
  actions: [
    {
      name: 'bill',
      event: 'subscription.bill',
      role: 'provider',
      verb: 'bill',
      fields: ({ around }) => ({ openInvoices: openInvoices(around).length }),
      whyNot: () => 'an invoice of this subscription is open',
    },
    {
      name: 'change-plan',
      event: 'subscription.changePlan',
      role: 'provider',
      verb: 'change-plan',
    },
    {
      name: 'stop',
      event: 'subscription.stop',
      role: 'either',
      verb: 'stop',
      fields: ({ nowMs }) => ({ nowMs }),
      whyNot: ({ paidUntil }) => `it is paid until ${paidUntil}`,
    },
  ],
});
