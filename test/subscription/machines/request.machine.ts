import { setup } from 'xstate';
import type { GoneEvent, OutcomeEvent } from '../../../machines/machine-kit.ts';
import { defineLifecycle, runElsewhere } from '../../../machines/machine-kit.ts';

export type RequestEvent =
  // Requests of a caller.
  | { readonly type: 'request.accept'; readonly changeId: string }
  | { readonly type: 'request.decline'; readonly changeId: string }
  | { readonly type: 'request.withdraw'; readonly changeId: string }
  // Outcomes of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.requestAccepted' }
  | { readonly type: 'ledger.requestDeclined' }
  | { readonly type: 'ledger.requestWithdrawn' };

const back = { 'command.refused': 'asked', 'command.succeeded': 'asked' } as const;

/**
 * One request of a customer for a subscription, from its contract to the vendor's answer.
 *
 * - `asked`: the vendor may accept or decline it, or the customer may withdraw it.
 * - `accepting`, `declining`, `withdrawing`: the command has been submitted.
 * - `accepted`, `declined`, `withdrawn`, `gone`: final. Only an update of the ledger leads to these states.
 */
export const requestMachine = setup({
  types: {} as { events: RequestEvent; context: Record<string, never> },
  actions: {
    'accept-subscription': runElsewhere,
    'decline-subscription': runElsewhere,
    'withdraw-subscription': runElsewhere,
  },
}).createMachine({
  id: 'subscription-request',
  context: {},
  initial: 'asked',
  on: {
    'ledger.requestAccepted': '.accepted',
    'ledger.requestDeclined': '.declined',
    'ledger.requestWithdrawn': '.withdrawn',
    'ledger.gone': '.gone',
  },
  states: {
    asked: {
      on: {
        'request.accept': { target: 'accepting', actions: 'accept-subscription' },
        'request.decline': { target: 'declining', actions: 'decline-subscription' },
        'request.withdraw': { target: 'withdrawing', actions: 'withdraw-subscription' },
      },
    },
    accepting: { on: back },
    declining: { on: back },
    withdrawing: { on: back },
    accepted: { type: 'final' },
    declined: { type: 'final' },
    withdrawn: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const subscriptionRequest = defineLifecycle({
  kind: 'subscription-request',
  version: 1,
  migrations: [],
  machine: requestMachine,
  actions: [
    { name: 'accept', event: 'request.accept', role: 'provider', verb: 'accept' },
    { name: 'decline', event: 'request.decline', role: 'provider', verb: 'decline' },
    { name: 'withdraw', event: 'request.withdraw', role: 'user', verb: 'withdraw' },
  ],
});
