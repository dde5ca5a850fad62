import { setup } from 'xstate';
import { isPast } from '../src/domain/licensing.ts';
import type { LifecycleDescription, OutcomeEvent } from './machine-kit.ts';
import { runElsewhere } from './machine-kit.ts';

export interface LicenseContext {
  /** ISO 8601 with microseconds, from the contract. */
  readonly expiresAt: string;
}

export type LicenseEvent =
  // What a caller asks for. `nowMs` is ledger time, milliseconds since 1970.
  | { readonly type: 'license.expire'; readonly changeId: string; readonly nowMs: number }
  // What came of it.
  | OutcomeEvent
  // What the ledger says happened.
  | { readonly type: 'ledger.licenseExpired' };

export const license: LifecycleDescription = {
  kind: 'license',
  version: 1,
  actions: [{ name: 'expire', event: 'license.expire', role: 'either', verb: 'expire' }],
};

/**
 * One licence of one user, from its first contract to its end. A new licence is born expired: its contract
 * says `expiresAt` = the ledger time of its creation.
 *
 * - `active`: the contract exists. Whether it is still valid is a matter of time, not of state.
 * - `expiring`: License_Expire is on its way. Entered only once `expiresAt` has passed.
 * - `expired`: final.
 */
export const licenseMachine = setup({
  types: {} as { events: LicenseEvent; context: LicenseContext; input: LicenseContext },
  actions: { submitExpire: runElsewhere },
  guards: {
    isLapsed: ({ context }, params: { nowMs: number }) => isPast(context.expiresAt, params.nowMs),
  },
}).createMachine({
  id: 'license',
  context: ({ input }) => ({ expiresAt: input.expiresAt }),
  initial: 'active',
  on: { 'ledger.licenseExpired': '.expired' },
  states: {
    active: {
      on: {
        'license.expire': {
          target: 'expiring',
          guard: { type: 'isLapsed', params: ({ event }) => ({ nowMs: event.nowMs }) },
          actions: 'submitExpire',
        },
      },
    },
    expiring: { on: { 'command.refused': 'active', 'command.succeeded': 'expired' } },
    expired: { type: 'final' },
  },
});
