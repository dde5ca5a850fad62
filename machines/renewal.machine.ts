import { setup } from 'xstate';
import { textAt } from '../src/domain/json.ts';
import type { Lifecycle } from '../src/domain/lifecycle.ts';
import { isPast } from '../src/domain/time.ts';
import type { GoneEvent, OutcomeEvent } from './machine-kit.ts';
import { asItWas, defineLifecycle, runElsewhere } from './machine-kit.ts';
import { migrate } from './migrate.ts';

export interface RenewalContext {
  /** When the settlement window closes: ISO 8601 with microseconds, from the contract. */
  readonly settleBefore: string;
}

export type RenewalEvent =
  // Requests of a caller. `nowMs` is ledger time that is certainly past, milliseconds since 1970.
  | { readonly type: 'renewal.complete'; readonly changeId: string; readonly nowMs: number }
  | { readonly type: 'renewal.withdraw'; readonly changeId: string }
  // The outcome of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.renewalCompleted' }
  | { readonly type: 'ledger.renewalWithdrawn' }
  | { readonly type: 'ledger.renewalRejected' };

/**
 * One request to pay for the extension of a licence, from its contract to the settlement.
 *
 * - `requested`: the user may allocate the money in the wallet or reject the request; the provider may withdraw the
 *   request, and complete it while its window is open. Whether the money is allocated depends on another contract, and
 *   whether the window has closed depends on time; neither depends on the state.
 * - `completing`: LicenseRenewalRequest_CompleteRenewal is on its way.
 * - `withdrawing`: AllocationRequest_Withdraw is on its way.
 * - `renewed`, `withdrawn`, `rejected`: final; only the ledger reports these results.
 * - `gone`: final. The contract is no longer active; the update that ended it was pruned before it was read.
 */
export const renewalMachine = setup({
  types: {} as { events: RenewalEvent; context: RenewalContext; input: RenewalContext },
  actions: { 'complete-renewal': runElsewhere, 'withdraw-renewal': runElsewhere },
  guards: {
    isWindowOpen: ({ context }, params: { nowMs: number }) =>
      !isPast(context.settleBefore, params.nowMs),
  },
}).createMachine({
  id: 'renewal',
  context: ({ input }) => ({ settleBefore: input.settleBefore }),
  initial: 'requested',
  on: {
    'ledger.renewalCompleted': '.renewed',
    'ledger.gone': '.gone',
    'ledger.renewalWithdrawn': '.withdrawn',
    'ledger.renewalRejected': '.rejected',
  },
  states: {
    requested: {
      on: {
        'renewal.complete': {
          target: 'completing',
          guard: { type: 'isWindowOpen', params: ({ event }) => ({ nowMs: event.nowMs }) },
          actions: 'complete-renewal',
        },
        'renewal.withdraw': { target: 'withdrawing', actions: 'withdraw-renewal' },
      },
    },
    completing: { on: { 'command.refused': 'requested', 'command.succeeded': 'requested' } },
    withdrawing: { on: { 'command.refused': 'requested', 'command.succeeded': 'requested' } },
    renewed: { type: 'final' },
    withdrawn: { type: 'final' },
    rejected: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const renewal = defineLifecycle({
  kind: 'renewal',
  version: 3,
  // Version 2 added `gone`. Since version 3 only facts of the ledger end a lifecycle.
  migrations: [asItWas, asItWas],
  machine: renewalMachine,
  actions: [
    {
      name: 'complete',
      event: 'renewal.complete',
      role: 'provider',
      verb: 'complete',
      // The guard checks whether it is too late: only times that the ledger has certainly passed count.
      fields: ({ certainMs }) => ({ nowMs: certainMs }),
      when: 'its window is open',
      whyNot: ({ settleBefore }) => `the time to pay ended at ${settleBefore}`,
    },
    { name: 'withdraw', event: 'renewal.withdraw', role: 'provider', verb: 'withdraw' },
  ],
});

/** Returns when the window of a renewal closes: ISO 8601 with microseconds. */
export const closesAt = (lifecycle: Lifecycle): string =>
  textAt(migrate(renewal, lifecycle).context, 'settleBefore') ?? '';

/** Returns whether a renewal could still be completed: it has not ended, and its window has not certainly closed. */
export const isOpenRenewal = (lifecycle: Lifecycle, certainMs: number): boolean =>
  lifecycle.kind === renewal.kind &&
  lifecycle.endedAt === null &&
  !isPast(closesAt(lifecycle), certainMs);

/** Returns the renewals among these lifecycles that could still be completed. */
export const openRenewals = (around: readonly Lifecycle[], certainMs: number): Lifecycle[] =>
  around.filter((lifecycle) => isOpenRenewal(lifecycle, certainMs));
