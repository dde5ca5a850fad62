import { expect, test } from 'vitest';
import type { Command, Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { TransactionFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import {
  ACS_DELTA,
  LEDGER_EFFECTS,
  eventsOf,
  eventsOfAnyParty,
  transactions,
  updatesOf,
} from '../kit/formats.ts';
import { PROVIDER_ADMIN } from '../kit/identities.ts';
import {
  INSTALL,
  REQUEST,
  accept,
  create,
  createAndCancel,
  createAndExercise,
  createInstall,
  createRequest,
  requestArguments,
  templateName,
} from '../kit/licensing.ts';
import { activeContracts, newRequest, transact } from '../kit/steps.ts';
import { between, createdIn, exercisedIn } from '../kit/streams.ts';
import { record } from '../kit/values.ts';

/*
 * Modelled on the public conformance suite CommandServiceIT; cases that need two synchronizers are omitted, because
 * LocalNet has one.
 */

const { network, ledger, party } = await openSuite();

const SUITE = 'CommandServiceIT';
const by = (name: string, commands: Command | Command[]) => change(commands, { actAs: [name] });
/** Returns a request that a party makes to itself, so that no other party is a stakeholder. */
const ownRequest = (name: string) => createRequest({ user: name, provider: name });
const ownInstall = (name: string) => createInstall({ user: name, provider: name });

const submitted = (commands: Commands) => ledger.commands.submitAndWait({ commands });
const updateById = async (updateId: string, format: TransactionFormat) => {
  const updateFormat = { includeTransactions: format };
  const { update } = await ledger.updates.getUpdateById({ updateId, updateFormat });
  return update!.$case === 'transaction' ? update!.value : undefined;
};

test(`${SUITE} CSsubmitAndWaitBasic: the update is the one that the party sees`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const { updateId, completionOffset } = await submitted(by(name, ownRequest(name)));
  const seen = await between(ledger, begin, completionOffset, updatesOf(ACS_DELTA, [name]));
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ updateId, events: [{ event: { $case: 'created' } }] });
  expect(seen[0]!.externalTransactionHash ?? new Uint8Array()).toHaveLength(0);
  expect(seen[0]!.paidTrafficCost).toBeGreaterThan(0n);
  const found = await updateById(updateId, transactions(ACS_DELTA, eventsOf([name])));
  expect(found!.events).toEqual(seen[0]!.events);
});

test(`${SUITE} CSsubmitAndWaitForTransactionBasic: gives the transaction`, async () => {
  const name = await party();
  const transaction = await transact(ledger, by(name, ownRequest(name)));
  expect(transaction.updateId).not.toBe('');
  expect(createdIn(transaction)).toHaveLength(1);
  expect(transaction.paidTrafficCost).toBeGreaterThan(0n);
});

test(`${SUITE} CSsubmitAndWaitForTransactionLedgerEffectsBasic: with what was exercised`, async () => {
  const name = await party();
  const command = createAndCancel({ user: name, provider: name });
  const format = transactions(LEDGER_EFFECTS, eventsOf([name]));
  const transaction = await transact(ledger, by(name, command), format);
  expect(transaction.events.map(({ event }) => event!.$case)).toEqual(['created', 'exercised']);
  expect(templateName(createdIn(transaction)[0]!.templateId)).toBe(templateName(REQUEST));
  expect(transaction.paidTrafficCost).toBeGreaterThan(0n);
});

for (const [id, call] of [
  ['CSduplicateSubmitAndWaitBasic', submitted],
  [
    'CSDuplicateSubmitAndWaitForTransactionData',
    (commands: Commands) => ledger.commands.submitAndWaitForTransaction({ commands }),
  ],
] as const) {
  test(`${SUITE} ${id}: the same command is refused`, async () => {
    const name = await party();
    const commands = by(name, ownRequest(name));
    await call(commands);
    const refusal = await expectRefused(call(commands), 'DUPLICATE_COMMAND');
    expect(refusal.metadata['definite_answer']).toBe('true');
  });
}

/** Creates two contracts in one transaction, and returns it in the given format. */
async function twoCreations(name: string, format: TransactionFormat) {
  const commands = by(name, [ownRequest(name), ownInstall(name)]);
  return transact(ledger, commands, format);
}

test(`${SUITE} CSSubmitAndWaitForTransactionFilterByParty: all that the party sees`, async () => {
  const name = await party();
  const { events } = await twoCreations(name, transactions(ACS_DELTA, eventsOf([name])));
  expect(events).toHaveLength(2);
});

test(`${SUITE} CSSubmitAndWaitForTransactionFilterByWrongParty: nothing that another sees`, async () => {
  const [name, other] = [await party(), await party()];
  for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
    const { events } = await twoCreations(name, transactions(shape, eventsOf([other])));
    expect(events).toEqual([]);
  }
});

test(`${SUITE} CSSubmitAndWaitForTransactionFilterAnyParty: all that there is`, async () => {
  const name = await party();
  const seen = await twoCreations(name, transactions(ACS_DELTA, eventsOfAnyParty()));
  expect(seen.events).toHaveLength(2);
  expect(seen.paidTrafficCost).toBeGreaterThan(0n);
});

test(`${SUITE} CSSubmitAndWaitForTransactionFilterTemplate: one template of the two`, async () => {
  const name = await party();
  const format = transactions(ACS_DELTA, eventsOfAnyParty({ templates: [INSTALL] }));
  const seen = await twoCreations(name, format);
  expect(createdIn(seen).map(({ templateId }) => templateName(templateId))).toEqual([
    templateName(INSTALL),
  ]);
  expect(seen.paidTrafficCost).toBeGreaterThan(0n);
});

for (const [id, call] of [
  ['CSsubmitAndWaitInvalidSynchronizerId', submitted],
  [
    'CSsubmitAndWaitForTransactionInvalidSynchronizerId',
    (commands: Commands) => ledger.commands.submitAndWaitForTransaction({ commands }),
  ],
] as const) {
  test(`${SUITE} ${id}: the field is named`, async () => {
    const name = await party();
    const synchronizerId = 'invalidSynchronizerId';
    const commands = change(ownRequest(name), { actAs: [name], synchronizerId });
    await expectRefused(
      call(commands),
      'INVALID_FIELD',
      'Invalid field synchronizer_id: Invalid unique identifier `invalidSynchronizerId` with missing namespace.',
    );
  });
}

test(`${SUITE} CSRefuseBadParameter: a label that the template does not have`, async () => {
  const name = await party();
  const args = requestArguments({ user: name, provider: name });
  const fields = args.fields.map((field) => ({ ...field, label: `INVALID_${field.label}` }));
  const refused = submitted(by(name, create(REQUEST, { ...args, fields })));
  const text = 'Missing non-optional field';
  const refusal = await expectRefused(refused, 'COMMAND_PREPROCESSING_FAILED', text);
  expect(refusal.metadata['definite_answer']).toBe('false');
});

test(`${SUITE} CSDiscloseCreateToObservers: an observer on another participant sees it`, async () => {
  const user = await party();
  const provider = await network.party('observer', PROVIDER_ADMIN);
  const begin = await ledgerEnd(network.as(PROVIDER_ADMIN));
  const own = await newRequest(ledger, { user, provider });
  const other = network.as(PROVIDER_ADMIN);
  const format = updatesOf(LEDGER_EFFECTS, [provider]);
  const seen = await between(other, begin, await ledgerEnd(other), format);
  const [created, ...more] = seen.flatMap(createdIn);
  expect(more).toEqual([]);
  expect(created!.createArguments).toEqual(own.createArguments);
});

test(`${SUITE} CSDiscloseExerciseToObservers: nor does it miss what is exercised`, async () => {
  const user = await party();
  const provider = await network.party('observer', PROVIDER_ADMIN);
  const { contractId } = await newRequest(ledger, { user, provider });
  const other = network.as(PROVIDER_ADMIN);
  await transact(other, by(provider, accept(contractId)));
  const end = await ledgerEnd(ledger);
  const seen = await between(ledger, 0n, end, updatesOf(LEDGER_EFFECTS, [user]));
  const exercised = seen.flatMap(exercisedIn).filter((it) => it.contractId === contractId);
  expect(exercised.map(({ choice }) => choice)).toEqual(['AppInstallRequest_Accept']);
});

test(`${SUITE} CSHugeCommandSubmission: 15 commands are one transaction`, async () => {
  const name = await party();
  await submitted(
    by(
      name,
      Array.from({ length: 15 }, () => ownRequest(name)),
    ),
  );
  expect(await activeContracts(ledger, eventsOf([name]))).toHaveLength(15);
});

test(`${SUITE} CSReadyForExercise: a contract that was created can be used`, async () => {
  const name = await party();
  const { contractId } = await newRequest(ledger, { user: name, provider: name });
  const format = transactions(LEDGER_EFFECTS, eventsOf([name]));
  const transaction = await transact(ledger, by(name, accept(contractId)), format);
  expect(exercisedIn(transaction)).toMatchObject([{ contractId, consuming: true }]);
  expect(createdIn(transaction)).toHaveLength(1);
});

test(`${SUITE} CSCreateAndExercise: comes and goes in one transaction`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const commands = by(name, createAndCancel({ user: name, provider: name }));
  const { completionOffset: end } = await submitted(commands);
  const delta = await between(ledger, begin, end, updatesOf(ACS_DELTA, [name]));
  expect(delta.flatMap(({ events }) => events)).toEqual([]);
  const effects = await between(ledger, begin, end, updatesOf(LEDGER_EFFECTS, [name]));
  const [created] = effects.flatMap(createdIn);
  expect(effects.flatMap(exercisedIn)).toMatchObject([
    { choice: 'AppInstallRequest_Cancel', contractId: created!.contractId, consuming: true },
  ]);
});

test(`${SUITE} CSBadCreateAndExercise: arguments that are missing`, async () => {
  const name = await party();
  const refused = submitted(by(name, createAndExercise(record({}), 'AppInstallRequest_Cancel')));
  await expectRefused(refused, 'COMMAND_PREPROCESSING_FAILED', 'Missing non-optional field');
});

test(`${SUITE} CSCreateAndBadExerciseArguments: arguments of another type`, async () => {
  const name = await party();
  const args = requestArguments({ user: name, provider: name });
  const no = { sum: { $case: 'bool', value: false } } as const;
  const refused = submitted(by(name, createAndExercise(args, 'AppInstallRequest_Cancel', no)));
  await expectRefused(refused, 'COMMAND_PREPROCESSING_FAILED', 'mismatching type');
});

test(`${SUITE} CSCreateAndBadExerciseChoice: a choice that there is not`, async () => {
  const name = await party();
  const args = requestArguments({ user: name, provider: name });
  const refused = submitted(by(name, createAndExercise(args, 'DoesNotExist')));
  await expectRefused(refused, 'COMMAND_PREPROCESSING_FAILED', 'unknown choice DoesNotExist');
});

test(`${SUITE} CSsubmitAndWaitCompletionOffset: the offset is where the transaction is`, async () => {
  const name = await party();
  const { updateId, completionOffset } = await submitted(by(name, ownRequest(name)));
  expect(completionOffset).toBeGreaterThan(0n);
  const found = await updateById(updateId, transactions(ACS_DELTA, eventsOf([name])));
  expect(found!.offset).toBe(completionOffset);
  const transaction = await transact(ledger, by(name, ownRequest(name)));
  expect(transaction.offset).toBeGreaterThan(completionOffset);
});
