import { describe, expect, it } from 'vitest';
import type {
  TransactionShape,
  UpdateFormat,
} from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { forFile } from '../kit/for-file.ts';
import type { LedgerClients } from './kit/clients.ts';
import { ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import type { EventOptions } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { LICENSE, LICENSING, REQUEST, createAndCancel } from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newRequest, transact } from './kit/steps.ts';
import { readAll, transactionsIn } from './kit/streams.ts';

/*
 * Look-ups of updates and malformed requests, modelled on the public conformance suites UpdateServiceQueryIT and
 * TransactionServiceValidationIT. Omitted: look-up by hash, which only a later version has.
 */

const { network, ledger, sides, asUser } = await forFile(openSides());

/** The place of a transaction: its ID and its offset, for the two kinds of look-up. */
interface Place {
  readonly updateId: string;
  readonly offset: bigint;
}

const LOOK_UPS = [
  {
    name: 'GetUpdateById',
    get: ({ updateId }: Place, updateFormat: UpdateFormat) =>
      ledger.updates.getUpdateById({ updateId, updateFormat }),
  },
  {
    name: 'GetUpdateByOffset',
    get: ({ offset }: Place, updateFormat: UpdateFormat) =>
      ledger.updates.getUpdateByOffset({ offset, updateFormat }),
  },
] as const;

async function requested(): Promise<Place> {
  const { offset } = await newRequest(ledger, sides);
  const { update } = await ledger.updates.getUpdateByOffset({
    offset,
    updateFormat: updatesOf(ACS_DELTA, [sides.user]),
  });
  return { offset, updateId: update!.value.updateId };
}

describe.each(LOOK_UPS)('$name', ({ get }) => {
  const shapes = [
    { shape: 'ACS_DELTA', transactionShape: ACS_DELTA },
    { shape: 'LEDGER_EFFECTS', transactionShape: LEDGER_EFFECTS },
  ];

  it.each(shapes)('finds what its reader can see in shape $shape', async ({ transactionShape }) => {
    const place = await requested();
    for (const party of [sides.user, sides.provider]) {
      const [found] = transactionsIn([await get(place, updatesOf(transactionShape, [party]))]);
      expect(found).toMatchObject(place);
      expect(found!.events).toHaveLength(1);
    }
  });

  it.each(shapes)(
    'does not find in shape $shape what is not for its reader',
    async ({ transactionShape }) => {
      const place = await requested();
      const outsider = await network.party('outsider', USER_ADMIN);
      const looked = (parties: string[], options: EventOptions = {}) =>
        refusalOf(get(place, updatesOf(transactionShape, parties, options)));
      const notFound = { status: 'NOT_FOUND', reason: 'UPDATE_NOT_FOUND' };
      expect(await looked([outsider])).toMatchObject(notFound);
      expect(await looked([sides.user], { templates: [LICENSE] })).toMatchObject(notFound);
    },
  );

  it('finds in shape LEDGER_EFFECTS alone what does not outlive its transaction', async () => {
    const { updateId, offset } = await transact(ledger, asUser(createAndCancel(sides)));
    const place = { updateId, offset };
    const effects = await get(place, updatesOf(LEDGER_EFFECTS, [sides.user]));
    expect(transactionsIn([effects])[0]!.events).toHaveLength(2);
    const refusal = await refusalOf(get(place, updatesOf(ACS_DELTA, [sides.user])));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'UPDATE_NOT_FOUND' });
  });
});

describe('a look-up', () => {
  it('needs a format', async () => {
    const place = await requested();
    const calls = [
      ledger.updates.getUpdateById({ updateId: place.updateId }),
      ledger.updates.getUpdateByOffset({ offset: place.offset }),
    ];
    for (const call of calls) {
      expect(await refusalOf(call)).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: 'MISSING_FIELD',
      });
    }
  });
});

describe('an update that never was', () => {
  it('is not found by an ID', async () => {
    const { updateId } = await requested();
    const unknown = `1220${updateId.slice(4).replaceAll(/[\da-f]/g, 'a')}`;
    const call = ledger.updates.getUpdateById({
      updateId: unknown,
      updateFormat: updatesOf(ACS_DELTA, [sides.user]),
    });
    const refusal = await refusalOf(call);
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'UPDATE_NOT_FOUND' });
    expect(refusal.metadata['category']).toBe('11');
  });

  it('is not found by an offset', async () => {
    const call = ledger.updates.getUpdateByOffset({
      offset: (await ledgerEnd(ledger)) + 1_000n,
      updateFormat: updatesOf(ACS_DELTA, [sides.user]),
    });
    expect(await refusalOf(call)).toMatchObject({
      status: 'NOT_FOUND',
      reason: 'UPDATE_NOT_FOUND',
    });
  });

  it('has no empty ID', async () => {
    const call = ledger.updates.getUpdateById({
      updateId: '',
      updateFormat: updatesOf(ACS_DELTA, [sides.user]),
    });
    expect(await refusalOf(call)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'MISSING_FIELD',
    });
  });

  it.each([0n, -1n])('has no offset %s', async (offset) => {
    const call = ledger.updates.getUpdateByOffset({
      offset,
      updateFormat: updatesOf(ACS_DELTA, [sides.user]),
    });
    expect(await refusalOf(call)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'NON_POSITIVE_OFFSET',
    });
  });
});

describe('a request for updates', () => {
  const ask = (request: Parameters<LedgerClients['updates']['getUpdates']>[0]) =>
    refusalOf(readAll(ledger.updates.getUpdates(request)));
  const withFormat = async (updateFormat: Parameters<typeof UpdateFormat.fromPartial>[0]) => {
    const end = await ledgerEnd(ledger);
    return ask({ beginExclusive: 0n, endInclusive: end, updateFormat });
  };

  it('needs a format', async () => {
    expect(await ask({ beginExclusive: 0n })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'MISSING_FIELD',
    });
  });

  it('needs somebody to see for', async () => {
    const refusal = await withFormat({
      includeTransactions: { transactionShape: ACS_DELTA, eventFormat: {} },
    });
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' });
  });

  it('needs an event format', async () => {
    expect(
      await withFormat({ includeTransactions: { transactionShape: ACS_DELTA } }),
    ).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'MISSING_FIELD',
    });
  });

  it('needs a shape that exists', async () => {
    const eventFormat = eventsOf([sides.user]);
    expect(
      await withFormat({ includeTransactions: { eventFormat, transactionShape: 0 } }),
    ).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
    const unknown = 17 as TransactionShape;
    expect(
      await withFormat({ includeTransactions: { eventFormat, transactionShape: unknown } }),
    ).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });

  it('ends after it begins', async () => {
    const end = await ledgerEnd(ledger);
    const updateFormat = updatesOf(ACS_DELTA, [sides.user]);
    expect(await ask({ beginExclusive: end, endInclusive: end - 1n, updateFormat })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'OFFSET_OUT_OF_RANGE',
    });
  });

  it('does not begin before the begin', async () => {
    const updateFormat = updatesOf(ACS_DELTA, [sides.user]);
    expect(await ask({ beginExclusive: -1n, updateFormat })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'NEGATIVE_OFFSET',
    });
  });

  it('names packages and templates that exist', async () => {
    const filterBy = (templateId: typeof REQUEST) =>
      withFormat(updatesOf(ACS_DELTA, [sides.user], { templates: [templateId] }));
    const noPackage = await filterBy({ ...REQUEST, packageId: '#no-such-package' });
    expect(noPackage).toMatchObject({ status: 'NOT_FOUND', reason: 'PACKAGE_NAMES_NOT_FOUND' });
    expect(noPackage.message).toContain('[no-such-package]');

    const noTemplate = await filterBy({ ...REQUEST, entityName: 'NoSuchTemplate' });
    expect(noTemplate.status).toBe('NOT_FOUND');
    expect(noTemplate.reason).toBe('NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME');

    const noName = await filterBy({ ...REQUEST, packageId: LICENSING.slice(1) });
    expect(noName.status).toBe('INVALID_ARGUMENT');
  });

  it('for any party is for those who may read as any party', async () => {
    const refusal = await withFormat({
      includeTransactions: {
        transactionShape: ACS_DELTA,
        eventFormat: { filtersForAnyParty: {} },
      },
    });
    expect(refusal).toMatchObject({ status: 'PERMISSION_DENIED' });
  });
});
