import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CreatedEvent } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { LedgerClients } from './kit/clients.ts';
import { ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import type { EventOptions } from './kit/formats.ts';
import { PROVIDER_ADMIN } from './kit/identities.ts';
import { INSTALL, LICENSE } from './kit/licensing.ts';
import { DAY_MICROS, disclosedOf, Market, resultOf } from './kit/market.ts';
import {
  ALLOCATION,
  ALLOCATION_REQUEST,
  AMULET,
  AMULET_ALLOCATION,
  complete,
  HOLDING,
  onAllocation,
  rejectRequest,
} from './kit/money.ts';
import type { Context, Specification, Terms } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, activeIds, createdOf } from './kit/steps.ts';
import { archivedIn, createdIn, exercisedIn, readUntil, transactionsIn } from './kit/streams.ts';
import { selfSignedToken } from './kit/tokens.ts';
import { readRecord, readValue } from './kit/values.ts';

/*
 * The money path from end to end: the provider offers to extend a licence, the user pays, the provider completes.
 */

const ASSERTION_FAILED = 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed';
const STATIC_TIME = '2030-01-01T00:00:00Z';

let network: Network;
let market: Market;

beforeAll(async () => {
  network = await openNetwork({ staticTime: STATIC_TIME });
});
afterAll(() => network?.[Symbol.asyncDispose]());
beforeEach(async () => {
  market = await Market.open(network);
});

/** Entity names of what a party has active, sorted. */
async function held(clients: LedgerClients, party: string): Promise<string[]> {
  const active = await activeContracts(clients, eventsOf([party]));
  return active.map(({ createdEvent }) => createdEvent!.templateId!.entityName).toSorted();
}

const expiryOf = ({ createArguments }: CreatedEvent) =>
  (readRecord(createArguments) as { expiresAt: bigint }).expiresAt;

/** A second licence of the same user. */
async function nextLicense(): Promise<CreatedEvent> {
  const format = eventsOf([market.provider], { templates: [INSTALL] });
  const [install] = await activeContracts(market.providerSide, format);
  return market.nextLicense(install!.createdEvent!.contractId);
}

/** A licence with an offer to extend it, and an allocation that pays for it. */
async function paidRenewal(changes: Partial<Terms> = {}) {
  const license = await market.newLicense();
  const terms = await market.terms(changes);
  const renewal = await market.renew(license, terms);
  const allocation = await market.allocateFor(terms);
  return { license, terms, renewal, allocation };
}

describe('completing a renewal', () => {
  it('extends the licence and pays the provider', async () => {
    const { license, terms, renewal, allocation } = await paidRenewal();
    const completed = await market.complete(renewal, allocation, license);

    const renewed = createdOf(completed, LICENSE);
    expect(readValue(resultOf(completed))).toBe(renewed.contractId);
    expect(readRecord(renewed.createArguments)).toEqual({
      ...(readRecord(license.createArguments) as object),
      expiresAt: (await market.now()) + terms.extensionMicros,
    });
    const providers = ['Amulet', 'AppInstall', 'License'];
    expect(await held(market.providerSide, market.provider)).toEqual(providers);
    expect(await held(market.userSide, market.user)).toEqual(['AppInstall', 'License']);
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
    const first = await paidRenewal({ extensionMicros: 5n * DAY_MICROS });
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
    const { license, renewal, allocation } = await paidRenewal();
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
    const { license, renewal, allocation } = await paidRenewal();
    const locked = await market.lockedIn(allocation);
    const disclosed = [market.rules, market.round, locked];
    const complete = () => market.complete(renewal, allocation, license, { disclosed });
    const outcomes = await Promise.allSettled([complete(), complete(), complete()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const again = await refusalOf(complete());
    expect(again).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(again.resourceNames('CONTRACT_ID')).toEqual([renewal.contractId]);
    expect(await held(market.providerSide, market.provider)).toEqual([
      'Amulet',
      'AppInstall',
      'License',
    ]);
  });

  it('is the provider’s alone', async () => {
    const { license, renewal, allocation } = await paidRenewal();
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
    const { license, renewal, allocation } = await paidRenewal();
    await market.asUser(rejectRequest(renewal.contractId, market.user));
    const late = await refusalOf(market.complete(renewal, allocation, license));
    expect(late.resourceNames('CONTRACT_ID')).toEqual([renewal.contractId]);
    expect(await activeIds(market.providerSide, market.provider)).toContain(allocation.contractId);
  });

  it('needs an allocation that is still there', async () => {
    const { license, renewal, allocation } = await paidRenewal();
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
    const { license, renewal, allocation } = await paidRenewal();
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
  /** A renewal of 100 and an allocation of something else. */
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
    ['another leg', { legId: 'tip' }, '"tip" === "licenseFeePayment"'],
    ['too little', { amount: '99.9999999999' }, '"amount":"99.9999999999"'],
    ['too much', { amount: '100.0000000001' }, '"amount":"100.0000000001"'],
    ['other metadata of the leg', { legMeta: otherMeta }, '"sender":"user-'],
    ['no metadata of the leg', { legMeta: {} }, '"values":{}'],
    ['the settlement of another renewal', { settlementId: 'other' }, '"id":"other"'],
    ['other metadata of the settlement', { settlementMeta: {} }, '"values":{}'],
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
    expect(refusal.message).toContain('"id":"Amulet"');
  });

  it('a contract that is no allocation is refused as such', async () => {
    const { license, renewal, allocation } = await paidRenewal();
    const disclosed = [market.rules, market.round, await market.lockedIn(allocation)];
    const refusal = await refusalOf(market.complete(renewal, license, license, { disclosed }));
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    });
  });

  it('a wrong licence is found out last, and takes nothing with it', async () => {
    const { license, terms, renewal, allocation } = await paidRenewal();
    const second = await nextLicense();
    const before = await activeIds(market.userSide, market.user);
    const refusal = await refusalOf(market.complete(renewal, allocation, second));
    expect(refusal.metadata['error_id']).toBe(ASSERTION_FAILED);
    expect(refusal.message).toContain('"2" === "1"');
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
    const { renewal, allocation } = await paidRenewal();
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
    const { license, terms, renewal, allocation } = await paidRenewal();
    const wrongLicense = await nextLicense();
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
      [await allocated(wrong), {}, '"tip" === "licenseFeePayment"'],
      [await allocated(rightLegId), {}, '"amount":"1.0000000000"'],
      [await allocated(rightLeg), {}, '"id":"other"'],
      [allocation, {}, 'Missing context entry for: amulet-rules'],
      [allocation, { 'amulet-rules': amuletRules! }, 'Missing context entry for: open-round'],
      [allocation, market.paymentContext, '"2" === "1"'],
    ] as const;
    for (const [paidWith, context, text] of steps) {
      expect(await refused(paidWith, context)).toContain(text);
    }
    await market.complete(renewal, allocation, license);
  });

  it('begin with the deadline, at the instant itself', async () => {
    const { license, terms, renewal, allocation } = await paidRenewal();
    await market.travelTo(terms.settleBefore);
    const refusal = await refusalOf(market.complete(renewal, allocation, license, { context: {} }));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
    expect(refusal.metadata).toMatchObject({
      error_id: 'stdlib.daml.com/deadline-exceeded',
      name: 'settleBefore',
    });
    expect(refusal.message).toContain("Ledger time is at or past deadline 'settleBefore' at 2");
    expect(refusal.metadata['exercise_trace']).toContain('LicenseRenewalRequest_CompleteRenewal');
  });

  it('accept the last instant before it', async () => {
    const { license, terms, renewal, allocation } = await paidRenewal();
    await market.travelTo(terms.settleBefore - 1n);
    await market.complete(renewal, allocation, license);
  });

  it('refuse an extension beyond all time', async () => {
    const { license, renewal, allocation } = await paidRenewal({
      extensionMicros: 2n ** 63n - 1n,
    });
    const refusal = await refusalOf(market.complete(renewal, allocation, license));
    expect(refusal.reason).toBe('DAML_FAILURE');
    expect(refusal.metadata['error_id']).toContain('ArithmeticError');
  });
});

/** What one party is shown of a transaction: its choices, and what it creates and archives, by entity. */
const shapeOf = (transaction: Transaction) => ({
  choices: exercisedIn(transaction).map(({ choice }) => choice),
  created: createdIn(transaction).map(({ templateId }) => templateId!.entityName),
  archived: archivedIn(transaction).map(({ templateId }) => templateId!.entityName),
});

async function seenBy(
  clients: LedgerClients,
  party: string,
  updateId: string,
  shape: typeof ACS_DELTA | typeof LEDGER_EFFECTS,
) {
  const updateFormat = updatesOf(shape, [party]);
  const update = await clients.updates.getUpdateById({ updateId, updateFormat });
  return shapeOf(transactionsIn([update])[0]!);
}

describe('each side', () => {
  it('holds its own contracts at each step', async () => {
    const install = ['AppInstall'];
    const offered = ['AppInstall', 'AppPaymentRequest', 'License', 'LicenseRenewalRequest'];
    const dsoHolds = async () => {
      const active = await activeContracts(market.dsoSide, eventsOf([market.dso]));
      const own = active.filter(({ createdEvent: created }) =>
        [...created!.signatories, ...created!.observers].some((party) =>
          [market.user, market.provider].includes(party),
        ),
      );
      return own.map(({ createdEvent }) => createdEvent!.templateId!.entityName).toSorted();
    };
    const license = await market.newLicense();
    expect(await held(market.providerSide, market.provider)).toEqual([...install, 'License']);
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    expect(await held(market.providerSide, market.provider)).toEqual(offered);
    expect(await held(market.userSide, market.user)).toEqual(offered);
    expect(await dsoHolds()).toEqual([]);

    const allocation = await market.allocateFor(terms);
    expect(await held(market.providerSide, market.provider)).toEqual([
      'AmuletAllocation',
      ...offered,
    ]);
    expect(await held(market.userSide, market.user)).toEqual([
      'AmuletAllocation',
      ...offered,
      'LockedAmulet',
    ]);
    expect(await dsoHolds()).toEqual(['AmuletAllocation', 'LockedAmulet']);

    await market.complete(renewal, allocation, license);
    expect(await held(market.providerSide, market.provider)).toEqual([
      'Amulet',
      ...install,
      'License',
    ]);
    expect(await held(market.userSide, market.user)).toEqual([...install, 'License']);
    expect(await dsoHolds()).toEqual(['Amulet']);
  });

  it('is shown the allocation as far as it is concerned', async () => {
    const terms = await market.terms();
    const amuletCid = await market.tap('150.0');
    const { updateId } = await market.allocate(market.specification(terms, 1n), [amuletCid]);
    const all = {
      choices: ['AllocationFactory_Allocate', 'AmuletRules_Transfer', 'Archive'],
      created: ['LockedAmulet', 'Amulet', 'AmuletAllocation'],
      archived: [],
    };
    const { user, provider, dso } = market;
    expect(await seenBy(market.userSide, user, updateId, LEDGER_EFFECTS)).toEqual(all);
    expect(await seenBy(market.dsoSide, dso, updateId, LEDGER_EFFECTS)).toEqual(all);
    const onlyAllocation = { choices: [], created: ['AmuletAllocation'], archived: [] };
    for (const shape of [LEDGER_EFFECTS, ACS_DELTA] as const) {
      expect(await seenBy(market.providerSide, provider, updateId, shape)).toEqual(onlyAllocation);
    }
  });

  it('is shown the completion as far as it is concerned', async () => {
    const { license, renewal, allocation } = await paidRenewal();
    const { updateId } = await market.complete(renewal, allocation, license);
    const paying = [
      'Allocation_ExecuteTransfer',
      'LockedAmulet_Unlock',
      'AmuletRules_Transfer',
      'Archive',
    ];
    const all = {
      choices: [
        'LicenseRenewalRequest_CompleteRenewal',
        ...paying,
        'Archive',
        'Archive',
        'Archive',
      ],
      created: ['Amulet', 'Amulet', 'License'],
      archived: [],
    };
    const { user, provider, dso } = market;
    expect(await seenBy(market.providerSide, provider, updateId, LEDGER_EFFECTS)).toEqual(all);
    expect(await seenBy(market.userSide, user, updateId, LEDGER_EFFECTS)).toEqual(all);
    expect(await seenBy(market.dsoSide, dso, updateId, LEDGER_EFFECTS)).toEqual({
      choices: paying,
      created: ['Amulet', 'Amulet'],
      archived: [],
    });
    const licensing = ['License', 'AppPaymentRequest', 'LicenseRenewalRequest'];
    expect(await seenBy(market.providerSide, provider, updateId, ACS_DELTA)).toEqual({
      choices: [],
      created: ['Amulet', 'License'],
      archived: ['AmuletAllocation', ...licensing],
    });
    expect(await seenBy(market.userSide, user, updateId, ACS_DELTA)).toEqual({
      choices: [],
      created: ['License'],
      archived: ['AmuletAllocation', 'LockedAmulet', ...licensing],
    });
    expect(await seenBy(market.dsoSide, dso, updateId, ACS_DELTA)).toEqual({
      choices: [],
      created: ['Amulet'],
      archived: ['AmuletAllocation', 'LockedAmulet'],
    });
  });

  it('hears nothing of the DSO party’s own contracts but from the registry', async () => {
    for (const { contractId } of [market.rules, market.round, market.factory]) {
      for (const [clients, party] of [
        [market.userSide, market.user],
        [market.providerSide, market.provider],
      ] as const) {
        const eventFormat = eventsOf([party]);
        const call = clients.events.getEventsByContractId({ contractId, eventFormat });
        expect((await refusalOf(call)).reason).toBe('CONTRACT_EVENTS_NOT_FOUND');
      }
    }
  });
});

describe('interfaces in reads', () => {
  const activeFor = (options: EventOptions) =>
    activeContracts(market.providerSide, eventsOf([market.provider], options));

  it('show an allocation to the executor by its view', async () => {
    const { terms, allocation } = await paidRenewal();
    const [active, ...others] = await activeFor({ interfaces: [ALLOCATION] });
    expect(others).toEqual([]);
    const { contractId, interfaceViews, createdEventBlob } = active!.createdEvent!;
    expect(contractId).toBe(allocation.contractId);
    expect(createdEventBlob).toHaveLength(0);
    const { lockedAmulet } = readRecord(allocation.createArguments) as { lockedAmulet: string };
    expect(readRecord(interfaceViews[0]?.viewValue)).toMatchObject({
      allocation: {
        settlement: { executor: market.provider, settlementRef: { id: terms.requestId } },
        transferLegId: 'licenseFeePayment',
        transferLeg: { sender: market.user, receiver: market.provider, amount: terms.amount },
      },
      holdingCids: [lockedAmulet],
      meta: { values: {} },
    });
  });

  it('are combined, with views and blobs only where they are asked for', async () => {
    await paidRenewal();
    const names = async (options: EventOptions) =>
      (await activeFor(options))
        .map(({ createdEvent }) => createdEvent!)
        .map(({ templateId, interfaceViews, createdEventBlob }) => [
          templateId!.entityName,
          interfaceViews.map(({ interfaceId }) => interfaceId!.entityName),
          createdEventBlob.length > 0,
        ]);
    expect(
      await names({ interfaces: [ALLOCATION, ALLOCATION_REQUEST], templates: [LICENSE] }),
    ).toEqual([
      ['License', [], false],
      ['LicenseRenewalRequest', ['AllocationRequest'], false],
      ['AmuletAllocation', ['Allocation'], false],
    ]);
    expect(await names({ interfaces: [ALLOCATION], views: false, blobs: true })).toEqual([
      ['AmuletAllocation', [], true],
    ]);
    expect(await names({ interfaces: [HOLDING] })).toEqual([]);
  });

  it('select what a stream brings, and name themselves in archivals', async () => {
    const begin = await ledgerEnd(market.providerSide);
    const { license, renewal, allocation } = await paidRenewal();
    const completed = await market.complete(renewal, allocation, license);
    const updateFormat = updatesOf(ACS_DELTA, [market.provider], {
      interfaces: [ALLOCATION, ALLOCATION_REQUEST, HOLDING],
    });
    const seen = transactionsIn(
      await readUntil(
        (options) =>
          market.providerSide.updates.getUpdates({ beginExclusive: begin, updateFormat }, options),
        (elements) => transactionsIn(elements).some(({ offset }) => offset >= completed.offset),
      ),
    );
    const created = seen.flatMap((one) => createdIn(one));
    expect(created.map(({ interfaceViews }) => interfaceViews[0]?.interfaceId?.entityName)).toEqual(
      ['AllocationRequest', 'Allocation', 'Holding'],
    );
    const archived = seen.flatMap((one) => archivedIn(one));
    expect(
      archived.map(({ contractId, implementedInterfaces }) => [
        contractId,
        implementedInterfaces.map(({ entityName }) => entityName),
      ]),
    ).toEqual([
      [allocation.contractId, ['Allocation']],
      [renewal.contractId, ['AllocationRequest']],
    ]);
  });

  it('are looked up by contract too', async () => {
    const { allocation } = await paidRenewal();
    const { contractId } = allocation;
    const look = (options: EventOptions) =>
      market.providerSide.events.getEventsByContractId({
        contractId,
        eventFormat: eventsOf([market.provider], options),
      });
    const { created } = await look({ interfaces: [ALLOCATION] });
    expect(created?.createdEvent?.interfaceViews).toHaveLength(1);
    const other = await refusalOf(look({ interfaces: [HOLDING] }));
    expect(other.reason).toBe('CONTRACT_EVENTS_NOT_FOUND');
  });
});

describe('a restart', () => {
  let dataDir = '';
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tenure-money-'));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  const open = () => openNetwork({ dataDir, staticTime: STATIC_TIME });
  /** Everything that one party was ever shown. */
  const historyOf = async (clients: LedgerClients, party: string) =>
    transactionsIn(
      await readUntil(
        (options) =>
          clients.updates.getUpdates(
            {
              beginExclusive: 0n,
              updateFormat: updatesOf(LEDGER_EFFECTS, [party], { interfaces: [], blobs: true }),
            },
            options,
          ),
        (elements) => elements.some(({ update }) => update?.$case === 'offsetCheckpoint'),
      ),
    );

  it('in the middle of a payment loses nothing', async () => {
    let before: unknown;
    let parts: Awaited<ReturnType<typeof paidRenewal>>;
    let first: Market;
    {
      await using one = await open();
      first = await Market.open(one);
      market = first;
      parts = await paidRenewal();
      const other = await market.renew(parts.license, await market.terms());
      await market.asUser(rejectRequest(other.contractId, market.user));
      before = await historyOf(market.userSide, market.user);
    }
    await using two = await open();
    market = first.on(two);
    expect(await historyOf(market.userSide, market.user)).toEqual(before);
    const rules = await disclosedOf(market.dsoSide, market.dso, market.rules.contractId);
    expect(rules).toEqual(market.rules);
    const completed = await market.complete(parts.renewal, parts.allocation, parts.license);
    expect(archivedIn(completed)).toEqual([]);
    expect(await held(market.userSide, market.user)).toEqual(['AppInstall', 'License']);
  });

  it('gives a network of before the DSO party’s contracts, and tells only the super validator', async () => {
    const ends = async (of: Network) =>
      Promise.all(
        [of.as(PROVIDER_ADMIN), of.bearing('sv', () => selfSignedToken())].map(ledgerEnd),
      );
    let before: bigint[];
    {
      await using one = await open();
      before = await ends(one);
    }
    const journal = join(dataDir, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
    const kept = lines.filter((line) => !/dso-contracts|"splice-(?!api-token-metadata)/.test(line));
    expect(lines.length - kept.length).toBe(7);
    await writeFile(journal, `${kept.join('\n')}\n`);

    await using two = await open();
    const [provider, dso] = await ends(two);
    expect(provider).toBe(before[0]);
    expect(dso).toBeGreaterThanOrEqual(before[1]!);
    market = await Market.open(two);
    const { license, renewal, allocation } = await paidRenewal();
    expect(createdOf(await market.complete(renewal, allocation, license), AMULET)).toBeDefined();
  });
});
