import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { forFile } from '../kit/for-file.ts';
import type { LedgerClients } from './kit/clients.ts';
import { ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import type { EventOptions } from './kit/formats.ts';
import { PROVIDER_ADMIN } from './kit/identities.ts';
import { LICENSE } from './kit/licensing.ts';
import { disclosedOf, Market, heldBy } from './kit/market.ts';
import { ALLOCATION, ALLOCATION_REQUEST, AMULET, HOLDING, rejectRequest } from './kit/money.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, createdOf } from './kit/steps.ts';
import { archivedIn, createdIn, exercisedIn, readUntil, transactionsIn } from './kit/streams.ts';
import { selfSignedToken } from './kit/tokens.ts';
import { readRecord } from './kit/values.ts';

/* Payments as each side sees them, through each filter, and after a restart. */

const STATIC_TIME = '2030-01-01T00:00:00Z';

let market: Market;

const network = await forFile(openNetwork({ staticTime: STATIC_TIME }));
beforeEach(async () => {
  market = await Market.open(network);
});

/**
 * Returns a transaction as one party sees it: its choices, and the contracts that it creates and archives, by entity.
 */
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
    expect(await heldBy(market.providerSide, market.provider)).toEqual([...install, 'License']);
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    expect(await heldBy(market.providerSide, market.provider)).toEqual(offered);
    expect(await heldBy(market.userSide, market.user)).toEqual(offered);
    expect(await dsoHolds()).toEqual([]);

    const allocation = await market.allocateFor(terms);
    expect(await heldBy(market.providerSide, market.provider)).toEqual([
      'AmuletAllocation',
      ...offered,
    ]);
    expect(await heldBy(market.userSide, market.user)).toEqual([
      'AmuletAllocation',
      ...offered,
      'LockedAmulet',
    ]);
    expect(await dsoHolds()).toEqual(['AmuletAllocation', 'LockedAmulet']);

    await market.complete(renewal, allocation, license);
    expect(await heldBy(market.providerSide, market.provider)).toEqual([
      'Amulet',
      ...install,
      'License',
    ]);
    expect(await heldBy(market.userSide, market.user)).toEqual([...install, 'License']);
    expect(await dsoHolds()).toEqual(['Amulet']);
  });

  it('is shown the allocation as far as it is concerned', async () => {
    const terms = await market.terms();
    const amuletCid = await market.tap('150.0');
    const { updateId } = await market.allocate(market.specification(terms, 1n), [amuletCid]);
    const all = {
      choices: [
        'AllocationFactory_Allocate',
        'AmuletRules_ComputeFees',
        'AmuletRules_Transfer',
        'Archive',
      ],
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
    const { license, renewal, allocation } = await market.paidRenewal();
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
    const { terms, allocation } = await market.paidRenewal();
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
    await market.paidRenewal();
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
    const { license, renewal, allocation } = await market.paidRenewal();
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
    const { allocation } = await market.paidRenewal();
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
  /** Returns everything that one party has seen. */
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
    let parts: Awaited<ReturnType<Market['paidRenewal']>>;
    let first: Market;
    {
      await using one = await open();
      first = await Market.open(one);
      market = first;
      parts = await market.paidRenewal();
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
    expect(await heldBy(market.userSide, market.user)).toEqual(['AppInstall', 'License']);
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
    expect(lines.length - kept.length).toBe(10);
    await writeFile(journal, `${kept.join('\n')}\n`);

    await using two = await open();
    const [provider, dso] = await ends(two);
    expect(provider).toBe(before[0]);
    expect(dso).toBeGreaterThanOrEqual(before[1]!);
    market = await Market.open(two);
    const { license, renewal, allocation } = await market.paidRenewal();
    expect(createdOf(await market.complete(renewal, allocation, license), AMULET)).toBeDefined();
  });
});
