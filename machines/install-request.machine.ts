import { setup } from 'xstate';
import type { GoneEvent, OutcomeEvent } from './machine-kit.ts';
import { asItWas, defineLifecycle, runElsewhere } from './machine-kit.ts';

export type InstallRequestEvent =
  // Requests of a caller.
  | { readonly type: 'installRequest.accept'; readonly changeId: string }
  | { readonly type: 'installRequest.reject'; readonly changeId: string }
  | { readonly type: 'installRequest.cancel'; readonly changeId: string }
  // The outcome of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.requestAccepted' }
  | { readonly type: 'ledger.requestRejected' }
  | { readonly type: 'ledger.requestCancelled' };

/**
 * One request of a user to install the app, from its contract to the provider's answer.
 *
 * - `requested`: the provider may accept or reject the request, the user may cancel it.
 * - `accepting`: AppInstallRequest_Accept is on its way.
 * - `rejecting`: AppInstallRequest_Reject is on its way.
 * - `cancelling`: AppInstallRequest_Cancel is on its way.
 * - `accepted`, `rejected`, `cancelled`: final; only the ledger reports these results.
 * - `gone`: final. The contract is no longer active; the update that ended it was pruned before it was read.
 *
 * A refused command leads back to `requested`. A ledger fact ends the lifecycle whichever client caused the fact, also
 * while a command of Tenure is on its way.
 */
export const installRequestMachine = setup({
  types: {} as { events: InstallRequestEvent; context: Record<string, never> },
  actions: {
    'accept-install-request': runElsewhere,
    'reject-install-request': runElsewhere,
    'cancel-install-request': runElsewhere,
  },
}).createMachine({
  id: 'install-request',
  context: {},
  initial: 'requested',
  on: {
    'ledger.requestAccepted': '.accepted',
    'ledger.gone': '.gone',
    'ledger.requestRejected': '.rejected',
    'ledger.requestCancelled': '.cancelled',
  },
  states: {
    requested: {
      on: {
        'installRequest.accept': { target: 'accepting', actions: 'accept-install-request' },
        'installRequest.reject': { target: 'rejecting', actions: 'reject-install-request' },
        'installRequest.cancel': { target: 'cancelling', actions: 'cancel-install-request' },
      },
    },
    accepting: { on: { 'command.refused': 'requested', 'command.succeeded': 'requested' } },
    rejecting: { on: { 'command.refused': 'requested', 'command.succeeded': 'requested' } },
    cancelling: { on: { 'command.refused': 'requested', 'command.succeeded': 'requested' } },
    accepted: { type: 'final' },
    rejected: { type: 'final' },
    cancelled: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const installRequest = defineLifecycle({
  kind: 'install-request',
  version: 3,
  // Version 2 added `gone`. Since version 3 only facts of the ledger end a lifecycle.
  migrations: [asItWas, asItWas],
  machine: installRequestMachine,
  actions: [
    { name: 'accept', event: 'installRequest.accept', role: 'provider', verb: 'accept' },
    { name: 'reject', event: 'installRequest.reject', role: 'provider', verb: 'reject' },
    { name: 'cancel', event: 'installRequest.cancel', role: 'user', verb: 'cancel' },
  ],
});
