import { beforeEach, describe, expect, it } from 'vitest';
import type { CreatedEvent } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { forFile } from '../kit/for-file.ts';
import { eventsOf } from './kit/formats.ts';
import { Market, resultOf } from './kit/market.ts';
import { AMULET_ALLOCATION, expireLock, HOLDING, onAllocation, tap } from './kit/money.ts';
import type { Context, Specification } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import { failureOf, refusalOf } from './kit/refusal.ts';
import { activeContracts, createdOf } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import { readRecord, readValue } from './kit/values.ts';

/* The network's token: how it is created, and how an allocation of it is paid or returned. */

let market: Market;

const network = await forFile(openNetwork({ staticTime: '2030-01-01T00:00:00Z' }));
beforeEach(async () => {
  market = await Market.open(network);
});

/** Returns a specification without errors. */
async function specification(changes: Partial<Specification> = {}): Promise<Specification> {
  return { ...market.specification(await market.terms(), 1n), ...changes };
}

describe('tapping', () => {
  it('gives the user amulet, of the DSO party’s and its own signature', async () => {
    const command = tap(market.rules.contractId, {
      receiver: market.user,
      amount: '12.5',
      openRoundCid: market.round.contractId,
    });
    const transaction = await market.asUser(command, [market.rules, market.round]);
    const [amulet] = createdIn(transaction);
    expect(amulet?.signatories.toSorted()).toEqual([market.dso, market.user].toSorted());
    expect(readRecord(amulet?.createArguments)).toEqual({
      dso: market.dso,
      owner: market.user,
      amount: {
        initialAmount: '12.5000000000',
        createdAt: { number: 0n },
        ratePerRound: { rate: '0.0000000000' },
      },
    });
    expect(readValue(resultOf(transaction))).toMatchObject({
      amuletSum: { amulet: amulet?.contractId, round: { number: 0n } },
    });
    expect(await market.balance()).toEqual(['12.5']);
  });

  it('needs the DSO party’s contracts to be disclosed', async () => {
    const command = tap(market.rules.contractId, {
      receiver: market.user,
      amount: '1.0',
      openRoundCid: market.round.contractId,
    });
    for (const disclosed of [[], [market.rules], [market.round]]) {
      expect((await refusalOf(market.asUser(command, disclosed))).reason).toBe(
        'CONTRACT_NOT_FOUND',
      );
    }
  });

  it('is for oneself, and for an amount', async () => {
    await expect(market.tap('0.0')).rejects.toMatchObject({
      reason: 'TEMPLATE_PRECONDITION_VIOLATED',
    });
    await expect(market.tap('-1.0')).rejects.toMatchObject({
      reason: 'TEMPLATE_PRECONDITION_VIOLATED',
    });
    const command = tap(market.rules.contractId, {
      receiver: market.provider,
      amount: '1.0',
      openRoundCid: market.round.contractId,
    });
    const refusal = await refusalOf(market.asUser(command, [market.rules, market.round]));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});

describe('a holding', () => {
  it('says what it is in its view', async () => {
    const contractId = await market.tap('3.25');
    const format = eventsOf([market.user], { interfaces: [HOLDING] });
    const [active] = await activeContracts(market.userSide, format);
    expect(active?.createdEvent).toMatchObject({ contractId });
    expect(readRecord(active?.createdEvent?.interfaceViews[0]?.viewValue)).toEqual({
      owner: market.user,
      instrumentId: { admin: market.dso, id: 'Amulet' },
      amount: '3.2500000000',
      lock: null,
      meta: {
        values: {
          'amulet.splice.lfdecentralizedtrust.org/created-in-round': '0',
          'amulet.splice.lfdecentralizedtrust.org/rate-per-round': '0.0',
        },
      },
    });
  });
});

describe('giving back what is allocated', () => {
  let allocation: CreatedEvent;
  let settleBefore = 0n;

  beforeEach(async () => {
    const wanted = await specification();
    settleBefore = wanted.settleBefore;
    const transaction = await market.allocate(wanted, [await market.tap('120.0')]);
    allocation = createdOf(transaction, AMULET_ALLOCATION);
  });

  const withdraw = (context: Context) =>
    market.asUser(onAllocation('Allocation_Withdraw', allocation.contractId, context), [
      market.round,
    ]);

  it('is up to the sender', async () => {
    const transaction = await withdraw(market.returnContext());
    const [returned] = createdIn(transaction);
    expect(readValue(resultOf(transaction))).toEqual({
      senderHoldingCids: [returned?.contractId],
      meta: { values: {} },
    });
    expect(await market.balance()).toEqual(['20', '100']);
    const again = await refusalOf(withdraw(market.returnContext()));
    expect(again).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
  });

  it('is not up to the executor, who needs everybody to cancel', async () => {
    const asProvider = (choice: 'Allocation_Cancel' | 'Allocation_Withdraw') =>
      market.asProvider(onAllocation(choice, allocation.contractId, market.returnContext()), [
        market.round,
      ]);
    for (const choice of ['Allocation_Cancel', 'Allocation_Withdraw'] as const) {
      expect((await refusalOf(asProvider(choice))).reason).toBe('DAML_AUTHORIZATION_ERROR');
    }
    const byUser = market.asUser(
      onAllocation('Allocation_Cancel', allocation.contractId, market.returnContext()),
      [market.round],
    );
    expect((await refusalOf(byUser)).reason).toBe('DAML_AUTHORIZATION_ERROR');
    expect(await market.balance()).toEqual(['[100]', '20']);
  });

  it('wants to be told whether the amulet is still locked, and the open round', async () => {
    expect((await failureOf(withdraw({})))[1]).toBe('Missing context entry for: expire-lock');
    const { 'expire-lock': isLocked } = market.returnContext();
    const [, text] = await failureOf(withdraw({ 'expire-lock': isLocked! }));
    expect(text).toBe('Missing context entry for: open-round');
  });

  it('after the owner has taken it back gives nothing more', async () => {
    const { contractId: lockedCid } = await market.lockedIn(allocation);
    const takeBack = () =>
      market.asUser(expireLock(lockedCid, market.round.contractId), [market.round]);
    expect((await failureOf(takeBack()))[0]).toBe('stdlib.daml.com/deadline-not-exceeded');
    expect((await failureOf(withdraw(market.returnContext(false))))[0]).toBe(
      'stdlib.daml.com/deadline-not-exceeded',
    );
    await market.travelTo(settleBefore);
    await takeBack();
    expect(await market.balance()).toEqual(['20', '100']);
    expect((await refusalOf(withdraw(market.returnContext()))).reason).toBe('CONTRACT_NOT_FOUND');
    const transaction = await withdraw(market.returnContext(false));
    expect(readValue(resultOf(transaction))).toMatchObject({ senderHoldingCids: [] });
  });

  it('and paying exclude each other', async () => {
    const locked = await market.lockedIn(allocation);
    await withdraw(market.returnContext());
    const execute = onAllocation(
      'Allocation_ExecuteTransfer',
      allocation.contractId,
      market.paymentContext,
    );
    const late = market.asProvider(execute, [market.rules, market.round, locked]);
    expect((await refusalOf(late)).reason).toBe('CONTRACT_NOT_FOUND');
  });
});

describe('paying what is allocated', () => {
  it('is nothing that executor, sender or receiver can do alone', async () => {
    const allocation = createdOf(
      await market.allocate(await specification(), [await market.tap('100.0')]),
      AMULET_ALLOCATION,
    );
    const execute = onAllocation(
      'Allocation_ExecuteTransfer',
      allocation.contractId,
      market.paymentContext,
    );
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation)];
    const refusals = [
      await refusalOf(market.asProvider(execute, disclosed)),
      await refusalOf(market.asUser(execute, disclosed)),
    ];
    for (const { reason } of refusals) expect(reason).toBe('DAML_AUTHORIZATION_ERROR');
  });

  it('is the sender’s own doing where it is all three', async () => {
    const { user } = market;
    const wanted = await specification({ executor: user, receiver: user, amount: '40.0' });
    const allocation = createdOf(
      await market.allocate(wanted, [await market.tap('100.0')]),
      AMULET_ALLOCATION,
    );
    const execute = onAllocation(
      'Allocation_ExecuteTransfer',
      allocation.contractId,
      market.paymentContext,
    );
    const transaction = await market.asUser(execute, [market.rules, market.round]);
    const result = readValue(resultOf(transaction)) as Record<string, readonly string[]>;
    expect(result['receiverHoldingCids']).toHaveLength(1);
    expect(result['senderHoldingCids']).toEqual([]);
    expect(await market.balance()).toEqual(['60', '40']);
  });

  it('gives way to cancelling, by the same parties together', async () => {
    const { user } = market;
    const wanted = await specification({ executor: user, receiver: user });
    const allocation = createdOf(
      await market.allocate(wanted, [await market.tap('100.0')]),
      AMULET_ALLOCATION,
    );
    const cancel = onAllocation('Allocation_Cancel', allocation.contractId, market.returnContext());
    const transaction = await market.asUser(cancel, [market.round]);
    const [returned] = createdIn(transaction);
    expect(readValue(resultOf(transaction))).toMatchObject({
      senderHoldingCids: [returned?.contractId],
    });
    expect(await market.balance()).toEqual(['100']);
  });
});
