import { change } from './commands.ts';
import type { LedgerClients } from './clients.ts';
import { ACS_DELTA, eventsOf, updatesOf } from './formats.ts';
import { USER_ADMIN, USER_PERSON, USER_READER } from './identities.ts';
import { createRequest } from './licensing.ts';
import { transact } from './steps.ts';
import { readAll } from './streams.ts';

/** Calls with a name for each. A caller makes them, if necessary for a party. */
type Calls = readonly (readonly [
  name: string,
  call: (clients: LedgerClients, party: string) => Promise<unknown>,
])[];

/** One call of each service. All of them are valid, so that only the token can be the reason for a refusal. */
export const PARTY_CALLS: Calls = [
  [
    'CommandService/SubmitAndWait',
    (clients, party) => clients.commands.submitAndWait({ commands: requestAs(party) }),
  ],
  [
    'CommandService/SubmitAndWaitForTransaction',
    (clients, party) => transact(clients, requestAs(party)),
  ],
  [
    'CommandSubmissionService/Submit',
    (clients, party) => clients.submission.submit({ commands: requestAs(party) }),
  ],
  [
    'CommandCompletionService/CompletionStream',
    (clients, party) => readAll(clients.completions.completionStream({ parties: [party] })),
  ],
  [
    'CommandCompletionService/GetCompletions',
    (clients, party) => readAll(clients.completions.getCompletions({ parties: [party] })),
  ],
  [
    'UpdateService/GetUpdates',
    (clients, party) =>
      readAll(clients.updates.getUpdates({ updateFormat: updatesOf(ACS_DELTA, [party]) })),
  ],
  [
    'UpdateService/GetUpdateByOffset',
    (clients, party) =>
      clients.updates.getUpdateByOffset({
        offset: 1n,
        updateFormat: updatesOf(ACS_DELTA, [party]),
      }),
  ],
  [
    'UpdateService/GetUpdateById',
    (clients, party) =>
      clients.updates.getUpdateById({ updateId: 'x', updateFormat: updatesOf(ACS_DELTA, [party]) }),
  ],
  [
    'UpdateService/GetUpdatesPage',
    (clients, party) =>
      clients.updates.getUpdatesPage({ updateFormat: updatesOf(ACS_DELTA, [party]) }),
  ],
  [
    'StateService/GetActiveContracts',
    (clients, party) =>
      readAll(
        clients.state.getActiveContracts({ activeAtOffset: 0n, eventFormat: eventsOf([party]) }),
      ),
  ],
  [
    'StateService/GetActiveContractsPage',
    (clients, party) => clients.state.getActiveContractsPage({ eventFormat: eventsOf([party]) }),
  ],
  [
    'EventQueryService/GetEventsByContractId',
    (clients, party) =>
      clients.events.getEventsByContractId({ contractId: '00', eventFormat: eventsOf([party]) }),
  ],
  [
    'ContractService/GetContract',
    (clients, party) =>
      clients.contracts.getContract({ contractId: '00', queryingParties: [party] }),
  ],
];

export const ADMIN_CALLS: Calls = [
  [
    'PackageManagementService/ListKnownPackages',
    (clients) => clients.packageAdmin.listKnownPackages({}),
  ],
  ['PackageManagementService/UploadDarFile', (clients) => clients.packageAdmin.uploadDarFile({})],
  [
    'PackageManagementService/ValidateDarFile',
    (clients) => clients.packageAdmin.validateDarFile({}),
  ],
  [
    'PartyManagementService/GetParties',
    (clients, party) => clients.partyAdmin.getParties({ parties: [`${party}x`] }),
  ],
  ['PartyManagementService/ListKnownParties', (clients) => clients.partyAdmin.listKnownParties({})],
  [
    'PartyManagementService/AllocateParty',
    (clients) => clients.partyAdmin.allocateParty({ partyIdHint: 'no-right' }),
  ],
  [
    'PartyManagementService/UpdatePartyDetails',
    (clients, party) =>
      clients.partyAdmin.updatePartyDetails({
        partyDetails: { party },
        updateMask: ['local_metadata'],
      }),
  ],
  [
    'UserManagementService/CreateUser',
    (clients) => clients.userAdmin.createUser({ user: { id: 'no-right' } }),
  ],
  [
    'UserManagementService/UpdateUser',
    (clients) =>
      clients.userAdmin.updateUser({ user: { id: USER_READER.userId }, updateMask: ['metadata'] }),
  ],
  [
    'UserManagementService/DeleteUser',
    (clients) => clients.userAdmin.deleteUser({ userId: USER_PERSON.userId }),
  ],
  ['UserManagementService/ListUsers', (clients) => clients.userAdmin.listUsers({})],
  [
    'UserManagementService/GetUser of another',
    (clients) => clients.userAdmin.getUser({ userId: USER_ADMIN.userId }),
  ],
  [
    'UserManagementService/ListUserRights of another',
    (clients) => clients.userAdmin.listUserRights({ userId: USER_ADMIN.userId }),
  ],
  [
    'UserManagementService/GrantUserRights',
    (clients, party) =>
      clients.userAdmin.grantUserRights({ userId: USER_READER.userId, rights: [actAs(party)] }),
  ],
  [
    'UserManagementService/RevokeUserRights',
    (clients, party) =>
      clients.userAdmin.revokeUserRights({ userId: USER_ADMIN.userId, rights: [actAs(party)] }),
  ],
];

export const PUBLIC_CALLS: Calls = [
  ['PartyManagementService/GetParticipantId', (clients) => clients.partyAdmin.getParticipantId({})],
  ['StateService/GetLedgerEnd', (clients) => clients.state.getLedgerEnd({})],
  ['StateService/GetLatestPrunedOffsets', (clients) => clients.state.getLatestPrunedOffsets({})],
  [
    'StateService/GetConnectedSynchronizers',
    (clients) => clients.state.getConnectedSynchronizers({}),
  ],
  ['PackageService/ListPackages', (clients) => clients.packages.listPackages({})],
  [
    'PackageService/GetPackageStatus',
    (clients) => clients.packages.getPackageStatus({ packageId: 'ab'.repeat(32) }),
  ],
];

export const requestAs = (party: string) =>
  change(createRequest({ user: party, provider: party }), { actAs: [party] });

const actAs = (party: string) => ({ kind: { $case: 'canActAs', value: { party } } }) as const;
export const readAs = (party: string) =>
  ({ kind: { $case: 'canReadAs', value: { party } } }) as const;
