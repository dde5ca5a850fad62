import { initialTransition, setup, transition } from 'xstate';

export type SubscriptionEvent =
  // Timers. Times are ledger time.
  | { readonly type: 'timer.trialOver' }
  | { readonly type: 'timer.lapsed' }
  // Facts of the ledger.
  | { readonly type: 'ledger.paid' }
  | { readonly type: 'ledger.offered' }
  | { readonly type: 'ledger.offerEnded' }
  | { readonly type: 'ledger.licenseEnded' }
  // A request of a party.
  | { readonly type: 'cancelled' };

/**
 * A licence that renews itself. No row has the state: it is computed from facts of the ledger and
 * from timers whenever it is shown, so it cannot differ from them.
 *
 * - `trial`: nothing was paid yet, and the trial of the plan lasts.
 * - `active`: the period is paid.
 * - `offerOpen`: the period is paid, and the next one is offered.
 * - `pastDue`: the period is over and the next one is not paid, whether or not an offer is open.
 * - `cancelled`: no further period is offered. The licence lasts until its period is over.
 * - `ended`: final. The licence has ended, or a cancelled subscription has come to the end of its period.
 */
const subscriptionMachine = setup({
  types: {} as { events: SubscriptionEvent },
}).createMachine({
  id: 'subscription',
  initial: 'trial',
  on: { 'ledger.licenseEnded': '.ended' },
  states: {
    trial: {
      on: {
        'timer.trialOver': 'pastDue',
        'ledger.offered': 'offerOpen',
        'ledger.paid': 'active',
        cancelled: 'cancelled',
      },
    },
    active: {
      on: {
        'ledger.offered': 'offerOpen',
        'timer.lapsed': 'pastDue',
        cancelled: 'cancelled',
      },
    },
    offerOpen: {
      on: {
        'ledger.offerEnded': 'active',
        'ledger.paid': 'active',
        'timer.trialOver': 'pastDue',
        'timer.lapsed': 'pastDue',
        cancelled: 'cancelled',
      },
    },
    pastDue: { on: { 'ledger.paid': 'active', cancelled: 'ended' } },
    cancelled: { on: { 'timer.lapsed': 'ended', 'timer.trialOver': 'ended' } },
    ended: { type: 'final' },
  },
});

export const SUBSCRIPTION_STATES = [
  'trial',
  'active',
  'offerOpen',
  'pastDue',
  'cancelled',
  'ended',
] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** The state after these events. Events that a state does not expect change nothing. */
export function subscriptionState(events: readonly SubscriptionEvent[]): SubscriptionState {
  let [snapshot] = initialTransition(subscriptionMachine);
  for (const event of events) {
    if (snapshot.status === 'done') break;
    [snapshot] = transition(subscriptionMachine, snapshot, event);
  }
  return snapshot.value;
}
