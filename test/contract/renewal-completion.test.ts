import { beforeEach, describe, expect, it } from 'vitest';
import type { CreatedEvent } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER_ADMIN } from './kit/identities.ts';
import { LICENSE } from './kit/licensing.ts';
import { DAY_MICROS, disclosedOf, Market, resultOf, expiryOf, heldBy } from './kit/market.ts';
import { AMULET_ALLOCATION, complete, onAllocation, rejectRequest } from './kit/money.ts';
import type { Context, Specification } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, createdOf } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import { readRecord, readValue } from './kit/values.ts';

/* Completing a renewal: the extended licence, the paid fee, and each condition that prevents a completion. */

const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';
const STATIC_TIME = '2030-01-01T00:00:00Z';

let market: Market;

const network = await forFile(openNetwork({ staticTime: STATIC_TIME }));
beforeEach(async () => {
  market = await Market.open(network);
});

describe('completing a renewal', () => {
  it('extends the licence and pays the provider', async () => {
    const { license, terms, renewal, allocation } = await market.paidRenewal();
    const completed = await market.complete(renewal, allocation, license);

    const renewed = createdOf(completed, LICENSE);
    expect(readValue(resultOf(completed))).toBe(renewed.contractId);
    expect(readRecord(renewed.createArguments)).toEqual({
      ...(readRecord(license.createArguments) as object),
      expiresAt: (await market.now()) + terms.extensionMicros,
    });
    const providers = ['Amulet', 'AppInstall', 'License'];
    expect(await heldBy(market.providerSide, market.provider)).toEqual(providers);
    expect(await heldBy(market.userSide, market.user)).toEqual(['AppInstall', 'License']);
    const [amulet] = createdIn(completed).filter(({ signatories }) =>
      signatories.includes(market.provider),
    );
    expect(readRecord(amulet?.createArguments)).toMatchObject({
      dso: market.dso,
      owner: market.provider,
      amount: { initialAmount: terms.amount },
    });
  });

  it('begins the extension where the licence ends, or now if it has ended', async () => {
    const first = await market.paidRenewal({ extensionMicros: 5n * DAY_MICROS });
    const bornAt = expiryOf(first.license);
    const once = createdOf(
      await market.complete(first.renewal, first.allocation, first.license),
      LICENSE,
    );
    expect(expiryOf(once)).toBe(bornAt + 5n * DAY_MICROS);

    const renewAgain = async (license: CreatedEvent) => {
      const terms = await market.terms({ extensionMicros: 2n * DAY_MICROS });
      const renewal = await market.renew(license, terms);
      const completed = await market.complete(renewal, await market.allocateFor(terms), license);
      return createdOf(completed, LICENSE);
    };
    const twice = await renewAgain(once);
    expect(expiryOf(twice)).toBe(bornAt + 7n * DAY_MICROS);

    await market.travelTo(expiryOf(twice) + DAY_MICROS);
    expect(expiryOf(await renewAgain(twice))).toBe((await market.now()) + 2n * DAY_MICROS);
  });

  it('leaves other offers for the licence open, which then extend the new one', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const terms = await market.terms({ extensionMicros: DAY_MICROS });
    const other = await market.renew(license, terms);
    const otherAllocation = await market.allocateFor(terms);
    const renewed = createdOf(await market.complete(renewal, allocation, license), LICENSE);

    const stale = await refusalOf(market.complete(other, otherAllocation, license));
    expect(stale).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(stale.resourceNames('CONTRACT_ID')).toEqual([license.contractId]);
    const completed = await market.complete(other, otherAllocation, renewed);
    expect(expiryOf(createdOf(completed, LICENSE))).toBe(expiryOf(renewed) + DAY_MICROS);
  });

  it('happens once', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const locked = await market.lockedIn(allocation);
    const disclosed = [market.rules, market.round, locked];
    const complete = () => market.complete(renewal, allocation, license, { disclosed });
    const outcomes = await Promise.allSettled([complete(), complete(), complete()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const again = await refusalOf(complete());
    expect(again).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(again.resourceNames('CONTRACT_ID')).toEqual([renewal.contractId]);
    expect(await heldBy(market.providerSide, market.provider)).toEqual([
      'Amulet',
      'AppInstall',
      'License',
    ]);
  });

  it('is the provider’s alone', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation)];
    const command = complete(renewal.contractId, {
      allocationCid: allocation.contractId,
      licenseCid: license.contractId,
      context: market.paymentContext,
    });
    const byUser = await refusalOf(market.asUser(command, disclosed));
    expect(byUser.reason).toBe('DAML_AUTHORIZATION_ERROR');
    const other = await Market.open(network);
    const byOther = await refusalOf(other.asProvider(command, disclosed));
    expect(byOther.reason).toBe('CONTRACT_NOT_FOUND');
  });

  it('is over once the user has rejected, though the allocation is there', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    await market.asUser(rejectRequest(renewal.contractId, market.user));
    const late = await refusalOf(market.complete(renewal, allocation, license));
    expect(late.resourceNames('CONTRACT_ID')).toEqual([renewal.contractId]);
    expect(await activeIds(market.providerSide, market.provider)).toContain(allocation.contractId);
  });

  it('needs an allocation that is still there', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation)];
    const withdraw = onAllocation(
      'Allocation_Withdraw',
      allocation.contractId,
      market.returnContext(),
    );
    await market.asUser(withdraw, [market.round]);
    const refusal = await refusalOf(market.complete(renewal, allocation, license, { disclosed }));
    expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([allocation.contractId]);
  });

  it('needs what the registry discloses, the locked amulet among it', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const locked = await market.lockedIn(allocation);
    const missing = async (...disclosed: (typeof locked)[]) => {
      const refusal = await refusalOf(market.complete(renewal, allocation, license, { disclosed }));
      expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
      return refusal.resourceNames('CONTRACT_ID');
    };
    expect(await missing(market.round, locked)).toEqual([market.rules.contractId]);
    expect(await missing(market.rules, locked)).toEqual([market.round.contractId]);
    expect(await missing(market.rules, market.round)).toEqual([locked.contractId]);
  });
});

describe('what does not match', () => {
  /** Tries to complete a renewal for 100 with an allocation whose terms differ. */
  async function mismatch(changes: Partial<Specification>) {
    const license = await market.newLicense();
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    const specification = { ...market.specification(terms, 1n), ...changes };
    const transaction = await market.allocate(specification, [await market.tap('1000.0')]);
    return { license, terms, renewal, allocation: createdOf(transaction, AMULET_ALLOCATION) };
  }

  const otherMeta = { 'splice.lfdecentralizedtrust.org/reason': 'something else' };

  it.each([
    ['another leg', { legId: 'tip' }, '"tip" == "licenseFeePayment"'],
    ['too little', { amount: '99.9999999999' }, 'amount = 99.9999999999'],
    ['too much', { amount: '100.0000000001' }, 'amount = 100.0000000001'],
    ['other metadata of the leg', { legMeta: otherMeta }, "sender = 'user-"],
    ['no metadata of the leg', { legMeta: {} }, 'amount = 100.0, '],
    ['the settlement of another renewal', { settlementId: 'other' }, 'id = "other"'],
    ['other metadata of the settlement', { settlementMeta: {} }, 'Metadata {values = TextMap []}'],
  ] as const)(
    '%s is refused with what was found, cut as all long texts are',
    async (_name, changes, text) => {
      const { license, renewal, allocation } = await mismatch(changes);
      const refusal = await refusalOf(market.complete(renewal, allocation, license));
      expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
      expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
      expect(refusal.message).toContain(text);
      expect(refusal.message.length).toBeLessThan(600);
    },
  );

  it.each([
    ['requestedAt', -1n],
    ['allocateBefore', -1n],
    ['settleBefore', 1n],
  ] as const)('another %s is refused', async (field, shift) => {
    const license = await market.newLicense();
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    const wanted = market.specification(terms, 1n);
    const shifted = { ...wanted, [field]: wanted[field] + shift };
    const transaction = await market.allocate(shifted, [await market.tap('100.0')]);
    const allocation = createdOf(transaction, AMULET_ALLOCATION);
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
  });

  it('another receiver is refused', async () => {
    const receiver = await network.party('other', PROVIDER_ADMIN);
    const { license, renewal, allocation } = await mismatch({ receiver });
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
  });

  it('an allocation for another executor is not the provider’s to see', async () => {
    const executor = await network.party('other', PROVIDER_ADMIN);
    const { license, renewal, allocation } = await mismatch({ executor });
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([allocation.contractId]);
    const shown = await disclosedOf(market.userSide, market.user, allocation.contractId);
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation), shown];
    const seen = await refusalOf(market.complete(renewal, allocation, license, { disclosed }));
    expect(seen.metadata['error_id']).toBe(ASSERTION_FAILED);
    expect(seen.message).toContain(executor);
  });

  it('an offer in another instrument cannot be paid with amulet', async () => {
    const license = await market.newLicense();
    const terms = await market.terms({ instrument: { admin: market.dso, id: 'Silver' } });
    const renewal = await market.renew(license, terms);
    const instrument = { admin: market.dso, id: 'Amulet' };
    const wanted = { ...market.specification(terms, 1n), instrument };
    const transaction = await market.allocate(wanted, [await market.tap('100.0')]);
    const allocation = createdOf(transaction, AMULET_ALLOCATION);
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
    expect(refusal.message).toContain('id = "Amulet"');
  });

  it('a contract that is no allocation is refused as such', async () => {
    const { license, renewal, allocation } = await market.paidRenewal();
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation)];
    const refusal = await refusalOf(market.complete(renewal, license, license, { disclosed }));
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    });
  });

  it('a wrong licence is found out last, and takes nothing with it', async () => {
    const { license, terms, renewal, allocation } = await market.paidRenewal();
    const second = await market.nextLicense();
    const before = await activeIds(market.userSide, market.user);
    const refusal = await refusalOf(market.complete(renewal, allocation, second));
    expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
    expect(refusal.message).toContain('expected 2 == 1');
    expect(await activeIds(market.userSide, market.user)).toEqual(before);
    expect(before).toContain(allocation.contractId);

    const noLicense = await refusalOf(market.complete(renewal, allocation, renewal));
    expect(noLicense).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'WRONGLY_TYPED_CONTRACT',
    });
    const completed = await market.complete(renewal, allocation, license);
    expect(expiryOf(createdOf(completed, LICENSE))).toBe(
      (await market.now()) + terms.extensionMicros,
    );
  });

  it('a licence of another user does not do either', async () => {
    const { renewal, allocation } = await market.paidRenewal();
    const other = await Market.open(network);
    const license = await other.newLicense();
    const blind = await refusalOf(market.complete(renewal, allocation, license));
    expect(blind.resourceNames('CONTRACT_ID')).toEqual([license.contractId]);
    const shown = await disclosedOf(other.userSide, other.user, license.contractId);
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation), shown];
    const seen = await refusalOf(market.complete(renewal, allocation, license, { disclosed }));
    expect(seen.reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});

describe('the checks of a completion', () => {
  it('come in the order of the public contracts', async () => {
    const { license, terms, renewal, allocation } = await market.paidRenewal();
    const wrongLicense = await market.nextLicense();
    const allocated = async (changes: Partial<Specification>) => {
      const specification = { ...market.specification(terms, 1n), ...changes };
      const transaction = await market.allocate(specification, [await market.tap('500.0')]);
      return createdOf(transaction, AMULET_ALLOCATION);
    };
    const refused = async (paidWith: CreatedEvent, context: Context) => {
      const call = market.complete(renewal, paidWith, wrongLicense, { context });
      return (await refusalOf(call)).message;
    };
    const wrong = { legId: 'tip', amount: '1.0', settlementId: 'other' };
    const { legId: _legId, ...rightLegId } = wrong;
    const { amount: _amount, ...rightLeg } = rightLegId;
    const { 'amulet-rules': amuletRules } = market.paymentContext;
    const steps = [
      [await allocated(wrong), {}, '"tip" == "licenseFeePayment"'],
      [await allocated(rightLegId), {}, 'amount = 1.0, '],
      [await allocated(rightLeg), {}, 'id = "other"'],
      [allocation, {}, 'Missing context entry for: amulet-rules'],
      [allocation, { 'amulet-rules': amuletRules! }, 'Missing context entry for: open-round'],
      [allocation, market.paymentContext, 'expected 2 == 1'],
    ] as const;
    for (const [paidWith, context, text] of steps) {
      expect(await refused(paidWith, context)).toContain(text);
    }
    await market.complete(renewal, allocation, license);
  });

  it('begin with the deadline, at the instant itself', async () => {
    const { license, terms, renewal, allocation } = await market.paidRenewal();
    await market.travelTo(terms.settleBefore);
    const refusal = await refusalOf(market.complete(renewal, allocation, license, { context: {} }));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
    expect(refusal.metadata).toMatchObject({
      error_id: 'stdlib.daml.com/deadline-exceeded',
      deadline: expect.stringMatching(/^2.*Z$/) as string,
    });
    expect(refusal.message).toContain("Ledger time is at or past deadline 'settleBefore' at 2");
    expect(refusal.metadata['exercise_trace']).toContain('LicenseRenewalRequest_CompleteRenewal');
  });

  it('accept the last instant before it', async () => {
    const { license, terms, renewal, allocation } = await market.paidRenewal();
    await market.travelTo(terms.settleBefore - 1n);
    const completed = await market.complete(renewal, allocation, license);
    expect(createdIn(completed)).not.toEqual([]);
  });

  it('refuse an extension beyond all time', async () => {
    const { license, renewal, allocation } = await market.paidRenewal({
      extensionMicros: 2n ** 63n - 1n,
    });
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.reason).toBe('DAML_FAILURE');
    expect(refusal.metadata['error_id']).toContain('ArithmeticError');
  });
});
