import { expect, test } from 'vitest';
import { HashingSchemeVersion } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { change, completionOf, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { execution, executeAs, externalParty, preparation } from '../kit/external-party.ts';
import type { ExternalParty } from '../kit/external-party.ts';
import { ACS_DELTA, updatesOf } from '../kit/formats.ts';
import { PROVIDER_ADMIN, USER_READER } from '../kit/identities.ts';
import {
  REQUEST,
  createAndCancel,
  createRequest,
  exercise,
  meta,
  requestArguments,
  create,
} from '../kit/licensing.ts';
import { refusalOf, refusalOfStatus } from '../kit/refusal.ts';
import { readAll, transactionsIn } from '../kit/streams.ts';
import { recordValue } from '../kit/values.ts';

/* Modelled on Canton's InteractiveSubmissionIntegrationTest. */

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

test('InteractiveSubmissionIntegrationTest fail preparing multiple commands', async () => {
  const who = await party();
  const commands = [request(who), request(who)];
  await expectRefused(
    interactive.prepareSubmission({ ...preparation(who, request(who)), commands }),
    'FAILED_TO_PREPARE_TRANSACTION',
    'Preparing multiple commands is currently not supported',
  );
});

test('InteractiveSubmissionIntegrationTest fail executing multiple root nodes', async () => {
  const alice = await externalParty(network, 'alice');
  const command = createAndCancel({ user: alice.party, provider: alice.party });
  await expectRefused(
    interactive.executeSubmission(execution(await prepared(alice, command), alice)),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'Transaction with multiple root nodes are not supported',
  );
});

test('InteractiveSubmissionIntegrationTest return a clear error if the wrong kind of synchronizer ID is used', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = execution(await prepared(alice), alice);
  execute.preparedTransaction!.metadata!.synchronizerId = synchronizerId;
  await expectRefused(
    interactive.executeSubmission(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'Please use a Physical Synchronizer ID',
  );
});

test('InteractiveSubmissionIntegrationTest create a contract with verbose hashing', async () => {
  const who = await party();
  const response = await interactive.prepareSubmission(
    preparation(who, request(who), { verboseHashing: true }),
  );
  expect(response.hashingDetails).toContain('Verbose hashing is disabled on this participant');
});

test('InteractiveSubmissionIntegrationTest fail in phase 1 if the number of signatures is above the number of registered keys', async () => {
  const alice = await externalParty(network, 'alice');
  const execute = execution(await prepared(alice), alice);
  const [own] = execute.partySignatures!.signatures;
  own!.signatures.push({ ...own!.signatures[0]!, signedBy: 'another' });
  await expectRefused(
    interactive.executeSubmission(execute),
    'FAILED_TO_EXECUTE_TRANSACTION',
    'which is more than the number of registered signing keys (1)',
  );
});

test('InteractiveSubmissionIntegrationTest fail to prepare if the party does not exist on the synchronizer', async () => {
  const who = `missing::${'1220'.padEnd(68, '0')}`;
  await expectRefused(
    interactive.prepareSubmission(preparation(who, request(who))),
    'UNKNOWN_SUBMITTERS',
  );
});

test('InteractiveSubmissionIntegrationTest fail to prepare a transaction if the preparing party is not authorized', async () => {
  const alice = await externalParty(network, 'alice');
  const reader = network.as(USER_READER);
  const refused = [
    reader.interactive.prepareSubmission(preparation(alice.party, request(alice.party))),
    reader.interactive.executeSubmission(execution(await prepared(alice), alice)),
  ];
  for (const call of refused) expect((await refusalOf(call)).status).toBe('PERMISSION_DENIED');
});

test('submit through a participant that does not host the party', async () => {
  const alice = await externalParty(network, 'alice');
  const other = network.as(PROVIDER_ADMIN);
  const rights = ['canReadAs', 'canExecuteAs'] as const;
  await other.userAdmin.grantUserRights({
    userId: PROVIDER_ADMIN.userId,
    rights: rights.map(($case) => ({ kind: { $case, value: { party: alice.party } } })),
  });
  const response = await other.interactive.prepareSubmission(
    preparation(alice.party, request(alice.party)),
  );
  const begin = await ledgerEnd(ledger);
  await other.interactive.executeSubmissionAndWait(execution(response, alice));
  const updates = await readAll(
    ledger.updates.getUpdates({
      beginExclusive: begin,
      endInclusive: await ledgerEnd(ledger),
      updateFormat: updatesOf(ACS_DELTA, [alice.party]),
    }),
  );
  expect(transactionsIn(updates)).toHaveLength(1);
});

test('a transaction that is not what was prepared fails its confirmation', async () => {
  const alice = await externalParty(network, 'alice');
  const { contractId } = await newContract(alice);
  const response = await prepared(alice, cancel(contractId));
  const node = response.preparedTransaction!.transaction!.nodes[0]!.versionedNode!.value.nodeType!;
  if (node.$case !== 'exercise') throw new Error('no exercise');
  node.value.exerciseResult = recordValue({});
  const { hashesOf } = await import('../../../localnet/interactive/hash.ts');
  response.preparedTransactionHash = hashesOf(response.preparedTransaction!, 2).whole;
  const begin = await ledgerEnd(ledger);
  const execute = execution(response, alice);
  await interactive.executeSubmission(execute);
  const { submissionId } = execute;
  const { status } = await completionOf(ledger, { actAs: [alice.party], submissionId }, begin);
  // Canton reports this as an alarm, whose details clients do not see.
  expect(refusalOfStatus(status!)).toMatchObject({ status: 'INVALID_ARGUMENT', reason: undefined });
});

test('hashing scheme V3', async () => {
  const alice = await externalParty(network, 'alice');
  const response = await interactive.prepareSubmission(
    preparation(alice.party, request(alice.party), {
      hashingSchemeVersion: HashingSchemeVersion.V3,
    }),
  );
  expect(response.hashingSchemeVersion).toBe(HashingSchemeVersion.V3);
  await interactive.executeSubmissionAndWait(execution(response, alice));
  await expectRefused(
    interactive.executeSubmission({
      ...execution(response, alice),
      hashingSchemeVersion: HashingSchemeVersion.UNSPECIFIED,
    }),
    'INVALID_FIELD',
    'Unspecified version',
  );
});

test('an external party does not act without its signature', async () => {
  const alice = await externalParty(network, 'alice');
  const { id: userId } = (await ledger.userAdmin.getUser({})).user!;
  const value = { party: alice.party };
  await ledger.userAdmin.grantUserRights({
    userId,
    rights: [{ kind: { $case: 'canActAs', value } }],
  });
  await expectRefused(
    ledger.commands.submitAndWait({
      commands: change(request(alice.party), { actAs: [alice.party] }),
    }),
    'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
  );
});

test('a contract may name what an external party and another one agree on', async () => {
  const alice = await externalParty(network, 'alice');
  const provider = await party();
  const { transaction } = await executeAs(
    ledger,
    alice,
    create(REQUEST, requestArguments({ user: alice.party, provider })),
  );
  expect(createdIn(transaction).observers).toEqual([provider]);
});

/** Creates a request contract, signed by the party. */
async function newContract(who: ExternalParty): Promise<CreatedEvent> {
  return createdIn((await executeAs(ledger, who, request(who.party))).transaction);
}
