import { expect, test } from 'vitest';
import type { ExecuteSubmissionRequest } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { completionOf, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { execution, executeAs, externalParty, p256, preparation } from '../kit/external-party.ts';
import type { ExternalParty } from '../kit/external-party.ts';
import { ACS_DELTA, LEDGER_EFFECTS, eventsOf, transactions, updatesOf } from '../kit/formats.ts';
import { REQUEST, createRequest, exercise, meta } from '../kit/licensing.ts';
import { refusalOf } from '../kit/refusal.ts';
import { activeContracts } from '../kit/steps.ts';
import { readAll, transactionsIn } from '../kit/streams.ts';
import { recordValue } from '../kit/values.ts';

/*
 * Modelled on the public conformance suite InteractiveSubmissionServiceIT. An AppInstallRequest, which its user signs
 * and may cancel, takes the place of the suite's template Dummy.
 */

const { network, ledger, party } = await openSuite();
const { interactive } = ledger;
const { synchronizerId } = network.localnet;

const request = (who: string, provider = who) => createRequest({ user: who, provider });
const cancel = (contractId: string) =>
  exercise(REQUEST, contractId, 'AppInstallRequest_Cancel', recordValue({ meta: meta() }));

async function prepared(who: ExternalParty, command = request(who.party)) {
  return interactive.prepareSubmission(preparation(who.party, command));
}

const createdIn = (transaction: Transaction): CreatedEvent => {
  const event = transaction.events[0]?.event;
  if (event?.$case !== 'created') throw new Error('nothing was created');
  return event.value;
};

/** Cuts off a part of each signature of the request. */
function spoilt(execute: ExecuteSubmissionRequest): ExecuteSubmissionRequest {
  for (const { signatures } of execute.partySignatures!.signatures) {
    for (const signature of signatures) signature.signature = signature.signature.slice(1);
  }
  return execute;
}

/** Creates a contract of an external party, and returns it with the disclosure that other parties need to use it. */
async function disclosedContract(owner: ExternalParty) {
  const { transaction } = await executeAs(ledger, owner, request(owner.party));
  const { contractId } = createdIn(transaction);
  const format = eventsOf([owner.party], { blobs: true });
  const [active] = await activeContracts(ledger, format);
  const { templateId, createdEventBlob } = active!.createdEvent!;
  return { contractId, disclosed: { templateId, contractId, createdEventBlob, synchronizerId } };
}

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionRequestBasic: a submission is prepared', async () => {
  const who = await party();
  const response = await interactive.prepareSubmission(preparation(who, request(who)));
  expect(response.preparedTransaction?.transaction?.roots).toEqual(['0']);
  expect(response.preparedTransactionHash).toHaveLength(32);
  const { costEstimation } = response;
  expect(costEstimation!.totalTrafficCostEstimation).toBeGreaterThan(0n);
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionRequestWithoutCostEstimation: without a cost', async () => {
  const who = await party();
  const estimateTrafficCost = { disabled: true, expectedSignatures: [] };
  const response = await interactive.prepareSubmission(
    preparation(who, request(who), { estimateTrafficCost }),
  );
  expect(response.costEstimation).toBeUndefined();
  expect(response.preparedTransactionHash).toHaveLength(32);
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionRequestExplicitDisclosure: with a contract of others', async () => {
  const owner = await externalParty(network, 'owner');
  const stranger = await externalParty(network, 'stranger');
  const { contractId, disclosed } = await disclosedContract(owner);
  const refusal = await refusalOf(
    interactive.prepareSubmission(
      preparation(stranger.party, cancel(contractId), { disclosedContracts: [disclosed] }),
    ),
  );
  // The contract is known and may be used. Only the next check finds that the stranger may not cancel it.
  expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
  const response = await interactive.prepareSubmission(
    preparation(owner.party, cancel(contractId), { disclosedContracts: [disclosed] }),
  );
  const inputs = response.preparedTransaction!.metadata!.inputContracts;
  expect(inputs.map(({ contract }) => contract!.value.contractId)).toEqual([contractId]);
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionRequestFailOnUnknownContract: a contract that is not shown', async () => {
  const owner = await externalParty(network, 'owner');
  const stranger = await externalParty(network, 'stranger');
  const { contractId } = await disclosedContract(owner);
  await expectRefused(
    interactive.prepareSubmission(preparation(stranger.party, cancel(contractId))),
    'CONTRACT_NOT_FOUND',
  );
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionRequestSynchronizerId: for a synchronizer', async () => {
  const who = await party();
  const response = await interactive.prepareSubmission(
    preparation(who, request(who), { synchronizerId }),
  );
  const { metadata } = response.preparedTransaction!;
  expect(metadata!.synchronizerId.startsWith(`${synchronizerId}::`)).toBe(true);
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionExecuteBasic: an externally signed transaction', async () => {
  const alice = await externalParty(network, 'alice');
  const response = await prepared(alice);
  const begin = await ledgerEnd(ledger);
  const execute = execution(response, alice);
  await interactive.executeSubmission(execute);
  const { submissionId } = execute;
  const completion = await completionOf(ledger, { actAs: [alice.party], submissionId }, begin);
  expect(completion.status?.code).toBe(0);
  const updates = await readAll(
    ledger.updates.getUpdates({
      beginExclusive: begin,
      endInclusive: await ledgerEnd(ledger),
      updateFormat: updatesOf(LEDGER_EFFECTS, [alice.party]),
    }),
  );
  const [transaction] = transactionsIn(updates);
  expect(transaction!.events[0]!.event!.$case).toBe('created');
  expect(Buffer.from(transaction!.externalTransactionHash!)).toEqual(
    Buffer.from(response.preparedTransactionHash),
  );
});

test('InteractiveSubmissionServiceIT ISSExecuteSubmissionAndWaitBasic: and what became of it', async () => {
  const alice = await externalParty(network, 'alice', { signer: p256() });
  const response = await prepared(alice);
  const accepted = await interactive.executeSubmissionAndWait(execution(response, alice));
  const { update } = await ledger.updates.getUpdateById({
    updateId: accepted.updateId,
    updateFormat: updatesOf(ACS_DELTA, [alice.party]),
  });
  if (update?.$case !== 'transaction') throw new Error('no transaction');
  expect(update.value).toMatchObject({
    updateId: accepted.updateId,
    offset: accepted.completionOffset,
  });
  expect(Buffer.from(update.value.externalTransactionHash!)).toEqual(
    Buffer.from(response.preparedTransactionHash),
  );
});

const INVALID = 'Received 0 valid signatures from distinct keys (1 invalid)';

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionFailExecuteOnInvalidSignature: a wrong signature', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = spoilt(execution(await prepared(alice), alice));
  await expectRefused(
    interactive.executeSubmission(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    INVALID,
  );
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionFailExecuteAndWaitOnInvalidSignature: a wrong signature, waited for', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = spoilt(execution(await prepared(alice), alice));
  await expectRefused(
    interactive.executeSubmissionAndWait(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    INVALID,
  );
});

test('InteractiveSubmissionServiceIT ISSPrepareSubmissionFailExecuteOnInvalidSignatory: a signature of another party', async () => {
  const alice = await externalParty(network, 'alice');
  const bob = await externalParty(network, 'bob');
  await expectRefused(
    interactive.executeSubmission(execution(await prepared(alice), bob)),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'The following actAs parties did not provide an external signature',
  );
});

test('InteractiveSubmissionServiceIT ISSExecuteSubmissionRequestWithInputContracts: with a contract that is brought along', async () => {
  const owner = await externalParty(network, 'owner');
  const { contractId, disclosed } = await disclosedContract(owner);
  const response = await interactive.prepareSubmission(
    preparation(owner.party, cancel(contractId), { disclosedContracts: [disclosed] }),
  );
  const transactionFormat = transactions(LEDGER_EFFECTS, eventsOf([owner.party]));
  const { transaction } = await interactive.executeSubmissionAndWaitForTransaction({
    ...execution(response, owner),
    transactionFormat,
  });
  expect(transaction!.events[0]!.event!.$case).toBe('exercised');
});

test('InteractiveSubmissionServiceIT ISSExecuteSubmissionRequestFailOnEmptyInputContracts: without it', async () => {
  const owner = await externalParty(network, 'owner');
  const { contractId } = await disclosedContract(owner);
  const execute = execution(await prepared(owner, cancel(contractId)), owner);
  execute.preparedTransaction!.metadata!.inputContracts = [];
  await expectRefused(
    interactive.executeSubmission(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'Missing input contracts',
  );
});

test('InteractiveSubmissionServiceIT ISSDuplicateExecuteAndWaitForTransactionData: the same again', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = { ...execution(await prepared(alice), alice), transactionFormat: undefined };
  await interactive.executeSubmissionAndWaitForTransaction(execute);
  await expectRefused(
    interactive.executeSubmissionAndWaitForTransaction(execute),
    'DUPLICATE_COMMAND',
  );
});

test('InteractiveSubmissionServiceIT ISSDuplicateExecuteAndWaitData: the same again, without the transaction', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = execution(await prepared(alice), alice);
  await interactive.executeSubmissionAndWait(execute);
  await expectRefused(interactive.executeSubmissionAndWait(execute), 'DUPLICATE_COMMAND');
});

test('InteractiveSubmissionServiceIT ISSExecuteAndWaitForTransactionBasic: the transaction as it is asked for', async () => {
  const alice = await externalParty(network, 'alice');
  const { transaction } = await interactive.executeSubmissionAndWaitForTransaction({
    ...execution(await prepared(alice), alice),
    transactionFormat: transactions(ACS_DELTA, eventsOf([alice.party])),
  });
  expect(createdIn(transaction!).signatories).toEqual([alice.party]);
});

test('InteractiveSubmissionServiceIT ISSExecuteAndWaitForTransactionNoFilter: the transaction as its parties see it', async () => {
  const alice = await externalParty(network, 'alice');
  const { transaction } = await executeAs(ledger, alice, request(alice.party));
  expect(createdIn(transaction).signatories).toEqual([alice.party]);
});

test('InteractiveSubmissionServiceIT ISSExecuteAndWaitForTransactionFilterByWrongParty: as another party sees it', async () => {
  const alice = await externalParty(network, 'alice');
  const bob = await externalParty(network, 'bob');
  for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
    const { transaction } = await interactive.executeSubmissionAndWaitForTransaction({
      ...execution(await prepared(alice), alice),
      transactionFormat: transactions(shape, eventsOf([bob.party])),
    });
    expect(transaction!.events).toEqual([]);
  }
});

const NO_SYNCHRONIZER =
  'Invalid field synchronizer_id: Unable to convert field `synchronizer_id`: Unable to parse `invalidSynchronizerId` as physical synchronizer id';

test('InteractiveSubmissionServiceIT ISSExecuteAndWaitInvalidSynchronizerId: for no synchronizer', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = execution(await prepared(alice), alice);
  execute.preparedTransaction!.metadata!.synchronizerId = 'invalidSynchronizerId';
  await expectRefused(
    interactive.executeSubmissionAndWait(execute),
    'INVALID_FIELD',
    NO_SYNCHRONIZER,
  );
});

test('InteractiveSubmissionServiceIT ISSExecuteAndWaitForTransactionInvalidSynchronizerId: for no synchronizer', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = execution(await prepared(alice), alice);
  execute.preparedTransaction!.metadata!.synchronizerId = 'invalidSynchronizerId';
  await expectRefused(
    interactive.executeSubmissionAndWaitForTransaction(execute),
    'INVALID_FIELD',
    NO_SYNCHRONIZER,
  );
});

const LICENSING = 'quickstart-licensing';
const AMULET = 'splice-amulet';

test('InteractiveSubmissionServiceIT ISSPreferredPackagesKnown: versions that all can use', async () => {
  const parties = [await party(), await party()];
  const { packageReferences, synchronizerId: found } = await interactive.getPreferredPackages({
    packageVettingRequirements: [
      { parties, packageName: LICENSING },
      { parties, packageName: AMULET },
    ],
  });
  expect(found).toBe(synchronizerId);
  expect(packageReferences.map(({ packageName }) => packageName)).toEqual([LICENSING, AMULET]);
  const { packageIds } = await ledger.packages.listPackages({});
  for (const { packageId } of packageReferences) expect(packageIds).toContain(packageId);
});

/** The two calls by which a client can ask for the preference for one package. */
const asking = [
  (parties: string[], packageName: string, synchronizerId = '') =>
    interactive.getPreferredPackages({
      packageVettingRequirements: [{ parties, packageName }],
      synchronizerId,
    }),
  (parties: string[], packageName: string, synchronizerId = '') =>
    interactive.getPreferredPackageVersion({ parties, packageName, synchronizerId }),
];

test.each([
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackagesUnknownParty: of an unknown party',
    asking[0]!,
  ],
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackageVersionUnknownParty: of an unknown party',
    asking[1]!,
  ],
])('%s', async (_title, ask) => {
  await expectRefused(ask(['invalid-party'], LICENSING), 'UNKNOWN_INFORMEES');
  await expectRefused(ask(['unknownParty::ns'], LICENSING), 'UNKNOWN_INFORMEES');
});

test.each([
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackagesUnknownPackageName: of no package',
    asking[0]!,
  ],
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackageVersionUnknownPackageName: of no package',
    asking[1]!,
  ],
])('%s', async (_title, ask) => {
  const who = await party();
  await expectRefused(
    ask([who], 'What-Is-A-Package-Name?'),
    'INVALID_FIELD',
    'package_name/packageName',
  );
  await expectRefused(ask([who], 'NoSuchPackage'), 'PACKAGE_NAMES_NOT_FOUND');
});

test.each([
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackagesUnknownSynchronizerId: on no synchronizer',
    asking[0]!,
  ],
  [
    'InteractiveSubmissionServiceIT ISSPreferredPackageVersionUnknownSynchronizerId: on no synchronizer',
    asking[1]!,
  ],
])('%s', async (_title, ask) => {
  const who = await party();
  await expectRefused(
    ask([who], LICENSING, 'invalidSyncId'),
    'INVALID_FIELD',
    'synchronizer_id/synchronizerId',
  );
  await expectRefused(
    ask([who], LICENSING, 'unknownSynchronizerId::ns'),
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
  );
});

test('InteractiveSubmissionServiceIT ISSPreferredPackageVersionKnown: the version that all can use', async () => {
  const parties = [await party(), await party()];
  const { packagePreference } = await interactive.getPreferredPackageVersion({
    parties,
    packageName: LICENSING,
  });
  expect(packagePreference).toMatchObject({
    packageReference: { packageName: LICENSING },
    synchronizerId,
  });
});
