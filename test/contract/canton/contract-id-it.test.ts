import { expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { change } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { accept, expire } from '../kit/licensing.ts';
import { complete } from '../kit/money.ts';
import { newRequest, transact } from '../kit/steps.ts';

/* Modelled on the public conformance suites ContractIdIT and WronglyTypedContractIdIT. */

const { ledger, party } = await openSuite();

const SUITE = 'ContractIdIT';
const NON_SUFFIXED = `00${'ab'.repeat(32)}`;
const SUFFIXED = `${NON_SUFFIXED}ca12`;
const ILLEGAL = `Illegal Contract ID "${NON_SUFFIXED}"`;

const tried = async (command: Command) =>
  transact(ledger, change(command, { actAs: [await party()] }));

test(`${SUITE} RejectNonSuffixedV1CidExerciseTarget: without suffix it is not a client's`, async () => {
  await expectRefused(tried(accept(NON_SUFFIXED)), 'COMMAND_PREPROCESSING_FAILED', ILLEGAL);
});

test(`${SUITE} AcceptSuffixedV1CidExerciseTarget: with one it names no contract`, async () => {
  const refusal = await expectRefused(tried(accept(SUFFIXED)), 'CONTRACT_NOT_FOUND');
  expect(refusal.status).toBe('NOT_FOUND');
});

const completed = (allocationCid: string) =>
  tried(complete(SUFFIXED, { allocationCid, licenseCid: SUFFIXED, context: {} }));

test(`${SUITE} RejectNonSuffixedV1CidChoiceArgument: nor is it an argument`, async () => {
  await expectRefused(completed(NON_SUFFIXED), 'COMMAND_PREPROCESSING_FAILED', ILLEGAL);
});

test(`${SUITE} AcceptSuffixedV1CidChoiceArgument: with one it is`, async () => {
  await expectRefused(completed(SUFFIXED), 'CONTRACT_NOT_FOUND', SUFFIXED);
});

test('WronglyTypedContractIdIT WTExerciseFails: a contract of another template', async () => {
  const name = await party();
  const { contractId } = await newRequest(ledger, { user: name, provider: name });
  const commands = change(expire(contractId, name), { actAs: [name] });
  const refusal = await expectRefused(transact(ledger, commands), 'WRONGLY_TYPED_CONTRACT');
  expect(refusal.status).toBe('FAILED_PRECONDITION');
});

test('WronglyTypedContractIdIT WTMultipleExerciseFails: as one of several commands', async () => {
  const name = await party();
  const sides = { user: name, provider: name };
  const [first, second] = [await newRequest(ledger, sides), await newRequest(ledger, sides)];
  const commands = [accept(first.contractId), expire(second.contractId, name)];
  const call = transact(ledger, change(commands, { actAs: [name] }));
  await expectRefused(call, 'WRONGLY_TYPED_CONTRACT');
});
