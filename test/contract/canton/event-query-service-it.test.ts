import { expect, test } from 'vitest';
import type { EventFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { change } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { LEDGER_EFFECTS, eventsOf, eventsOfAnyParty, transactions } from '../kit/formats.ts';
import { INSTALL, REQUEST, archive, createAndCancel } from '../kit/licensing.ts';
import { activeContracts, newRequest, transact } from '../kit/steps.ts';
import { archivedIn, createdIn } from '../kit/streams.ts';

/*
 * A few cases about look-ups from each of the public conformance suites EventQueryServiceIT, ContractServiceIT,
 * StateServiceIT, PackageServiceIT and PackageManagementServiceIT.
 */

const { ledger, party, network } = await openSuite();

const EVENTS = 'EventQueryServiceIT';
const CONTRACTS = 'ContractServiceIT';
const PACKAGES = 'PackageServiceIT';

const own = (name: string) => ({ user: name, provider: name });
const eventsById = (contractId: string, eventFormat: EventFormat) =>
  ledger.events.getEventsByContractId({ contractId, eventFormat });

/** Creates a contract of a new party, and returns it as the stream of active contracts shows it. */
async function activeRequest(verbose = true) {
  const name = await party();
  await newRequest(ledger, own(name));
  const [active] = await activeContracts(ledger, eventsOf([name], { verbose }));
  return { name, created: active!.createdEvent! };
}

const HIDDEN = 'Contract events not found, or not visible';

test(`${EVENTS} TXEventsByContractIdBasic: the creation`, async () => {
  const { name, created } = await activeRequest();
  const found = await eventsById(created.contractId, eventsOf([name]));
  expect(found.created!.createdEvent).toEqual(created);
  expect(found.archived).toBeUndefined();
});

test(`${EVENTS} TXEventsByContractIdConsumed: and the archival`, async () => {
  const { name, created } = await activeRequest();
  const command = archive(REQUEST, created.contractId);
  const [archived] = archivedIn(await transact(ledger, change(command, { actAs: [name] })));
  const found = await eventsById(created.contractId, eventsOf([name]));
  expect(found.created!.createdEvent!.contractId).toBe(created.contractId);
  expect(found.archived!.archivedEvent).toEqual(archived);
});

test(`${EVENTS} TXEventsByContractIdNotExistent: a contract that never was`, async () => {
  const contractId = `${'00'.repeat(32)}0001`;
  const call = eventsById(contractId, eventsOf([await party()]));
  const refusal = await expectRefused(call, 'CONTRACT_EVENTS_NOT_FOUND', HIDDEN);
  expect(refusal.metadata['definite_answer']).toBe('false');
  expect(refusal.resources).toEqual([{ type: 'CONTRACT_ID', name: contractId }]);
});

test(`${EVENTS} TXEventsByContractIdNotVisible: one of another party`, async () => {
  const { created } = await activeRequest();
  const call = eventsById(created.contractId, eventsOf([await party()]));
  await expectRefused(call, 'CONTRACT_EVENTS_NOT_FOUND', HIDDEN);
});

test(`${EVENTS} TXEventsByContractIdFilterCombinations: the format says what is seen`, async () => {
  const { name, created } = await activeRequest(false);
  const other = await party();
  const templates = [REQUEST];
  const verbose = false;
  for (const format of [eventsOfAnyParty({ verbose }), eventsOf([name], { templates, verbose })]) {
    const found = await eventsById(created.contractId, format);
    expect(found).toMatchObject({ created: { createdEvent: created } });
    expect(found.archived).toBeUndefined();
  }
  for (const format of [
    eventsOf([other], { templates, verbose }),
    eventsOf([name], { templates: [INSTALL], verbose }),
  ]) {
    const call = eventsById(created.contractId, format);
    await expectRefused(call, 'CONTRACT_EVENTS_NOT_FOUND', HIDDEN);
  }
});

test(`${EVENTS} TXEventsByContractIdTransient: both, where one transaction did both`, async () => {
  const name = await party();
  const commands = change(createAndCancel(own(name)), { actAs: [name] });
  const effects = transactions(LEDGER_EFFECTS, eventsOf([name]));
  const [created] = createdIn(await transact(ledger, commands, effects));
  for (const format of [eventsOf([name]), eventsOfAnyParty()]) {
    const found = await eventsById(created!.contractId, format);
    expect(found.created!.createdEvent).toBeDefined();
    expect(found.archived!.archivedEvent).toBeDefined();
  }
});

const contract = async (contractId: string, ...queryingParties: string[]) =>
  (await ledger.contracts.getContract({ contractId, queryingParties })).createdEvent!;

test(`${CONTRACTS} CSNotFound: who has no stake does not see it`, async () => {
  const { created } = await activeRequest();
  const call = contract(created.contractId, await party());
  const text = 'Contract payload not found, or not visible.';
  const refusal = await expectRefused(call, 'CONTRACT_PAYLOAD_NOT_FOUND', text);
  expect(refusal.metadata['definite_answer']).toBe('false');
});

for (const [id, partiesOf] of [
  ['CSanyParty', () => []],
  ['CSforParty', (name: string) => [name]],
] as const) {
  test(`${CONTRACTS} ${id}: with its blob, and not where it was created`, async () => {
    const { name, created } = await activeRequest(false);
    const found = await contract(created.contractId, ...partiesOf(name));
    expect(found.createdEventBlob.length).toBeGreaterThan(0);
    expect(found).toMatchObject({
      contractId: created.contractId,
      createArguments: created.createArguments,
      offset: 1n,
      nodeId: 0,
      acsDelta: false,
      witnessParties: [name],
    });
  });
}

test('StateServiceIT StateServiceGetConnectedSynchronizersWithoutParty: those of the participant', async () => {
  const { connectedSynchronizers } = await ledger.state.getConnectedSynchronizers({});
  expect(connectedSynchronizers.map(({ synchronizerId }) => synchronizerId)).toEqual([
    network.localnet.synchronizerId,
  ]);
});

test(`${PACKAGES} PackagesList: there are some`, async () => {
  const { packageIds } = await ledger.packages.listPackages({});
  expect(packageIds.length).toBeGreaterThan(2);
});

test(`${PACKAGES} PackagesGetKnown: a package that is there`, async () => {
  const [packageId] = (await ledger.packages.listPackages({})).packageIds;
  const { archivePayload, hash } = await ledger.packages.getPackage({ packageId: packageId! });
  expect(archivePayload.length).toBeGreaterThan(0);
  expect(hash).toBe(packageId);
});

const UNKNOWN_PACKAGE = ' ';

test(`${PACKAGES} PackagesGetUnknown: one that is not`, async () => {
  const call = ledger.packages.getPackage({ packageId: UNKNOWN_PACKAGE });
  const refusal = await expectRefused(call, 'PACKAGE_NOT_FOUND', 'Could not find package.');
  expect(refusal.status).toBe('NOT_FOUND');
});

test(`${PACKAGES} PackagesStatusKnown: it is registered`, async () => {
  const [packageId] = (await ledger.packages.listPackages({})).packageIds;
  const status = await ledger.packages.getPackageStatus({ packageId: packageId! });
  expect(status.packageStatus).toBe(1);
});

test(`${PACKAGES} PackagesStatusUnknown: nothing is said of it`, async () => {
  const status = await ledger.packages.getPackageStatus({ packageId: UNKNOWN_PACKAGE });
  expect(status.packageStatus).toBe(0);
});

test('PackageManagementServiceIT PMEmptyUpload: nothing is no DAR', async () => {
  const call = ledger.packageAdmin.uploadDarFile({ darFile: new Uint8Array() });
  const refusal = await expectRefused(call, 'INVALID_DAR', 'Dar file is corrupt');
  expect(refusal.status).toBe('INVALID_ARGUMENT');
});
