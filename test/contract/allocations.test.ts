import { beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { disclosedOf, Market, resultOf } from './kit/market.ts';
import {
  AMULET,
  AMULET_ALLOCATION,
  anyBool,
  anyContractId,
  anyList,
  anyMap,
  anyText,
  LOCKED_AMULET,
} from './kit/money.ts';
import type { AllocateArguments, Context, Specification } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import { failureOf, refusalOf } from './kit/refusal.ts';
import { createdOf } from './kit/steps.ts';
import { exercisedIn } from './kit/streams.ts';
import { readRecord, readValue } from './kit/values.ts';

/* Allocating amulet for a payment: what is locked, and which checks precede this, in their order. */

const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';

let market: Market;

const network = await forFile(openNetwork({ staticTime: '2030-01-01T00:00:00Z' }));
beforeEach(async () => {
  market = await Market.open(network);
});

/** Returns a specification without errors. */
async function specification(changes: Partial<Specification> = {}): Promise<Specification> {
  return { ...market.specification(await market.terms(), 1n), ...changes };
}

const requirement = (text: string) => [ASSERTION_FAILED, `The requirement '${text}' was not met.`];

interface AllocateResult {
  readonly output: { readonly tag: string; readonly value: { readonly allocationCid: string } };
  readonly senderChangeCids: readonly string[];
}
const allocateResult = (transaction: Transaction) =>
  readValue(resultOf(transaction)) as AllocateResult;

describe('an allocation', () => {
  it('locks its amount and gives the rest back', async () => {
    const inputs = [await market.tap('70.0'), await market.tap('50.5')];
    const wanted = await specification({ amount: '100.0000000000' });
    const transaction = await market.allocate(wanted, inputs);
    const allocation = createdOf(transaction, AMULET_ALLOCATION);
    const locked = createdOf(transaction, LOCKED_AMULET);
    const change = createdOf(transaction, AMULET);
    expect(allocateResult(transaction)).toMatchObject({
      output: {
        tag: 'AllocationInstructionResult_Completed',
        value: { allocationCid: allocation.contractId },
      },
      senderChangeCids: [change.contractId],
    });
    expect(await market.balance()).toEqual(['[100]', '20.5']);
    expect(readRecord(locked.createArguments)).toMatchObject({
      amulet: { owner: market.user },
      lock: { holders: [market.dso], expiresAt: wanted.settleBefore },
    });
    expect(allocation).toMatchObject({ observers: [market.provider] });
    expect(allocation.signatories.toSorted()).toEqual([market.dso, market.user].toSorted());
    expect(readRecord(allocation.createArguments)).toMatchObject({
      lockedAmulet: locked.contractId,
      allocation: { transferLegId: 'licenseFeePayment', transferLeg: { amount: wanted.amount } },
    });
    expect(exercisedIn(transaction).map(({ choice }) => choice)).toEqual([
      'AllocationFactory_Allocate',
      'AmuletRules_ComputeFees',
      'AmuletRules_Transfer',
      'Archive',
      'Archive',
    ]);
  });

  it('of all that one has leaves nothing over', async () => {
    const transaction = await market.allocate(await specification(), [await market.tap('100.0')]);
    expect(allocateResult(transaction).senderChangeCids).toEqual([]);
    expect(await market.balance()).toEqual(['[100]']);
  });

  it('is exact to the last digit', async () => {
    const inputs = [await market.tap('9007199254740993.0000000001'), await market.tap('0.1')];
    const wanted = await specification({ amount: '9007199254740993.0999999999' });
    await market.allocate(wanted, inputs);
    expect(await market.balance()).toEqual(['[9007199254740993.0999999999]', '0.0000000002']);
  });

  it('is checked in the order of the public contracts', async () => {
    const now = await market.now();
    const amuletCid = await market.tap('10.0');
    let wanted = await specification({
      requestedAt: now + 1n,
      allocateBefore: now,
      settleBefore: now - 1n,
      amount: '0.0',
      instrument: { admin: market.provider, id: 'Amulet' },
    });
    let argument: Partial<AllocateArguments> = {
      expectedAdmin: market.provider,
      requestedAt: now + 1n,
      context: {},
    };
    let inputs: string[] = [];
    const refused = () => failureOf(market.allocate(wanted, inputs, argument));
    /** Corrects one error. The next refusal must then be about the next error. */
    const mend = (changes: Partial<Specification>) => {
      wanted = { ...wanted, ...changes };
    };

    expect(await refused()).toEqual(
      requirement(`Expected admin '${market.provider}' matches actual admin '${market.dso}'`),
    );
    argument = { ...argument, expectedAdmin: market.dso };
    expect((await refused())[1]).toBe('Missing context entry for: amulet-rules');
    const { 'amulet-rules': amuletRules } = market.paymentContext;
    argument = { ...argument, context: { 'amulet-rules': amuletRules! } };
    expect((await refused())[1]).toBe('Missing context entry for: open-round');
    argument = { ...argument, context: market.paymentContext };
    expect(await refused()).toEqual([
      'stdlib.daml.com/deadline-not-exceeded',
      expect.stringContaining("before deadline 'Allocation.settlement.requestedAt'"),
    ]);
    mend({ requestedAt: now });
    expect(await refused()).toEqual([
      'stdlib.daml.com/deadline-exceeded',
      expect.stringContaining("past deadline 'Allocation.settlement.allocateBefore'"),
    ]);
    mend({ allocateBefore: now + 1n });
    expect(await refused()).toEqual(
      requirement('Allocation.settlement.allocateBefore <= Allocation.settlement.settleBefore'),
    );
    mend({ settleBefore: now + 1n });
    expect(await refused()).toEqual(requirement('Transfer amount must be positive'));
    mend({ amount: '-0.5' });
    expect(await refused()).toEqual(requirement('Transfer amount must be positive'));
    mend({ amount: '10.0000000001' });
    expect(await refused()).toEqual(requirement('Instrument-id must match the factory'));
    mend({ instrument: { admin: market.dso, id: 'Silver' } });
    expect(await refused()).toEqual(requirement('Instrument-id must match the factory'));
    mend({ instrument: { admin: market.dso, id: 'Amulet' } });
    expect(await refused()).toEqual([
      'stdlib.daml.com/deadline-not-exceeded',
      expect.stringContaining("before deadline 'requestedAt'"),
    ]);
    argument = { ...argument, requestedAt: now };
    expect(await refused()).toEqual(requirement('At least one input holding must be provided'));
    inputs = [amuletCid];
    expect(await refused()).toEqual([
      'UNHANDLED_EXCEPTION/Splice.AmuletRules:InvalidTransfer',
      expect.stringContaining('ITR_InsufficientFunds'),
    ]);
    mend({ amount: '10.0000000000' });
    await market.allocate(wanted, inputs, argument);
    expect(await market.balance()).toEqual(['[10]']);
  });

  it('is made of the sender’s holdings only, and of each once', async () => {
    const own = await market.tap('60.0');
    const wanted = await specification();
    const twice = refusalOf(market.allocate(wanted, [own, own]));
    expect((await twice).reason).toBe('CONTRACT_NOT_ACTIVE');
    const other = await Market.open(network);
    const foreignCid = await other.tap('100.0');
    const blind = refusalOf(market.allocate(wanted, [foreignCid]));
    expect((await blind).reason).toBe('CONTRACT_NOT_FOUND');
    const foreign = await disclosedOf(other.userSide, other.user, foreignCid);
    const command = await market.allocateCommand(wanted, [foreignCid]);
    const seen = market.asUser(command, [market.rules, market.round, market.factory, foreign]);
    const [, text] = await failureOf(seen);
    expect(text).toContain(
      `Contract group identifier mismatch: expected ForOwner {dso = '${market.dso}', owner = '${market.user}'}, got ForOwner {dso = '${market.dso}', owner = '`,
    );
    const noHolding = refusalOf(market.allocate(wanted, [market.rules.contractId]));
    expect((await noHolding).reason).toBe('CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE');
  });

  it('is made by the sender alone', async () => {
    const amuletCid = await market.tap('100.0');
    const wanted = await specification({ sender: market.provider });
    const refusal = await refusalOf(market.allocate(wanted, [amuletCid]));
    expect(refusal.reason).toBe('DAML_AUTHORIZATION_ERROR');
  });

  it('takes a context with more in it than it asks for, however deep', async () => {
    const context: Context = {
      ...market.paymentContext,
      'more-than-needed': anyMap({ nested: anyList([anyText('one'), anyBool(true)]) }),
    };
    await market.allocate(await specification(), [await market.tap('100.0')], { context });
    let deep = anyText('bottom');
    for (let depth = 0; depth < 60; depth += 1) deep = anyList([deep]);
    const tooDeep = market.allocate(await specification(), [await market.tap('100.0')], {
      context: { ...context, deep },
    });
    expect((await refusalOf(tooDeep)).reason).toBe('COMMAND_PREPROCESSING_FAILED');
  });

  it('wants contract IDs where it asks for contracts, and the DSO party’s', async () => {
    const inputs = [await market.tap('100.0')];
    const wanted = await specification();
    const asText = { ...market.paymentContext, 'open-round': anyText('the open one') };
    const [, text] = await failureOf(market.allocate(wanted, inputs, { context: asText }));
    expect(text).toContain('open-round');
    const swapped = {
      'amulet-rules': anyContractId(market.round.contractId),
      'open-round': anyContractId(market.rules.contractId),
    };
    const refusal = await refusalOf(market.allocate(wanted, inputs, { context: swapped }));
    expect(refusal.reason).toBe('WRONGLY_TYPED_CONTRACT');
  });

  it('cannot spend what is locked until the lock has expired', async () => {
    const first = await specification();
    const locked = createdOf(
      await market.allocate(first, [await market.tap('100.0')]),
      LOCKED_AMULET,
    );
    const [errorId, text] = await failureOf(
      market.allocate(await specification(), [locked.contractId]),
    );
    expect(errorId).toBe('stdlib.daml.com/deadline-not-exceeded');
    expect(text).toContain("'Lock.expiresAt'");

    await market.travelTo(first.settleBefore);
    const again = await market.allocate(await specification(), [locked.contractId]);
    expect(exercisedIn(again).map(({ choice }) => choice)).toContain(
      'LockedAmulet_OwnerExpireLock',
    );
    expect(await market.balance()).toEqual(['[100]']);
  });

  it('is made over the JSON API with the same disclosed contracts', async () => {
    const amuletCid = await market.tap('100.0');
    const wanted = await specification();
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const instant = (micros: bigint) => new Date(Number(micros / 1_000n)).toISOString();
    const body = {
      commands: [
        {
          ExerciseCommand: {
            templateId:
              '#splice-api-token-allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory',
            contractId: market.factory.contractId,
            choice: 'AllocationFactory_Allocate',
            choiceArgument: {
              expectedAdmin: market.dso,
              allocation: {
                settlement: {
                  executor: market.provider,
                  settlementRef: { id: wanted.settlementId, cid: null },
                  requestedAt: instant(wanted.requestedAt),
                  allocateBefore: instant(wanted.allocateBefore),
                  settleBefore: instant(wanted.settleBefore),
                  meta: { values: wanted.settlementMeta },
                },
                transferLegId: wanted.legId,
                transferLeg: {
                  sender: market.user,
                  receiver: market.provider,
                  amount: '100.0',
                  instrumentId: wanted.instrument,
                  meta: { values: wanted.legMeta },
                },
              },
              requestedAt: instant(await market.now()),
              inputHoldingCids: [amuletCid],
              extraArgs: {
                context: {
                  values: {
                    'amulet-rules': { tag: 'AV_ContractId', value: market.rules.contractId },
                    'open-round': { tag: 'AV_ContractId', value: market.round.contractId },
                    unused: { tag: 'AV_Map', value: { list: { tag: 'AV_List', value: [] } } },
                  },
                },
                meta: { values: {} },
              },
            },
          },
        },
      ],
      commandId: `json-${amuletCid.slice(-40)}`,
      actAs: [market.user],
      disclosedContracts: [market.rules, market.round, market.factory].map((one) => ({
        templateId: `${one.templateId!.packageId}:${one.templateId!.moduleName}:${one.templateId!.entityName}`,
        contractId: one.contractId,
        createdEventBlob: base64(one.createdEventBlob),
        synchronizerId: one.synchronizerId,
      })),
    };
    const url = `${network.localnet.urls.participants['app-user'].json}/v2/commands/submit-and-wait`;
    const answer = await http(network, url, { as: USER_ADMIN, body });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('updateId')]);
    expect(await market.balance()).toEqual(['[100]']);
  });
});
