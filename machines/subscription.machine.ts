import { initialTransition, setup, transition } from 'xstate';

export type SubscriptionEvent =
  // Timers. All times are ledger time.
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
 * A licence that renews itself. The state is not stored: it is computed from ledger facts and timers whenever it is
 * shown, so it always agrees with them.
 *
 * - `trial`: nothing was paid yet, and the trial of the plan has not ended.
 * - `active`: the period is paid.
 * - `offerOpen`: the period is paid, and the next one is offered.
 * - `pastDue`: the period has ended and the next one is not paid, whether or not an offer is open.
 * - `cancelled`: no further period is offered. The licence lasts until its period ends.
 * - `ended`: final. The licence has ended, or the last period of a cancelled subscription has ended.
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

/** Returns the state after these events. Events that a state does not expect are ignored. */
export function subscriptionState(events: readonly SubscriptionEvent[]): SubscriptionState {
  let [snapshot] = initialTransition(subscriptionMachine);
  for (const event of events) {
    if (snapshot.status === 'done') break;
    [snapshot] = transition(subscriptionMachine, snapshot, event);
  }
  return snapshot.value;
}
