import { assign, setup } from 'xstate';
import { textAt } from '../src/domain/json.ts';
import { isPast } from '../src/domain/licensing.ts';
import type { GoneEvent, LifecycleDescription, OutcomeEvent } from './machine-kit.ts';
import { asItWas, runElsewhere } from './machine-kit.ts';

export interface LicenseContext {
  /** ISO 8601 with microseconds, from the contract. */
  readonly expiresAt: string;
}

export type LicenseEvent =
  // What a caller asks for. `nowMs` is ledger time, milliseconds since 1970.
  | { readonly type: 'license.expire'; readonly changeId: string; readonly nowMs: number }
  | {
      readonly type: 'license.renew';
      readonly changeId: string;
      /** Renewals of this licence that could still be completed. */
      readonly openRenewals: number;
      /** 1 where the caller wants one more beside those. */
      readonly allowConcurrent: number;
    }
  | { readonly type: 'license.comment'; readonly changeId: string }
  // What came of it.
  | OutcomeEvent
  // What the ledger says happened.
  | GoneEvent
  | { readonly type: 'ledger.licenseRenewed'; readonly expiresAt: string }
  | { readonly type: 'ledger.licenseExpired' };

export const license: LifecycleDescription = {
  kind: 'license',
  version: 3,
  // `gone` came along; then what ends a lifecycle became the ledger's to say alone.
  migrations: [asItWas, asItWas],
  actions: [
    {
      name: 'expire',
      event: 'license.expire',
      role: 'either',
      verb: 'expire',
      whyNot: (context) => `not before ${textAt(context, 'expiresAt') ?? 'it lapses'}`,
    },
    {
      name: 'renew',
      event: 'license.renew',
      role: 'provider',
      verb: 'renew',
      whyNot: () =>
        'a renewal of this licence is open; complete or withdraw it, or ask with allowConcurrent',
    },
    {
      name: 'comment',
      event: 'license.comment',
      role: 'either',
      verb: 'comment',
      path: '/comments',
      isAside: true,
    },
  ],
};

/**
 * One licence of one user, from its first contract to its end. A new licence is born expired: its contract
 * says `expiresAt` = the ledger time of its creation. A renewal that is completed replaces the contract; the
 * lifecycle stays.
 *
 * - `active`: the contract exists. Whether it is still valid is a matter of time, not of state.
 * - `renewing`: License_Renew is on its way: it asks the user to pay, and leaves the licence as it is.
 * - `expiring`: License_Expire is on its way. Entered only once `expiresAt` has passed.
 * - `expired`: final.
 * - `gone`: final. The contract is not active any more; how it ended was pruned before it was read.
 */
export const licenseMachine = setup({
  types: {} as { events: LicenseEvent; context: LicenseContext; input: LicenseContext },
  actions: { submitExpire: runElsewhere, submitRenew: runElsewhere, submitComment: runElsewhere },
  guards: {
    isLapsed: ({ context }, params: { nowMs: number }) => isPast(context.expiresAt, params.nowMs),
    mayRenew: (_, params: { openRenewals: number; allowConcurrent: number }) =>
      params.openRenewals === 0 || params.allowConcurrent === 1,
  },
}).createMachine({
  id: 'license',
  context: ({ input }) => ({ expiresAt: input.expiresAt }),
  initial: 'active',
  on: {
    // Taken in every state: another client of the participant may complete renewals too.
    'ledger.licenseRenewed': { actions: assign({ expiresAt: ({ event }) => event.expiresAt }) },
    'ledger.licenseExpired': '.expired',
    'ledger.gone': '.gone',
    // Until its end, whatever is on its way: a comment names the licence by its number alone.
    'license.comment': { actions: 'submitComment' },
  },
  states: {
    active: {
      on: {
        'license.expire': {
          target: 'expiring',
          guard: { type: 'isLapsed', params: ({ event }) => ({ nowMs: event.nowMs }) },
          actions: 'submitExpire',
        },
        'license.renew': {
          target: 'renewing',
          guard: {
            type: 'mayRenew',
            params: ({ event: { openRenewals, allowConcurrent } }) => ({
              openRenewals,
              allowConcurrent,
            }),
          },
          actions: 'submitRenew',
        },
      },
    },
    renewing: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    expiring: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    expired: { type: 'final' },
    gone: { type: 'final' },
  },
});
