import { beforeEach, describe, expect, test } from 'vitest';
import { forFile } from '../../kit/for-file.ts';
import { exercise } from '../kit/licensing.ts';
import { DAY_MICROS, disclosedOf, Market, resultOf } from '../kit/market.ts';
import { AMULET_RULES, expireLock, LOCKED_AMULET } from '../kit/money.ts';
import { openNetwork } from '../kit/network.ts';
import { failureOf } from '../kit/refusal.ts';
import { createdOf } from '../kit/steps.ts';
import { createdIn } from '../kit/streams.ts';
import {
  inputAmulet,
  onInstruction,
  paymentOf,
  preapprove,
  PREAPPROVAL,
  TRANSFER_FACTORY,
  transfer,
  transferContext,
  transferResult,
  transferTerms,
  withPreapproval,
} from '../kit/transfers.ts';
import type { TransferTerms } from '../kit/transfers.ts';
import {
  list,
  none,
  numeric,
  party,
  readRecord,
  readValue,
  recordValue,
  some,
  text,
  timestamp,
} from '../kit/values.ts';

/*
 * Cases of the network's own suites for transfers of its coin: TestAmuletTokenTransfer of splice-token-standard-test,
 * and TestTransferPreapproval, TestExpectedDsoParty and TestIsDevNet of splice-amulet-test.
 */

let market: Market;

const network = await forFile(openNetwork({ staticTime: '2030-01-01T00:00:00Z' }));
beforeEach(async () => {
  market = await Market.open(network);
});

const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';
const GENERAL_ERROR = 'UNHANDLED_EXCEPTION/DA.Exception.GeneralError:GeneralError';
const requirement = (of: string) => [ASSERTION_FAILED, `The requirement '${of}' was not met.`];

/** Offers ten of a thousand coins, and returns the offer with the contract that locks them. */
async function offered(changes: Partial<TransferTerms> = {}) {
  const terms = await transferTerms(market, [await market.tap('1000.0')], changes);
  const transaction = await transfer(market, terms);
  const result = transferResult(transaction);
  const locked = createdOf(transaction, LOCKED_AMULET);
  const instructionCid = result.output.value.transferInstructionCid ?? '';
  const disclosed = await disclosedOf(market.userSide, market.user, locked.contractId);
  return { terms, result, locked, instructionCid, disclosed };
}

describe('TestAmuletTokenTransfer', () => {
  test('TestAmuletTokenTransfer test_happy_path_self: splits what one has', async () => {
    const inputs = [await market.tap('25.0'), await market.tap('25.0')];
    const terms = await transferTerms(market, inputs, { receiver: market.user });
    const result = transferResult(await transfer(market, terms));
    expect(result.output.tag).toBe('TransferInstructionResult_Completed');
    expect(result.output.value.receiverHoldingCids).toHaveLength(1);
    expect(result.senderChangeCids).toHaveLength(1);
    expect(result.meta.values).toEqual({});
    expect(await market.balance()).toEqual(['10', '40']);
  });

  test('TestAmuletTokenTransfer test_happy_path_direct: pays a receiver who takes everything', async () => {
    const preapproval = await preapprove(market, (await market.now()) + 30n * DAY_MICROS);
    const others = await Market.open(network);
    const terms = await transferTerms(others, [await others.tap('50.0')], {
      receiver: market.user,
      context: withPreapproval(others, preapproval),
      reason: 'thank you',
    });
    const result = transferResult(await transfer(others, terms, [preapproval]));
    expect(result.output.tag).toBe('TransferInstructionResult_Completed');
    expect(result.senderChangeCids).toHaveLength(1);
    expect(await others.balance()).toEqual(['40']);
    expect((await market.balance()).at(-1)).toBe('10');
  });

  test('TestAmuletTokenTransfer test_two_step_success: offers, and pays what is accepted', async () => {
    const { terms, locked, result, instructionCid, disclosed } = await offered();
    expect(result.meta.values).toEqual({});
    expect(await market.balance()).toEqual(['[10]', '990']);
    expect(readRecord(locked.createArguments)).toMatchObject({
      lock: {
        holders: [market.dso],
        expiresAt: terms.executeBefore,
        optContext: { some: `transfer to '${market.provider}'` },
      },
    });
    const transaction = await market.asProvider(
      onInstruction('Accept', instructionCid, market.paymentContext),
      [market.rules, market.round, disclosed],
    );
    expect(transferResult(transaction)).toMatchObject({
      output: { tag: 'TransferInstructionResult_Completed' },
      senderChangeCids: [],
      meta: { values: {} },
    });
    expect(await market.balance()).toEqual(['990']);
    const paid = createdIn(transaction).at(-1);
    expect(readRecord(paid?.createArguments)).toMatchObject({
      owner: market.provider,
      amount: { initialAmount: '10.0000000000' },
    });
  });

  test.each([
    ['TestAmuletTokenTransfer test_two_step_withdraw: the sender takes it back', 'Withdraw'],
    ['TestAmuletTokenTransfer test_two_step_reject: the receiver does not want it', 'Reject'],
  ] as const)('%s', async (_title, choice) => {
    const { instructionCid, disclosed } = await offered();
    const command = onInstruction(choice, instructionCid, market.returnContext());
    const transaction =
      choice === 'Withdraw'
        ? await market.asUser(command, [market.round])
        : await market.asProvider(command, [market.round, disclosed]);
    expect(transferResult(transaction)).toMatchObject({
      output: { tag: 'TransferInstructionResult_Failed' },
      senderChangeCids: [expect.stringMatching(/^00/)],
    });
    expect(await market.balance()).toEqual(['990', '10']);
  });

  test.each([
    [
      'TestAmuletTokenTransfer test_two_step_withdraw_locked_amulet_gone: gives nothing back twice',
      'Withdraw',
    ],
    [
      'TestAmuletTokenTransfer test_two_step_reject_locked_amulet_gone: gives nothing back twice',
      'Reject',
    ],
  ] as const)('%s', async (_title, choice) => {
    const now = await market.now();
    const { instructionCid, locked } = await offered({ executeBefore: now + 1_000n });
    const command = onInstruction(choice, instructionCid, market.returnContext(false));
    const end = () => (choice === 'Withdraw' ? market.asUser(command) : market.asProvider(command));
    expect(await failureOf(end())).toEqual([
      'stdlib.daml.com/deadline-not-exceeded',
      expect.stringContaining("before deadline 'Transfer.executeBefore'"),
    ]);
    await market.travelTo(now + 1_000n);
    await market.asUser(expireLock(locked.contractId, market.round.contractId), [market.round]);
    expect(transferResult(await end())).toMatchObject({
      output: { tag: 'TransferInstructionResult_Failed' },
      senderChangeCids: [],
    });
    expect(await market.balance()).toEqual(['990', '10']);
  });

  test('TestAmuletTokenTransfer test_no_holdings: wants something to pay with', async () => {
    const refused = await failureOf(transfer(market, await transferTerms(market, [])));
    expect(refused).toEqual(requirement('At least one holding must be provided'));
  });

  test('TestAmuletTokenTransfer test_expired: comes too late at its deadline', async () => {
    const terms = await transferTerms(market, [await market.tap('50.0')]);
    const late = { ...terms, executeBefore: terms.requestedAt };
    expect(await failureOf(transfer(market, late))).toEqual([
      'stdlib.daml.com/deadline-exceeded',
      expect.stringContaining("past deadline 'Transfer.executeBefore'"),
    ]);
  });

  test('TestAmuletTokenTransfer test_wrong_admin: is not made by another factory than the caller means', async () => {
    const changes = { expectedAdmin: market.user };
    const terms = await transferTerms(market, [await market.tap('50.0')], changes);
    expect(await failureOf(transfer(market, terms))).toEqual(
      requirement(`Expected admin '${market.user}' matches actual admin '${market.dso}'`),
    );
  });

  test('TestAmuletTokenTransfer test_factory_PublicFetch: shows the factory', async () => {
    const command = exercise(
      TRANSFER_FACTORY,
      market.factory.contractId,
      'TransferFactory_PublicFetch',
      recordValue({ expectedAdmin: party(market.dso), actor: party(market.user) }),
    );
    const transaction = await market.asUser(command, [market.factory]);
    expect(readValue(resultOf(transaction))).toEqual({ admin: market.dso, meta: { values: {} } });
  });
});

describe('TestTransferPreapproval', () => {
  const send = async (preapprovalCid: string) =>
    exercise(
      PREAPPROVAL,
      preapprovalCid,
      'TransferPreapproval_Send',
      recordValue({
        context: paymentOf(market),
        inputs: list([inputAmulet(await market.tap('50.0'))]),
        amount: numeric('10.0'),
        sender: party(market.user),
        description: some(text('test-description')),
      }),
    );

  test('TestTransferPreapproval testTransferPreapprovalSend: sends until it ends', async () => {
    const expiresAt = (await market.now()) + DAY_MICROS;
    const { contractId: cid } = await preapprove(market, expiresAt);
    const transaction = await market.asUser(await send(cid), [market.rules, market.round]);
    expect(readValue(resultOf(transaction))).toMatchObject({
      meta: { some: { values: { 'splice.lfdecentralizedtrust.org/reason': 'test-description' } } },
    });
    await market.travelTo(expiresAt);
    const late = market.asUser(await send(cid), [market.rules, market.round]);
    expect(await failureOf(late)).toEqual([
      'stdlib.daml.com/deadline-exceeded',
      expect.stringContaining("past deadline 'TransferPreapproval.expiresAt'"),
    ]);
  });

  test('TestTransferPreapproval testTransferPreapprovalRenewal: is renewed to a later time', async () => {
    const now = await market.now();
    const { contractId: cid } = await preapprove(market, now + DAY_MICROS);
    const renew = async (newExpiresAt: bigint) =>
      market.asUser(
        exercise(
          PREAPPROVAL,
          cid,
          'TransferPreapproval_Renew',
          recordValue({
            context: paymentOf(market),
            inputs: list([inputAmulet(await market.tap('10.0'))]),
            newExpiresAt: timestamp(newExpiresAt),
          }),
        ),
        [market.rules, market.round],
      );
    expect(await failureOf(renew(now))).toEqual(requirement('newExpiresAt is after expiresAt'));
    const renewed = await renew(now + 2n * DAY_MICROS);
    expect(readRecord(createdOf(renewed, PREAPPROVAL).createArguments)).toMatchObject({
      validFrom: now,
      lastRenewedAt: now,
      expiresAt: now + 2n * DAY_MICROS,
    });
    // The fee is 0.00274 USD a day, at 0.005 USD a coin.
    expect(readValue(resultOf(renewed))).toMatchObject({
      amuletPaid: '0.5480000000',
      meta: {
        some: {
          values: {
            'splice.lfdecentralizedtrust.org/burned': '0.548',
            'splice.lfdecentralizedtrust.org/reason': 'renew TransferPreapproval',
            'splice.lfdecentralizedtrust.org/tx-kind': 'burn',
          },
        },
      },
    });
  });

  test('TestTransferPreapproval testTransferPreapprovalCancelExpire: is cancelled before its end, not after', async () => {
    const expiresAt = (await market.now()) + DAY_MICROS;
    const cancel = (cid: string) =>
      market.asUser(
        exercise(
          PREAPPROVAL,
          cid,
          'TransferPreapproval_Cancel',
          recordValue({ p: party(market.user) }),
        ),
      );
    await cancel((await preapprove(market, expiresAt)).contractId);
    const { contractId: cid } = await preapprove(market, expiresAt);
    await market.travelTo(expiresAt);
    expect((await failureOf(cancel(cid)))[0]).toBe('stdlib.daml.com/deadline-exceeded');
  });
});

describe('TestExpectedDsoParty', () => {
  const output = () =>
    recordValue({
      receiver: party(market.user),
      receiverFeeRatio: numeric('0.0'),
      amount: numeric('20.0'),
      lock: none,
    });

  const onRules = (choice: string, argument: Parameters<typeof exercise>[3]) =>
    market.asUser(exercise(AMULET_RULES, market.rules.contractId, choice, argument), [
      market.rules,
      market.round,
    ]);

  const NOT_SET =
    'Expected DSO party not set by caller. Please change your code to set it as a prudent security measure.';

  test('TestExpectedDsoParty testExpectedDsoParty_Transfer: wants the party named, and right', async () => {
    const amuletCid = await market.tap('100.0');
    const attempt = (expectedDso: typeof none) =>
      onRules(
        'AmuletRules_Transfer',
        recordValue({
          transfer: recordValue({
            sender: party(market.user),
            provider: party(market.user),
            inputs: list([inputAmulet(amuletCid)]),
            outputs: list([output()]),
            beneficiaries: none,
          }),
          context: transferContext(market),
          expectedDso,
        }),
      );
    expect(await failureOf(attempt(none))).toEqual([GENERAL_ERROR, NOT_SET]);
    expect(await failureOf(attempt(some(party(market.user))))).toEqual([
      GENERAL_ERROR,
      `DSO party expected by caller '${market.user}' does not match actual DSO party '${market.dso}'`,
    ]);
    const result = readValue(resultOf(await attempt(some(party(market.dso)))));
    expect(result).toMatchObject({
      round: { number: 0n },
      summary: {
        inputAmuletAmount: '100.0000000000',
        balanceChanges: [
          [
            market.user,
            {
              changeToInitialAmountAsOfRoundZero: '0.0000000000',
              changeToHoldingFeesRate: '0.0000000000',
            },
          ],
        ],
        outputFees: ['0.0000000000'],
        senderChangeAmount: '80.0000000000',
        amuletPrice: '0.0050000000',
      },
      meta: { some: { values: { 'splice.lfdecentralizedtrust.org/tx-kind': 'merge-split' } } },
    });
  });

  test('TestExpectedDsoParty testExpectedDsoParty_ComputeFees: wants the party named, and right', async () => {
    const attempt = (expectedDso: typeof none) =>
      onRules(
        'AmuletRules_ComputeFees',
        recordValue({
          context: transferContext(market),
          sender: party(market.user),
          outputs: list([output()]),
          expectedDso,
        }),
      );
    expect(await failureOf(attempt(none))).toEqual([GENERAL_ERROR, NOT_SET]);
    expect((await failureOf(attempt(some(party(market.user)))))[0]).toBe(GENERAL_ERROR);
    const result = readValue(resultOf(await attempt(some(party(market.dso)))));
    expect(result).toEqual({ fees: ['0.0000000000'] });
  });

  test('TestIsDevNet testAmuletRules: features an app on a test network', async () => {
    const transaction = await onRules(
      'AmuletRules_DevNet_FeatureApp',
      recordValue({ provider: party(market.user) }),
    );
    const { featuredAppRightCid } = readValue(resultOf(transaction)) as {
      featuredAppRightCid: string;
    };
    expect(createdIn(transaction)[0]).toMatchObject({
      contractId: featuredAppRightCid,
      signatories: [market.dso],
      observers: [market.user],
    });
  });
});
