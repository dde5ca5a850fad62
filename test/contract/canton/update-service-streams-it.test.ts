import { expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Event } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type {
  TransactionShape,
  UpdateFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { GetUpdatesPageRequest } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import {
  ACS_DELTA,
  LEDGER_EFFECTS,
  eventsOf,
  eventsOfAnyParty,
  transactions,
  updatesOf,
} from '../kit/formats.ts';
import { USER_READER } from '../kit/identities.ts';
import {
  INSTALL,
  createAndCancel,
  createInstall,
  createRequest,
  templateName,
} from '../kit/licensing.ts';
import { newRequest, transact } from '../kit/steps.ts';
import {
  Tail,
  between,
  checkpointsIn,
  completionsIn,
  createdIn,
  hasPassed,
  readAll,
  readUntil,
  transactionsIn,
} from '../kit/streams.ts';

/*
 * Modelled on the public conformance suites UpdateServiceStreamsIT and CheckpointInTailingStreamsIT; pruning is tested
 * in another file.
 */

const { network, ledger, party } = await openSuite();
const { updates, completions } = ledger;

const SUITE = 'UpdateServiceStreamsIT';
const CHECKPOINTS = 'CheckpointInTailingStreamsIT';
const own = (name: string) => ({ user: name, provider: name });
const by = (name: string, command: Command | Command[]) => change(command, { actAs: [name] });

async function many(name: string, count: number, clients = ledger): Promise<Transaction[]> {
  const made: Transaction[] = [];
  for (let index = 0; index < count; index += 1) {
    made.push(await transact(clients, by(name, createRequest(own(name)))));
  }
  return made;
}

const ofAnyParty = (shape: TransactionShape): UpdateFormat => ({
  includeTransactions: transactions(shape, eventsOfAnyParty()),
  includeReassignments: undefined,
  includeTopologyEvents: undefined,
});

const offsets = (all: readonly Transaction[]) => all.map(({ offset }) => offset);

const isDelta = ({ event }: Event): boolean | undefined =>
  event!.$case === 'archived' ? undefined : event!.value.acsDelta;

for (const [id, shape] of [
  ['TXLedgerEffectsEndToEnd', LEDGER_EFFECTS],
  ['TXEndToEnd', ACS_DELTA],
] as const) {
  test(`${SUITE} ${id}: from the end to the end there is nothing`, async () => {
    const name = await party();
    await newRequest(ledger, own(name));
    const end = await ledgerEnd(ledger);
    expect(await between(ledger, end, end, updatesOf(shape, [name]))).toEqual([]);
  });
}

test(`${SUITE} TXAfterEnd: past the end nothing has happened`, async () => {
  const updateFormat = updatesOf(ACS_DELTA, [await party()]);
  const beginExclusive = (await ledgerEnd(ledger)) + 1_000_000n;
  const call = readAll(updates.getUpdates({ beginExclusive, updateFormat }));
  await expectRefused(call, 'OFFSET_AFTER_LEDGER_END', 'is after ledger end');
});

test(`${SUITE} TXServeUntilCancellation: until the reader has enough`, async () => {
  const name = await party();
  const made = await many(name, 5);
  const seen = await readUntil(
    (options) => updates.getUpdates({ updateFormat: updatesOf(ACS_DELTA, [name]) }, options),
    (elements) => transactionsIn(elements).length >= 3,
  );
  expect(offsets(transactionsIn(seen)).slice(0, 3)).toEqual(offsets(made).slice(0, 3));
});

for (const [id, formatOf] of [
  ['TXServeTailingStreamSingleParty', (name: string) => updatesOf(ACS_DELTA, [name])],
  ['TXServeTailingStreamAcsDeltaPartyWildcard', () => ofAnyParty(ACS_DELTA)],
  ['TXServeTailingStreamLedgerEffectsPartyWildcard', () => ofAnyParty(LEDGER_EFFECTS)],
] as const) {
  test(`${SUITE} ${id}: what comes later comes too`, async () => {
    const name = await party();
    const beginExclusive = await ledgerEnd(ledger);
    const before = await many(name, 2);
    const request = { beginExclusive, updateFormat: formatOf(name) };
    await using tail = new Tail((options) => updates.getUpdates(request, options));
    // A stream for any party also sees new parties. This party belongs to another user, so that the reader's own rights
    // do not change.
    const after = id.endsWith('Wildcard')
      ? await many(await network.party('late', USER_READER), 1, network.as(USER_READER))
      : await many(name, 1);
    await tail.until((elements) => transactionsIn(elements).length === 3);
    const seen = transactionsIn(tail.seen);
    expect(offsets(seen)).toEqual(offsets([...before, ...after]));
    expect(seen.flatMap(({ events }) => events).map(isDelta)).toEqual([true, true, true]);
  });
}

for (const [id, shape] of [
  ['TXCompleteAcsDeltaOnLedgerEnd', ACS_DELTA],
  ['TXCompleteLedgerEffectsOnLedgerEnd', LEDGER_EFFECTS],
] as const) {
  test(`${SUITE} ${id}: a stream with an end ends there`, async () => {
    const name = await party();
    const made = await many(name, 2);
    const end = await ledgerEnd(ledger);
    const seen = await between(ledger, 0n, end, updatesOf(shape, [name]));
    expect(offsets(seen)).toEqual(offsets(made));
  });
}

test(`${SUITE} TXFilterByTemplate: one template of two`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  await transact(ledger, by(name, [createRequest(own(name)), createInstall(own(name))]));
  const end = await ledgerEnd(ledger);
  const templates = [INSTALL];
  const seen = await between(ledger, begin, end, updatesOf(ACS_DELTA, [name], { templates }));
  const created = seen.flatMap(createdIn);
  expect(created.map(({ templateId }) => templateName(templateId))).toEqual([
    templateName(INSTALL),
  ]);
  const ofAny = { includeTransactions: transactions(ACS_DELTA, eventsOfAnyParty({ templates })) };
  expect(await between(ledger, begin, end, { ...ofAnyParty(ACS_DELTA), ...ofAny })).toEqual(seen);
});

test(`${SUITE} TXTransactionFormat: transactions where they are asked for, reassignments never`, async () => {
  const name = await party();
  const [made] = await many(name, 1);
  const end = await ledgerEnd(ledger);
  const events = eventsOf([name], { verbose: false });
  const includeTransactions = transactions(LEDGER_EFFECTS, events);
  const none = ofAnyParty(ACS_DELTA);
  for (const [format, count] of [
    [{ ...none, includeTransactions }, 1],
    [{ ...none, includeTransactions: undefined, includeReassignments: events }, 0],
    [{ ...none, includeTransactions, includeReassignments: events }, 1],
  ] as const) {
    const seen = await between(ledger, 0n, end, format);
    expect(offsets(seen)).toEqual(offsets([made!]).slice(0, count));
  }
});

for (const [id, shape, events] of [
  ['TXLedgerEffectsTransientContract', LEDGER_EFFECTS, [false, false]],
  ['TXAcsDeltaTransientContract', ACS_DELTA, []],
] as const) {
  test(`${SUITE} ${id}: what came and went is no change`, async () => {
    const name = await party();
    await transact(ledger, by(name, createAndCancel(own(name))));
    const seen = await between(ledger, 0n, await ledgerEnd(ledger), updatesOf(shape, [name]));
    expect(seen.flatMap((it) => it.events.map(isDelta))).toEqual(events);
  });
}

test(`${SUITE} TXServeStreamLedgerEffectsFromMiddlePoint: from anywhere`, async () => {
  const name = await party();
  const made = await many(name, 4);
  const format = updatesOf(LEDGER_EFFECTS, [name]);
  const seen = await between(ledger, made[1]!.offset, await ledgerEnd(ledger), format);
  expect(offsets(seen)).toEqual(offsets(made.slice(2)));
});

test(`${SUITE} TXServeStreamInDescendingOrder: last first, and only with an end`, async () => {
  const name = await party();
  const made = await many(name, 3);
  const updateFormat = updatesOf(ACS_DELTA, [name]);
  const seen = await between(ledger, 0n, await ledgerEnd(ledger), updateFormat, true);
  expect(offsets(seen)).toEqual(offsets(made.toReversed()));
  const open = readAll(updates.getUpdates({ updateFormat, descendingOrder: true }));
  const text = 'end_inclusive is not provided when descending_order is true';
  await expectRefused(open, 'DESCENDING_ORDER_MISSING_END', text);
});

const page = async (request: Partial<GetUpdatesPageRequest>) => {
  const answer = await updates.getUpdatesPage(request);
  return { ...answer, offsets: offsets(transactionsIn(answer.updates)) };
};

test(`${SUITE} TXFetchFirstPageAsc: the first page, and how far it reaches`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const made = await many(name, 3);
  const request = {
    beginOffsetExclusive: begin,
    maxPageSize: 2,
    updateFormat: updatesOf(ACS_DELTA, [name]),
  };
  const first = await page(request);
  expect(first).toMatchObject({
    offsets: offsets(made.slice(0, 2)),
    lowestPageOffsetExclusive: begin,
    highestPageOffsetInclusive: made[1]!.offset,
  });
  const second = await page({ ...request, pageToken: first.nextPageToken! });
  expect(second.offsets).toEqual(offsets(made.slice(2)));
});

for (const [id, descendingOrder] of [
  ['TXPagedDynamicStartEndAscending', false],
  ['TXPagedDynamicStartEndDescending', true],
] as const) {
  test(`${SUITE} ${id}: pages over everything`, async () => {
    const name = await party();
    const made = await many(name, 5);
    const updateFormat = updatesOf(ACS_DELTA, [name]);
    const request = { maxPageSize: 2, updateFormat, descendingOrder };
    const seen: bigint[] = [];
    let next: Uint8Array | undefined;
    do {
      const answer = await page({ ...request, ...(next && { pageToken: next }) });
      seen.push(...answer.offsets);
      next = answer.nextPageToken;
    } while (next !== undefined && next.length > 0);
    expect(seen).toEqual(offsets(descendingOrder ? made.toReversed() : made));
  });
}

test(`${SUITE} TXPagedFetchDescendingOrderBeyondEnd: no page ends past the end`, async () => {
  const updateFormat = updatesOf(ACS_DELTA, [await party()]);
  const endOffsetInclusive = (await ledgerEnd(ledger)) + 1_000_000n;
  const call = page({ updateFormat, endOffsetInclusive, descendingOrder: true });
  await expectRefused(call, 'OFFSET_AFTER_LEDGER_END');
  const begin = await ledgerEnd(ledger);
  const turned = page({
    updateFormat,
    beginOffsetExclusive: begin,
    endOffsetInclusive: begin - 1n,
  });
  const text = 'beginOffsetExclusive is after endOffsetInclusive';
  await expectRefused(turned, 'INVALID_ARGUMENT', text);
});

/** Returns the elements that a stream of either kind has delivered when it has caught up. */
async function caughtUp(name: string, beginExclusive: bigint) {
  const end = await ledgerEnd(ledger);
  const updateFormat = updatesOf(ACS_DELTA, [name]);
  const seenUpdates = await readUntil(
    (options) => updates.getUpdates({ beginExclusive, updateFormat }, options),
    hasPassed(end),
  );
  const seenCompletions = await readUntil(
    (options) => completions.completionStream({ beginExclusive, parties: [name] }, options),
    hasPassed(end),
  );
  return { seenUpdates, seenCompletions };
}

test(`${CHECKPOINTS} TXServeTailingStreamCheckpointAtTheEnd: after what has happened`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const made = await many(name, 2);
  const { seenUpdates } = await caughtUp(name, begin);
  expect(offsets(transactionsIn(seenUpdates))).toEqual(offsets(made));
  expect(checkpointsIn(seenUpdates).at(-1)!).toBeGreaterThanOrEqual(made[1]!.offset);
  expect(seenUpdates.at(-1)!.update!.$case).toBe('offsetCheckpoint');
});

test(`${CHECKPOINTS} CompletionsStreamCheckpointAtTheEnd: after what has ended`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const made = await many(name, 2);
  const { seenCompletions } = await caughtUp(name, begin);
  expect(completionsIn(seenCompletions).map(({ offset }) => offset)).toEqual(offsets(made));
  expect(checkpointsIn(seenCompletions).at(-1)!).toBeGreaterThanOrEqual(made[1]!.offset);
});

for (const [id, kind] of [
  ['TXServeTailingStreamCheckpointEmptyImmediatelyAtLedgerEnd', 'seenUpdates'],
  ['CompletionsStreamCheckpointEmptyImmediatelyAtLedgerEnd', 'seenCompletions'],
] as const) {
  test(`${CHECKPOINTS} ${id}: where nothing is to be said, it says how far it is`, async () => {
    const name = await party();
    const end = await ledgerEnd(ledger);
    const seen = (await caughtUp(name, end))[kind];
    expect(checkpointsIn(seen)).toEqual([await ledgerEnd(ledger)]);
    expect(seen).toHaveLength(1);
  });
}

for (const [id, kind] of [
  ['TXServeTailingStreamCheckpointEmpty', 'seenUpdates'],
  ['CompletionsStreamCheckpointEmpty', 'seenCompletions'],
] as const) {
  test(`${CHECKPOINTS} ${id}: and where only others did something`, async () => {
    const [name, other] = [await party(), await party()];
    const begin = await ledgerEnd(ledger);
    const [made] = await many(other, 1);
    const seen = (await caughtUp(name, begin))[kind];
    expect(checkpointsIn(seen)).toHaveLength(seen.length);
    expect(checkpointsIn(seen).at(-1)).toBeGreaterThanOrEqual(made!.offset);
  });
}

test(`${CHECKPOINTS} CompletionsStreamCheckpointNotBeforeStartExclusiveTimeout: none is before the begin`, async () => {
  const name = await party();
  const [made] = await many(name, 1);
  const { seenCompletions } = await caughtUp(name, made!.offset);
  for (const offset of checkpointsIn(seenCompletions)) {
    expect(offset).toBeGreaterThanOrEqual(made!.offset);
  }
  expect(completionsIn(seenCompletions)).toEqual([]);
});
