import { assign, setup } from 'xstate';
import type { GoneEvent, OutcomeEvent } from './machine-kit.ts';
import { asItWas, defineLifecycle, runElsewhere } from './machine-kit.ts';

export interface InstallContext {
  /** The number of licences created so far, from the contract: a ledger integer, kept as text. */
  readonly numLicensesCreated: string;
}

export type InstallEvent =
  // Requests of a caller.
  | { readonly type: 'install.createLicense'; readonly changeId: string }
  | { readonly type: 'install.cancel'; readonly changeId: string }
  // The outcome of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.installReplaced'; readonly numLicensesCreated: string }
  | { readonly type: 'ledger.installCancelled' };

/**
 * One installation of the app for one user. Creating a licence archives the contract and creates the next one; the
 * lifecycle continues.
 *
 * - `active`: the provider may create licences, either side may cancel.
 * - `creatingLicense`: AppInstall_CreateLicense is on its way.
 * - `cancelling`: AppInstall_Cancel is on its way.
 * - `cancelled`: final. Its licences continue.
 * - `gone`: final. The contract is no longer active; the update that ended it was pruned before it was read.
 */
export const installMachine = setup({
  types: {} as { events: InstallEvent; context: InstallContext; input: InstallContext },
  actions: { 'create-license': runElsewhere, 'cancel-install': runElsewhere },
}).createMachine({
  id: 'install',
  context: ({ input }) => ({ numLicensesCreated: input.numLicensesCreated }),
  initial: 'active',
  on: {
    // Accepted in every state, because another client of the participant may create licences too.
    'ledger.installReplaced': {
      actions: assign({ numLicensesCreated: ({ event }) => event.numLicensesCreated }),
    },
    'ledger.installCancelled': '.cancelled',
    'ledger.gone': '.gone',
  },
  states: {
    active: {
      on: {
        'install.createLicense': { target: 'creatingLicense', actions: 'create-license' },
        'install.cancel': { target: 'cancelling', actions: 'cancel-install' },
      },
    },
    creatingLicense: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    cancelling: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    cancelled: { type: 'final' },
    gone: { type: 'final' },
  },
});

export const install = defineLifecycle({
  kind: 'install',
  version: 3,
  // Version 2 added `gone`. Since version 3 only facts of the ledger end a lifecycle.
  migrations: [asItWas, asItWas],
  machine: installMachine,
  actions: [
    {
      name: 'create-license',
      event: 'install.createLicense',
      role: 'provider',
      verb: 'create-license',
    },
    { name: 'cancel', event: 'install.cancel', role: 'either', verb: 'cancel' },
  ],
});
