import { describe, expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { forFile } from '../../kit/for-file.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, transactions, updatesOf } from '../kit/formats.ts';
import type { EventOptions } from '../kit/formats.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from '../kit/identities.ts';
import type { Identity } from '../kit/identities.ts';
import { create, exercise } from '../kit/licensing.ts';
import { openNetwork } from '../kit/network.ts';
import { failureOf, refusalOf } from '../kit/refusal.ts';
import { activeIds, transact } from '../kit/steps.ts';
import { archivedIn, between, createdIn, exercisedIn } from '../kit/streams.ts';
import { inSuites, suitesPackage } from '../kit/suites-package.ts';
import { none, party, readRecord, record, recordValue, some, text } from '../kit/values.ts';

/*
 * Cases of TransactionServiceCorrectnessIT, TransactionServiceExerciseIT, TransactionServiceOutputsIT,
 * TransactionServiceStakeholdersIT, TransactionServiceAuthorizationIT, MultiPartySubmissionIT and SemanticTests, and
 * the case of CommandServiceIT that is about traces.
 */

const network = await forFile(openNetwork({ extraPackages: [suitesPackage] }));
const alpha = network.as(USER_ADMIN);
const beta = network.as(PROVIDER_ADMIN);

const DUMMY = inSuites('Dummy');
const FACTORY = inSuites('AgreementFactory');
const TRAILING = inSuites('Trailing');

/** Allocates a party. Users of both participants may read as this party. */
async function newParty(host: Identity = USER_ADMIN): Promise<string> {
  const name = await network.party('party', host);
  const [reader, at] = host === USER_ADMIN ? [PROVIDER_ADMIN, beta] : [USER_ADMIN, alpha];
  const rights = [{ kind: { $case: 'canReadAs', value: { party: name } } }] as const;
  await at.userAdmin.grantUserRights({ userId: reader.userId, rights: [...rights] });
  return name;
}
const dummyOf = (operator: string) => create(DUMMY, record({ operator: party(operator) }));
const factoryOf = (giver: string, receiver: string) =>
  create(FACTORY, record({ giver: party(giver), receiver: party(receiver) }));
const on = (cid: string, choice: string, template = DUMMY) =>
  exercise(template, cid, choice, recordValue({}));

const submit = (commands: Command | readonly Command[], ...actAs: readonly string[]) =>
  transact(alpha, change(commands, { actAs }), transactions(LEDGER_EFFECTS, eventsOf(actAs)));

async function createOne(command: Command, ...actAs: readonly string[]): Promise<string> {
  const [created] = createdIn(await submit(command, ...actAs));
  return created!.contractId;
}

/** Returns the transactions after an offset that parties see on a participant. */
async function seen(
  shape: typeof ACS_DELTA | typeof LEDGER_EFFECTS,
  parties: readonly string[],
  {
    ledger = alpha,
    begin = 0n,
    ...options
  }: EventOptions & {
    readonly ledger?: typeof alpha;
    readonly begin?: bigint;
  } = {},
): Promise<Transaction[]> {
  return between(ledger, begin, await ledgerEnd(ledger), updatesOf(shape, parties, options));
}

const idsOf = (found: readonly Transaction[]) => found.map(({ updateId }) => updateId);

/** Returns the parts of transactions that both participants report in the same way. */
const comparable = (found: readonly Transaction[]) =>
  found.map(({ updateId, events }) => ({
    updateId,
    contracts: [...createdIn({ events }), ...archivedIn({ events })].map((it) => it.contractId),
  }));

describe('TransactionServiceCorrectnessIT', () => {
  test('TransactionServiceCorrectnessIT TXProcessInTwoChunks: two halves are the whole', async () => {
    const alice = await newParty();
    const begin = await ledgerEnd(alpha);
    for (let count = 0; count < 3; count += 1) await submit(dummyOf(alice), alice);
    const middle = await ledgerEnd(alpha);
    for (let count = 0; count < 2; count += 1) await submit(dummyOf(alice), alice);
    const end = await ledgerEnd(alpha);
    const format = updatesOf(ACS_DELTA, [alice]);
    const halves = [
      ...(await between(alpha, begin, middle, format)),
      ...(await between(alpha, middle, end, format)),
    ];
    expect(halves).toEqual(await between(alpha, begin, end, format));
    expect(halves).toHaveLength(5);
  });

  test('TransactionServiceCorrectnessIT TXParallel: readers at a time read the same', async () => {
    const alice = await newParty();
    for (let count = 0; count < 3; count += 1) await submit(dummyOf(alice), alice);
    const readers = await Promise.all(Array.from({ length: 10 }, () => seen(ACS_DELTA, [alice])));
    for (const read of readers) expect(read).toEqual(readers[0]);
    expect(readers[0]).toHaveLength(3);
  });

  test.each([
    ['TransactionServiceCorrectnessIT TXSingleMultiSameBasic', ACS_DELTA],
    ['TransactionServiceCorrectnessIT TXSingleMultiSameLedgerEffectsBasic', LEDGER_EFFECTS],
  ] as const)(
    '%s: one reader of two parties reads what two readers read',
    async (_title, shape) => {
      const [alice, bob] = [await newParty(), await newParty()];
      await submit(dummyOf(alice), alice);
      await submit(dummyOf(bob), bob);
      const joint = [...(await seen(shape, [alice])), ...(await seen(shape, [bob]))];
      expect(await seen(shape, [alice, bob])).toEqual(joint);
      expect(joint).toHaveLength(2);
    },
  );

  test.each([
    ['TransactionServiceCorrectnessIT TXSingleMultiSameStakeholders', ACS_DELTA],
    ['TransactionServiceCorrectnessIT TXSingleMultiSameLedgerEffectsStakeholders', LEDGER_EFFECTS],
  ] as const)('%s: participants tell stakeholders the same', async (_title, shape) => {
    const [alice, bob] = [await newParty(), await newParty(PROVIDER_ADMIN)];
    await submit(factoryOf(alice, bob), alice);
    await transact(beta, change(factoryOf(bob, alice), { actAs: [bob] }));
    const views = [
      await seen(shape, [alice, bob]),
      await seen(shape, [alice, bob], { ledger: beta }),
    ].map(comparable);
    expect(views[0]).toHaveLength(2);
    expect(views[1]).toEqual(views[0]);
  });

  test('TransactionServiceCorrectnessIT TXExposesPaidTrafficCost: to the submitter, where it submitted', async () => {
    const [alice, bob] = [await newParty(), await newParty(PROVIDER_ADMIN)];
    await submit(factoryOf(alice, bob), alice);
    const [own] = await seen(ACS_DELTA, [alice]);
    expect(own!.paidTrafficCost).toBeGreaterThan(0n);
    const [beside] = await seen(ACS_DELTA, [bob]);
    expect(beside!.paidTrafficCost ?? null).toBeNull();
    const [elsewhere] = await seen(ACS_DELTA, [bob], { ledger: beta });
    expect(elsewhere!.paidTrafficCost ?? null).toBeNull();
  });

  test.each([
    [
      'TransactionServiceCorrectnessIT TXTransactionByIdLedgerEffectsSameAsTransactionStream',
      LEDGER_EFFECTS,
    ],
    ['TransactionServiceCorrectnessIT TXTransactionByIdAcsDeltaSameAsTransactionStream', ACS_DELTA],
  ] as const)('%s: one by one they are the same', async (_title, shape) => {
    const [alice, bob] = [await newParty(), await newParty(PROVIDER_ADMIN)];
    await submit(factoryOf(alice, bob), alice);
    const streamed = await seen(shape, [alice, bob]);
    const fetched = await Promise.all(
      streamed.map(async ({ updateId }) => {
        const updateFormat = updatesOf(shape, [alice, bob]);
        const { update } = await beta.updates.getUpdateById({ updateId, updateFormat });
        if (update?.$case !== 'transaction') throw new Error('no transaction');
        return update.value;
      }),
    );
    expect(comparable(fetched)).toEqual(comparable(streamed));
  });

  test.each([
    ['TransactionServiceCorrectnessIT TXAcsDeltaTransactionEvents', ACS_DELTA],
    ['TransactionServiceCorrectnessIT TXTransactionLedgerEffectsEvents', LEDGER_EFFECTS],
  ] as const)('%s: events have the offset of their transaction', async (_title, shape) => {
    const alice = await newParty();
    await submit(on(await createOne(dummyOf(alice), alice), 'DummyChoice1'), alice);
    const found = await seen(shape, [alice]);
    expect(found).toHaveLength(2);
    for (const { offset, events } of found) {
      expect(events).toHaveLength(1);
      expect(events[0]?.event?.value.offset).toBe(offset);
    }
  });

  test('TransactionServiceCorrectnessIT TXAcsDeltaSubsetOfLedgerEffects: nothing is in it that effects have not', async () => {
    const alice = await newParty();
    await submit(on(await createOne(dummyOf(alice), alice), 'Clone'), alice);
    const delta = await seen(ACS_DELTA, [alice]);
    const effects = await seen(LEDGER_EFFECTS, [alice]);
    expect(idsOf(delta)).toEqual(idsOf(effects));
    const created = new Set(effects.flatMap(createdIn).map((event) => event.contractId));
    for (const event of delta.flatMap(createdIn)) expect(created).toContain(event.contractId);
    const consumed = effects.flatMap(exercisedIn).filter(({ consuming }) => consuming);
    expect(delta.flatMap(archivedIn).map((event) => event.contractId)).toEqual(
      consumed.map((event) => event.contractId),
    );
  });

  test.each([
    ['TransactionServiceCorrectnessIT TXSingleSubscriptionInOrder', 1],
    ['TransactionServiceCorrectnessIT TXMultiSubscriptionInOrder', 3],
  ] as const)('%s: offsets and record times only grow', async (_title, count) => {
    const owners = await Promise.all(Array.from({ length: count }, () => newParty()));
    await Promise.all(
      owners.flatMap((owner) => [1, 2, 3].map(() => submit(dummyOf(owner), owner))),
    );
    const found = await seen(ACS_DELTA, owners);
    expect(found).toHaveLength(3 * count);
    const offsets = found.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => Number(a - b)));
    const times = found.map(
      ({ recordTime }) => recordTime!.seconds * 1_000_000_000n + BigInt(recordTime!.nanos),
    );
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  });
});

describe('TransactionServiceExerciseIT', () => {
  test('TransactionServiceExerciseIT TXUseCreateToExercise: a created contract is exercised', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    const [exercised] = exercisedIn(await submit(on(cid, 'DummyChoice1'), alice));
    expect(exercised).toMatchObject({ contractId: cid, consuming: true });
  });

  test('TransactionServiceExerciseIT TXNotArchiveNonConsuming: it stays active', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    const transaction = await submit(on(cid, 'DummyNonConsuming'), alice);
    expect(exercisedIn(transaction)[0]).toMatchObject({ consuming: false });
    expect(await activeIds(alpha, alice)).toEqual([cid]);
  });

  test('TransactionServiceExerciseIT TXRejectOnFailingAssertion: leaves nothing behind', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    expect(await failureOf(submit(on(cid, 'FailingClone'), alice))).toEqual([
      'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed',
      "The requirement 'the clone is none' was not met.",
    ]);
    expect(await activeIds(alpha, alice)).toEqual([cid]);
  });

  test('CommandServiceIT CSReturnStackTrace: a failure tells its choices and its command', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    const { metadata } = await refusalOf(submit(on(cid, 'FailingClone'), alice));
    const on10 = cid.slice(0, 10);
    expect(metadata['exercise_trace']).toMatch(
      new RegExp(
        `^    in choice [0-9a-f]{8}:Suites:Dummy:FailingClone on contract ${on10} \\(#0\\)\n` +
          `    in exercise command [0-9a-f]{8}:Suites:Dummy:FailingClone on contract ${on10}\\.\n$`,
        'u',
      ),
    );
  });
});

describe('TransactionServiceOutputsIT', () => {
  test.each([
    ['TransactionServiceOutputsIT TXVerbosity: labels', true],
    ['TransactionServiceOutputsIT TXVerbosity: no labels', false],
  ] as const)('%s', async (_title, verbose) => {
    const alice = await newParty();
    await submit(dummyOf(alice), alice);
    for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
      const [found] = await seen(shape, [alice], { verbose });
      const { fields, recordId } = createdIn(found!)[0]!.createArguments!;
      expect(fields.map(({ label }) => label)).toEqual([verbose ? 'operator' : '']);
      expect(recordId?.entityName).toBe(verbose ? 'Dummy' : undefined);
    }
  });

  test.each([
    ['TransactionServiceOutputsIT TXVerboseNoTrailingNones', true],
    ['TransactionServiceOutputsIT TXNonVerboseNoTrailingNones', false],
  ] as const)('%s: what is None at the end does not come', async (_title, verbose) => {
    const alice = await newParty();
    const trailing = (first: typeof none, last: typeof none) =>
      create(TRAILING, record({ owner: party(alice), first, last }));
    await submit(trailing(none, none), alice);
    await submit(trailing(some(text('a')), none), alice);
    await submit(trailing(none, some(text('b'))), alice);
    const found = await seen(ACS_DELTA, [alice], { verbose });
    const counts = found.map((one) => createdIn(one)[0]!.createArguments!.fields.length);
    expect(counts).toEqual([1, 2, 3]);
  });
});

describe('TransactionServiceStakeholdersIT', () => {
  test('TransactionServiceStakeholdersIT TXnoSignatoryObservers: a signatory is no observer', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const cid = await createOne(factoryOf(alice, bob), alice);
    const transaction = await submit(on(cid, 'CreateAgreement', FACTORY), alice, bob);
    const [agreement] = createdIn(transaction);
    expect(agreement!.signatories.toSorted()).toEqual([alice, bob].toSorted());
    expect(agreement!.observers).toEqual([]);
  });
});

describe('TransactionServiceAuthorizationIT', () => {
  test('TransactionServiceAuthorizationIT TXRequireAuthorization: a party acts for itself only', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const refusal = await refusalOf(submit(dummyOf(bob), alice));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
    expect(refusal.message).toContain('requires authorizers');
  });

  test('TransactionServiceAuthorizationIT TXMultiActorChoiceOkBasic: both controllers together', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const cid = await createOne(factoryOf(alice, bob), alice);
    const [agreement] = createdIn(await submit(on(cid, 'CreateAgreement', FACTORY), alice, bob));
    expect(readRecord(agreement!.createArguments)).toEqual({ giver: alice, receiver: bob });
  });

  test('TransactionServiceAuthorizationIT TXMultiActorChoiceOkCoincidingControllers: one who is both', async () => {
    const alice = await newParty();
    const cid = await createOne(factoryOf(alice, alice), alice);
    const [agreement] = createdIn(await submit(on(cid, 'CreateAgreement', FACTORY), alice));
    expect(agreement!.signatories).toEqual([alice]);
  });

  test('TransactionServiceAuthorizationIT TXRejectMultiActorMissingAuth: one of two is not enough', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const cid = await createOne(factoryOf(alice, bob), alice);
    const refusal = await refusalOf(submit(on(cid, 'CreateAgreement', FACTORY), alice));
    expect(refusal.message).toContain('requires authorizers');
  });

  test('TransactionServiceAuthorizationIT TXRejectMultiActorExcessiveAuth: who does not see cannot join', async () => {
    const [alice, bob, charlie] = [await newParty(), await newParty(), await newParty()];
    const cid = await createOne(factoryOf(alice, bob), alice);
    const refusal = await refusalOf(submit(on(cid, 'CreateAgreement', FACTORY), charlie));
    expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
  });
});

describe('MultiPartySubmissionIT', () => {
  test('MultiPartySubmissionIT MPSSubmit, MPSCreateSuccess: two parties act as one', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const agreement = create(
      inSuites('Agreement'),
      record({ giver: party(alice), receiver: party(bob) }),
    );
    const [created] = createdIn(await submit(agreement, alice, bob));
    expect(created!.signatories.toSorted()).toEqual([alice, bob].toSorted());
  });

  test('MultiPartySubmissionIT MPSCreateInsufficientAuthorization: not without one of them', async () => {
    const [alice, bob, charlie] = [await newParty(), await newParty(), await newParty()];
    const agreement = create(
      inSuites('Agreement'),
      record({ giver: party(alice), receiver: party(bob) }),
    );
    const refusal = await refusalOf(submit(agreement, alice, charlie));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});

describe('SemanticTests', () => {
  test('SemanticTests SemanticDoubleSpendBasic: a second use of a contract is refused', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    await submit(on(cid, 'DummyChoice1'), alice);
    const refusal = await refusalOf(submit(on(cid, 'DummyChoice1'), alice));
    expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
  });

  test('SemanticTests SemanticConcurrentDoubleSpend: of many at a time one spends', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, () => submit(on(cid, 'DummyChoice1'), alice)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await activeIds(alpha, alice)).toEqual([]);
  });

  test('SemanticTests SemanticDoubleSpendSameTx: not twice in one transaction either', async () => {
    const alice = await newParty();
    const cid = await createOne(dummyOf(alice), alice);
    const twice = [on(cid, 'DummyChoice1'), on(cid, 'DummyChoice1')];
    const refusal = await refusalOf(submit(twice, alice));
    expect(refusal.reason).toBe('CONTRACT_NOT_ACTIVE');
    expect(refusal.message).toContain('Update failed due to fetch of an inactive contract');
    expect(await activeIds(alpha, alice)).toEqual([cid]);
  });

  test('SemanticTests SemanticPartialSignatories: one signatory alone creates nothing', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const agreement = create(
      inSuites('Agreement'),
      record({ giver: party(alice), receiver: party(bob) }),
    );
    expect((await refusalOf(submit(agreement, alice))).reason).toBe('DAML_AUTHORIZATION_ERROR');
  });

  test('SemanticTests SemanticAcceptOnBehalf: who is no controller does not accept', async () => {
    const [alice, bob] = [await newParty(), await newParty()];
    const cid = await createOne(factoryOf(alice, bob), alice);
    const refusal = await refusalOf(submit(on(cid, 'AgreementFactoryAccept', FACTORY), alice));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});
