import { expect, test } from 'vitest';
import { DisclosedContract } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, transactions, updatesOf } from '../kit/formats.ts';
import { PROVIDER_ADMIN } from '../kit/identities.ts';
import { accept, createLicenseContract, createRequest } from '../kit/licensing.ts';
import { newRequest, nowMicros, transact } from '../kit/steps.ts';
import { between, createdIn, exercisedIn } from '../kit/streams.ts';

/*
 * Cases of TransactionServiceVisibilityIT, about which parties see which events of a transaction and its command ID,
 * and of ExplicitDisclosureIT, about contracts that a command discloses.
 */

const { network, ledger: alpha, party } = await openSuite();
const beta = network.as(PROVIDER_ADMIN);

type Shape = typeof ACS_DELTA | typeof LEDGER_EFFECTS;

/** Returns a transaction as one party sees it: from a look-up, and from the stream. */
async function seenBy(
  ledger: typeof alpha,
  updateId: string,
  who: string,
  shape: Shape,
): Promise<readonly [Transaction, Transaction]> {
  const updateFormat = updatesOf(shape, [who]);
  const { update } = await ledger.updates.getUpdateById({ updateId, updateFormat });
  const streamed = await between(ledger, 0n, await ledgerEnd(ledger), updateFormat);
  const found = streamed.find((each) => each.updateId === updateId);
  return [update!.value as Transaction, found!];
}

const commandIds = (found: readonly Transaction[]) => found.map(({ commandId }) => commandId);

const submitted = (command: Command, ...actAs: readonly string[]): Promise<Transaction> =>
  transact(alpha, change(command, { actAs }));

test.each([
  ['TXLedgerEffectsHideCommandIdToNonSubmittingStakeholders', LEDGER_EFFECTS, true],
  ['TXHideCommandIdToNonSubmittingStakeholders', ACS_DELTA, true],
  ['TXLedgerEffectsHideCommandIdToNonSubmittingSameParticipantStakeholders', LEDGER_EFFECTS, false],
  ['TXAcsDeltaHideCommandIdToNonSubmittingSameParticipantStakeholders', ACS_DELTA, false],
] as const)(
  'TransactionServiceVisibilityIT %s: only who has submitted it sees its command ID',
  async (_case, shape, isElsewhere) => {
    const user = await party();
    const provider = isElsewhere ? await network.party('listener', PROVIDER_ADMIN) : await party();
    const { updateId, commandId } = await submitted(createRequest({ user, provider }), user);
    const at = isElsewhere ? beta : alpha;
    const isThere = () =>
      at.updates.getUpdateById({ updateId, updateFormat: updatesOf(shape, [provider]) }).then(
        () => true,
        () => false,
      );
    await expect.poll(isThere).toBe(true);
    expect(commandId).not.toBe('');
    expect(commandIds(await seenBy(alpha, updateId, user, shape))).toEqual([commandId, commandId]);
    expect(commandIds(await seenBy(at, updateId, provider, shape))).toEqual(['', '']);
  },
);

test.each([
  ['TXLedgerEffectsShowCommandIdToSubmittingStakeholders', LEDGER_EFFECTS],
  ['TXAcsDeltaShowCommandIdToSubmittingStakeholders', ACS_DELTA],
] as const)(
  'TransactionServiceVisibilityIT %s: each of several who submit it sees its command ID',
  async (_case, shape) => {
    const [user, provider] = [await party(), await party()];
    const command = createLicenseContract({ user, provider }, 1n, nowMicros());
    const { updateId, commandId } = await submitted(command, user, provider);
    expect(commandIds(await seenBy(alpha, updateId, provider, shape))).toEqual([
      commandId,
      commandId,
    ]);
  },
);

test('TransactionServiceVisibilityIT TXNotDivulge: who has no part in it sees nothing', async () => {
  const [user, stranger] = [await party(), await party()];
  await submitted(createRequest({ user, provider: user }), user);
  for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
    const format = updatesOf(shape, [stranger]);
    expect(await between(alpha, 0n, await ledgerEnd(alpha), format)).toEqual([]);
  }
});

test('TransactionServiceVisibilityIT TXDiscloseCreateToObservers: an observer sees what is created', async () => {
  const [user, provider] = [await party(), await party()];
  const { updateId } = await submitted(createRequest({ user, provider }), user);
  const [found] = await seenBy(alpha, updateId, provider, ACS_DELTA);
  expect(createdIn(found)).toMatchObject([{ signatories: [user], observers: [provider] }]);
});

test('TransactionServiceVisibilityIT TXFlatTransactionsVisibility, TXRequestingPartiesWitnessVisibility, TXLedgerEffectsRequestingPartiesWitnessVisibility: and no other witness', async () => {
  const [user, provider] = [await party(), await party()];
  const { contractId } = await newRequest(alpha, { user, provider });
  const { updateId } = await transact(alpha, change(accept(contractId), { actAs: [provider] }));
  for (const who of [user, provider]) {
    const [flat] = await seenBy(alpha, updateId, who, ACS_DELTA);
    const [tree] = await seenBy(alpha, updateId, who, LEDGER_EFFECTS);
    for (const found of [...createdIn(flat), ...createdIn(tree), ...exercisedIn(tree)]) {
      expect(found.witnessParties).toEqual([who]);
    }
    expect([createdIn(flat).length, exercisedIn(tree).length]).toEqual([1, 1]);
  }
});

/** Returns a request, its contract, and a command of another party that discloses the contract. */
async function disclosing() {
  const [owner, other] = [await party(), await party()];
  const format = transactions(ACS_DELTA, eventsOf([owner], { blobs: true }));
  const own = createRequest({ user: owner, provider: owner });
  const [created] = createdIn(await transact(alpha, change(own, { actAs: [owner] }), format));
  const { contractId, templateId, createdEventBlob } = created!;
  const disclosed = DisclosedContract.fromPartial({ contractId, templateId, createdEventBlob });
  const command = createRequest({ user: other, provider: other });
  const submit = (...disclosedContracts: readonly DisclosedContract[]) =>
    transact(alpha, change(command, { actAs: [other], disclosed: disclosedContracts }));
  return { disclosed, submit };
}

test.each([
  ['EDSuperfluousDisclosure', 1],
  ['EDDuplicates', 2],
])('ExplicitDisclosureIT %s: what is not needed does no harm', async (_case, times) => {
  const { disclosed, submit } = await disclosing();
  expect(createdIn(await submit(...Array.from({ length: times }, () => disclosed)))).toHaveLength(
    1,
  );
});

test('ExplicitDisclosureIT EDMalformedDisclosedContractCreatedEventBlob: bytes that are none', async () => {
  const { disclosed, submit } = await disclosing();
  await expectRefused(
    submit({ ...disclosed, createdEventBlob: Buffer.from('foo') }),
    'INVALID_ARGUMENT',
    'Unable to decode disclosed contract event payload: DecodeError',
  );
});

test('ExplicitDisclosureIT EDRejectOnCreatedEventBlobNotSet: and none at all', async () => {
  const { disclosed, submit } = await disclosing();
  await expectRefused(
    submit({ ...disclosed, createdEventBlob: Buffer.alloc(0) }),
    'MISSING_FIELD',
    'DisclosedContract.createdEventBlob',
  );
});
