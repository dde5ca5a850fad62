import { expect, test } from 'vitest';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  TransactionShape,
  UpdateFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { GetUpdateResponse } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { ACS_DELTA, LEDGER_EFFECTS, eventsOf, transactions, updatesOf } from '../kit/formats.ts';
import { LICENSE, createAndCancel, createRequest } from '../kit/licensing.ts';
import { transact } from '../kit/steps.ts';
import { createdIn, readAll } from '../kit/streams.ts';

/* Modelled on the public conformance suites UpdateServiceQueryIT and TransactionServiceValidationIT. */

const { ledger, party } = await openSuite();
const { updates } = ledger;

const SUITE = 'UpdateServiceQueryIT';
const VALIDATION = 'TransactionServiceValidationIT';
const HIDDEN = 'Update not found, or not visible.';

interface Place {
  readonly updateId: string;
  readonly offset: bigint;
}

/** The two kinds of look-up for an update, with the names that they have in the suite's cases. */
const WAYS: readonly {
  readonly way: 'ById' | 'ByOffset';
  readonly ask: (place: Place, updateFormat: UpdateFormat) => Promise<GetUpdateResponse>;
  readonly unknown: Place;
}[] = [
  {
    way: 'ById',
    ask: ({ updateId }, updateFormat) => updates.getUpdateById({ updateId, updateFormat }),
    unknown: { updateId: `1220${'a'.repeat(64)}`, offset: 0n },
  },
  {
    way: 'ByOffset',
    ask: ({ offset }, updateFormat) => updates.getUpdateByOffset({ offset, updateFormat }),
    unknown: { updateId: '', offset: 21_000_000_000_000n },
  },
];

/** The IDs of the suite's cases by shape and kind of look-up, in the suite's spelling. */
const IDS = {
  ById: {
    effects: {
      basic: 'TXTransactionByIdLedgerEffectsBasic',
      otherParty: 'TXLedgerEffectsInvisibleUpdateByIdOtherParty',
      otherTemplate: 'TXLedgerEffectsInvisibleUpdateByIdOtherTemplate',
      notFound: 'TXLedgerEffectsUpdateByIdNotFound',
    },
    delta: {
      basic: 'TXAcsDeltaUpdateByIdBasic',
      otherParty: 'TXAcsDeltaInvisibleUpdateByIdOtherParty',
      otherTemplate: 'TXAcsDeltaInvisibleUpdateByIdOtherTemplate',
      notFound: 'TXAcsDeltaUpdateByIdNotFound',
    },
  },
  ByOffset: {
    effects: {
      basic: 'TXLedgerEffectsUpdateByOffsetBasic',
      otherParty: 'TXLegerEffectsInvisibleUpdateByOffsetOtherParty',
      otherTemplate: 'TXLegerEffectsInvisibleUpdateByOffsetOtherTemplate',
      notFound: 'TXLegerEffectsUpdateByOffsetNotFound',
    },
    delta: {
      basic: 'TXAcsDeltaUpdateByOffsetBasic',
      otherParty: 'TXAcsDeltaInvisibleUpdateByOffsetOtherParty',
      otherTemplate: 'TXAcsDeltaInvisibleUpdateByOffsetOtherTemplate',
      notFound: 'TXAcsDeltaUpdateByOffsetNotFound',
    },
  },
} as const;

/** The IDs of the cases that depend only on the kind of look-up. */
const WAY_IDS = {
  ById: {
    createArguments: 'TXAcsDeltaUpdateByIdCreateArgumentsNonEmpty',
    transient: 'TXUpdateByIdTransientContract',
    topologyOtherParty: 'TopologyTXInvisibleByIdOtherParty',
    topology: 'TopologyTXInvisibleById',
  },
  ByOffset: {
    createArguments: 'TXAcsDeltaUpdateByOffsetCreateArgumentsNonEmpty',
    transient: 'TXUpdateByOffsetTransientContract',
    topologyOtherParty: 'TopologyTXInvisibleByOffsetOtherParty',
    topology: 'TopologyTXInvisibleByOffset',
  },
} as const;

const SHAPES: readonly (readonly ['effects' | 'delta', TransactionShape])[] = [
  ['effects', LEDGER_EFFECTS],
  ['delta', ACS_DELTA],
];

const ownRequest = (name: string): Commands =>
  change(createRequest({ user: name, provider: name }), { actAs: [name] });
const transient = (name: string): Commands =>
  change(createAndCancel({ user: name, provider: name }), { actAs: [name] });

for (const { way, ask, unknown } of WAYS) {
  for (const [shapeName, shape] of SHAPES) {
    const ids = IDS[way][shapeName];

    test(`${SUITE} ${ids.basic}: as it was answered`, async () => {
      const name = await party();
      const format = transactions(shape, eventsOf([name]));
      const transaction = await transact(ledger, ownRequest(name), format);
      const found = await ask(transaction, updatesOf(shape, [name]));
      expect(found.update).toEqual({ $case: 'transaction', value: transaction });
    });

    test(`${SUITE} ${ids.otherParty}: to another party it does not exist`, async () => {
      const [name, other] = [await party(), await party()];
      const transaction = await transact(ledger, ownRequest(name));
      const call = ask(transaction, updatesOf(shape, [other]));
      await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
    });

    test(`${SUITE} ${ids.otherTemplate}: nor to who asks for another template`, async () => {
      const name = await party();
      const transaction = await transact(ledger, ownRequest(name));
      const call = ask(transaction, updatesOf(shape, [name], { templates: [LICENSE] }));
      await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
    });

    test(`${SUITE} ${ids.notFound}: what never was is not found`, async () => {
      const call = ask(unknown, updatesOf(shape, [await party()]));
      await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
    });
  }

  test(`${SUITE} ${WAY_IDS[way].createArguments}: with its arguments`, async () => {
    const name = await party();
    const transaction = await transact(ledger, ownRequest(name));
    const { update } = await ask(transaction, updatesOf(ACS_DELTA, [name]));
    const found = update!.$case === 'transaction' ? update!.value : undefined;
    expect(createdIn(found!)[0]!.createArguments!.fields.length).toBeGreaterThan(0);
  });

  test(`${SUITE} ${WAY_IDS[way].transient}: what came and went is an effect and no change`, async () => {
    const name = await party();
    const format = transactions(LEDGER_EFFECTS, eventsOf([name]));
    const transaction = await transact(ledger, transient(name), format);
    const call = ask(transaction, updatesOf(ACS_DELTA, [name]));
    await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
    const { update } = await ask(transaction, updatesOf(LEDGER_EFFECTS, [name]));
    expect(update).toEqual({ $case: 'transaction', value: transaction });
  });
}

const topologyOf = (...parties: string[]): UpdateFormat => ({
  includeTransactions: undefined,
  includeReassignments: undefined,
  includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
});

/** Allocates a party. @returns the party, and the ID and offset of the update */
async function allocation(): Promise<{ party: string; place: Place }> {
  const begin = await ledgerEnd(ledger);
  const { partyDetails } = await ledger.partyAdmin.allocateParty({ partyIdHint: unique('case') });
  const name = partyDetails!.party;
  const request = {
    beginExclusive: begin,
    endInclusive: await ledgerEnd(ledger),
    updateFormat: topologyOf(),
  };
  for (const { update } of await readAll(updates.getUpdates(request))) {
    if (update?.$case !== 'topologyTransaction') continue;
    const { updateId, offset } = update.value;
    return { party: name, place: { updateId, offset } };
  }
  throw new Error('nothing was told of a new party');
}

test(`${SUITE} TopologyTXByOffsetBasic: the hosting of a party`, async () => {
  const { party: name, place } = await allocation();
  for (const { ask } of WAYS) {
    const { update } = await ask(place, topologyOf(name));
    expect(update).toMatchObject({
      $case: 'topologyTransaction',
      value: {
        ...place,
        events: [{ event: { $case: 'participantAuthorizationAdded', value: { partyId: name } } }],
      },
    });
  }
});

test(`${SUITE} TopologyTXPartyWildcard: of any party`, async () => {
  const { place } = await allocation();
  const { update } = await WAYS[1]!.ask(place, topologyOf());
  expect(update!.$case).toBe('topologyTransaction');
});

for (const { way, ask } of WAYS) {
  test(`${SUITE} ${WAY_IDS[way].topologyOtherParty}: not to who asks for another`, async () => {
    const { place } = await allocation();
    const call = ask(place, topologyOf(await party()));
    await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
  });

  test(`${SUITE} ${WAY_IDS[way].topology}: not to who asks for transactions`, async () => {
    const { party: name, place } = await allocation();
    const call = ask(place, updatesOf(ACS_DELTA, [name]));
    await expectRefused(call, 'UPDATE_NOT_FOUND', HIDDEN);
  });
}

test(`${VALIDATION} TXRejectEmptyFilter: a format names parties`, async () => {
  const eventFormat = { filtersByParty: {}, filtersForAnyParty: undefined, verbose: true };
  const updateFormat = { includeTransactions: transactions(ACS_DELTA, eventFormat) };
  const text = 'filtersByParty and filtersForAnyParty cannot be empty simultaneously';
  const endInclusive = await ledgerEnd(ledger);
  const call = readAll(updates.getUpdates({ updateFormat, endInclusive }));
  await expectRefused(call, 'INVALID_ARGUMENT', text);
});

test(`${VALIDATION} TXRejectBeginAfterEnd: an end is not before the begin`, async () => {
  const name = await party();
  const earlier = await ledgerEnd(ledger);
  const { offset: later } = await transact(ledger, ownRequest(name));
  const request = {
    beginExclusive: later,
    endInclusive: earlier,
    updateFormat: updatesOf(ACS_DELTA, [name]),
  };
  const call = readAll(updates.getUpdates(request));
  await expectRefused(call, 'OFFSET_OUT_OF_RANGE', 'is before begin offset');
});

const NO_FORMAT = 'The submitted command is missing a mandatory field: update_format';

test(`${VALIDATION} TXUpdateByIdWithoutParty: a format is needed`, async () => {
  const call = updates.getUpdateById({ updateId: `1220${'0'.repeat(64)}` });
  await expectRefused(call, 'MISSING_FIELD', NO_FORMAT);
});

test(`${VALIDATION} TXTransactionByOffsetInvalid: no offset is below one`, async () => {
  const updateFormat = updatesOf(ACS_DELTA, [await party()]);
  const call = updates.getUpdateByOffset({ offset: -21n, updateFormat });
  const text = 'Offset -21 in offset is not a positive integer';
  const refusal = await expectRefused(call, 'NON_POSITIVE_OFFSET', text);
  expect(Object.keys(refusal.metadata).toSorted()).toEqual(['category', 'tid']);
});

test(`${VALIDATION} TXUpdateByOffsetWithoutParty: a format is needed`, async () => {
  await expectRefused(updates.getUpdateByOffset({ offset: 42n }), 'MISSING_FIELD', NO_FORMAT);
});
