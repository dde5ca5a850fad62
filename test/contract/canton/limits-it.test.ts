import { describe, expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { TransactionShape } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { openSuite, unique } from '../kit/conformance.ts';
import { preparation } from '../kit/external-party.ts';
import { USER_ADMIN } from '../kit/identities.ts';
import { ACS_DELTA, LEDGER_EFFECTS, eventsOf, transactions, updatesOf } from '../kit/formats.ts';
import { create, exercise } from '../kit/licensing.ts';
import { inSuites, suitesPackage } from '../kit/suites-package.ts';
import { activeContracts, transact } from '../kit/steps.ts';
import { Tail, between, createdIn, exercisedIn, readAll } from '../kit/streams.ts';
import {
  contractId,
  genMapOf,
  int64,
  list,
  party as partyValue,
  readRecord,
  readValue,
  record,
  recordValue,
  text,
} from '../kit/values.ts';
import type { Fields } from '../kit/values.ts';
import { inViews, viewsPackage } from '../kit/views-package.ts';

/*
 * Modelled on the public conformance suites LimitsIT, ValueLimitsIT, DivulgenceIT, WitnessesIT and
 * UpdateServiceTopologyEventsIT.
 */

const { network, ledger, party } = await openSuite({
  extraPackages: [suitesPackage, viewsPackage],
});
const { synchronizerId } = network.localnet;

const inLimits = inViews('Limits');
const inDivulgence = inViews('Divulgence');

const by = (
  who: string,
  command: Command,
  disclosed: Parameters<typeof change>[1]['disclosed'] = [],
) =>
  transact(
    ledger,
    change(command, { actAs: [who], disclosed }),
    transactions(LEDGER_EFFECTS, eventsOf([who])),
  );

async function createOne(who: string, id: Identifier, fields: Fields): Promise<string> {
  const [created] = createdIn(await by(who, create(id, record(fields))));
  return created!.contractId;
}

const seen = async (shape: TransactionShape, parties: readonly string[]): Promise<Transaction[]> =>
  between(ledger, 0n, await ledgerEnd(ledger), updatesOf(shape, parties));

describe('LimitsIT', () => {
  const COUNT = 10_000;
  const names = Array.from({ length: COUNT }, (_, index) => `element_${index}`);
  const textsOf = () => list(names.map(text));
  const mapOf = (who: string) => genMapOf(names.map((name) => [text(name), partyValue(who)]));

  for (const [id, entity, itemsOf] of [
    ['LLargeMapInContract', 'WithMap', mapOf],
    ['LLargeListInContract', 'WithList', textsOf],
  ] as const) {
    test(`LimitsIT ${id}: a contract may hold ten thousand elements`, async () => {
      const who = await party();
      const cid = await createOne(who, inLimits(entity), {
        owner: partyValue(who),
        items: itemsOf(who),
      });
      const noop = await by(
        who,
        exercise(inLimits(entity), cid, `${entity}_Noop`, recordValue({})),
      );
      expect(exercisedIn(noop).map((it) => it.contractId)).toEqual([cid]);
    });
  }

  for (const [id, entity, none, itemsOf] of [
    ['LLargeMapInChoice', 'WithMap', genMapOf([]), mapOf],
    ['LLargeListInChoice', 'WithList', list([]), textsOf],
  ] as const) {
    test(`LimitsIT ${id}: a choice may be given ten thousand elements`, async () => {
      const who = await party();
      const cid = await createOne(who, inLimits(entity), { owner: partyValue(who), items: none });
      const newItems = recordValue({ newItems: itemsOf(who) });
      const transaction = await by(
        who,
        exercise(inLimits(entity), cid, `${entity}_Expand`, newItems),
      );
      const { items } = readRecord(createdIn(transaction)[0]?.createArguments) as {
        readonly items: readonly unknown[];
      };
      expect(items).toHaveLength(COUNT);
    });
  }

  const build = (cid: string, depth: bigint, branching: bigint) =>
    exercise(
      inLimits('Tree'),
      cid,
      'Build',
      recordValue({ depth: int64(depth), branching: int64(branching) }),
    );
  const newTree = async () => {
    const who = await party();
    return { who, cid: await createOne(who, inLimits('Tree'), { owner: partyValue(who) }) };
  };

  test.each([
    ['LDeepTransaction', 100n, 1n, 101],
    ['LWideTransaction', 1n, 12_500n, 12_501],
    ['LWithLargeTransaction', 12n, 2n, 8191],
  ])('LimitsIT %s: it is committed, and read', async (_id, depth, branching, nodes) => {
    const { who, cid } = await newTree();
    const exercised = exercisedIn(await by(who, build(cid, depth, branching)));
    expect(exercised).toHaveLength(nodes);
    expect(readValue(exercised[0]?.exerciseResult)).toBe(BigInt(nodes));
    expect(exercised[0]?.lastDescendantNodeId).toBe(nodes - 1);
  });

  test.each([
    ['ExternalWithDeepTransaction', 100n, 1n, 101],
    ['ExternalWithWideTransaction', 1n, 12_000n, 12_001],
    ['ExternalWithLargeTransaction', 8n, 2n, 511],
  ])('LimitsIT %s: it is prepared', async (_id, depth, branching, nodes) => {
    const { who, cid } = await newTree();
    const { preparedTransaction, preparedTransactionHash } =
      await ledger.interactive.prepareSubmission(preparation(who, build(cid, depth, branching)));
    expect(preparedTransaction?.transaction?.nodes).toHaveLength(nodes);
    expect(preparedTransactionHash).toHaveLength(32);
  });
});

test('ValueLimitsIT VLLargeSubmittersNumberCreateContract: fifty parties submit', async () => {
  const parties: string[] = [];
  for (let count = 0; count < 50; count += 1) {
    parties.push(await network.party(`deduplication_${'x'.repeat(90)}`, USER_ADMIN));
  }
  const [operator = ''] = parties;
  const command = create(inSuites('Dummy'), record({ operator: partyValue(operator) }));
  await transact(ledger, change(command, { actAs: parties, readAs: parties }));
  expect(await activeContracts(ledger, eventsOf([operator]))).toHaveLength(1);
});

describe('DivulgenceIT', () => {
  const one = (alice: string) =>
    createOne(alice, inDivulgence('Divulgence1'), { div1Party: partyValue(alice) });
  const two = (bob: string, alice: string) =>
    createOne(bob, inDivulgence('Divulgence2'), {
      div2Signatory: partyValue(bob),
      div2Fetcher: partyValue(alice),
    });
  const on = (cid: string, choice: string, argument: Fields = {}) =>
    exercise(inDivulgence('Divulgence2'), cid, choice, recordValue(argument));

  test('DivulgenceIT DivulgenceTx: an archival that somebody only saw is in effects alone', async () => {
    const [alice, bob] = [await party(), await party()];
    const divulged = await one(alice);
    const cid = await two(bob, alice);
    await by(alice, on(cid, 'Divulgence2Archive', { div1ToArchive: contractId(divulged) }));

    const delta = await seen(ACS_DELTA, [bob]);
    expect(delta.map(({ events }) => events.length)).toEqual([1]);
    expect(createdIn(delta[0]!).map((it) => it.contractId)).toEqual([cid]);

    const [first, second, ...more] = await seen(LEDGER_EFFECTS, [bob]);
    expect(more).toEqual([]);
    expect(createdIn(first!).map((it) => it.contractId)).toEqual([cid]);
    const [outer, inner] = exercisedIn(second!);
    expect(outer!.contractId).toBe(cid);
    expect(outer!.lastDescendantNodeId - outer!.nodeId).toBe(1);
    expect(inner!.nodeId).toBe(outer!.lastDescendantNodeId);
    expect(inner!.contractId).toBe(divulged);
    expect(inner!.lastDescendantNodeId).toBe(inner!.nodeId);

    const both = await seen(ACS_DELTA, [alice, bob]);
    expect(both.map(({ events }) => events.length)).toEqual([1, 1, 1]);
    expect(createdIn(both[0]!).map((it) => [it.contractId, it.witnessParties])).toEqual([
      [divulged, [alice]],
    ]);
  });

  test('DivulgenceIT ImmediateDivulgenceTx: nor is a creation that somebody only saw', async () => {
    const [alice, bob] = [await party(), await party()];
    const cid = await two(bob, alice);
    await by(alice, on(cid, 'Divulgence2ImmediateDivulge'));
    const delta = await seen(ACS_DELTA, [bob]);
    expect(delta.flatMap(createdIn).map((it) => it.contractId)).toEqual([cid]);
    expect(delta.flatMap(({ events }) => events)).toHaveLength(1);
    const [, second, ...more] = await seen(LEDGER_EFFECTS, [bob]);
    expect(more).toEqual([]);
    const [outer] = exercisedIn(second!);
    expect(outer!.contractId).toBe(cid);
    expect(outer!.lastDescendantNodeId - outer!.nodeId).toBe(1);
    expect(createdIn(second!).map((it) => it.acsDelta)).toEqual([false]);
    expect(outer!.acsDelta).toBe(false);
    expect(second!.events).toHaveLength(2);
  });

  test('DivulgenceIT DivulgenceAcs: what was divulged is not among the active contracts', async () => {
    const [alice, bob] = [await party(), await party()];
    const divulged = await one(alice);
    const cid = await two(bob, alice);
    await by(alice, on(cid, 'Divulgence2Fetch', { div1ToFetch: contractId(divulged) }));
    const activeOf = async (...parties: readonly string[]) =>
      Object.fromEntries(
        (await activeContracts(ledger, eventsOf(parties))).map(({ createdEvent }) => [
          createdEvent!.contractId,
          createdEvent!.witnessParties.toSorted(),
        ]),
      );
    expect(await activeOf(bob)).toEqual({ [cid]: [bob] });
    expect(await activeOf(alice, bob)).toEqual({
      [divulged]: [alice],
      [cid]: [alice, bob].toSorted(),
    });
  });
});

test('WitnessesIT RespectDisclosureRules: who sees a choice follows from what it does', async () => {
  const [alice, bob, charlie] = [await party(), await party(), await party()];
  const all = [alice, bob, charlie];
  const id = inDivulgence('Witnesses');
  await createOne(alice, id, {
    p_signatory: partyValue(alice),
    p_observer: partyValue(bob),
    p_actor: partyValue(charlie),
  });
  const format = updatesOf(LEDGER_EFFECTS, all, { templates: [id], blobs: true });
  const made = (await between(ledger, 0n, await ledgerEnd(ledger), format)).flatMap(createdIn);
  expect(made.map(({ witnessParties }) => witnessParties.toSorted())).toEqual([
    [alice, bob].toSorted(),
  ]);
  const { contractId: cid, templateId, createdEventBlob } = made[0]!;
  const disclosed = { contractId: cid, templateId, createdEventBlob, synchronizerId };

  for (const [choice, expected] of [
    ['WitnessesNonConsumingChoice', [alice, charlie]],
    ['WitnessesChoice', all],
  ] as const) {
    const { updateId } = await by(charlie, exercise(id, cid, choice, recordValue({})), [disclosed]);
    const { update } = await ledger.updates.getUpdateById({
      updateId,
      updateFormat: updatesOf(LEDGER_EFFECTS, all),
    });
    if (update?.$case !== 'transaction') throw new Error('no transaction');
    expect(update.value.events).toHaveLength(1);
    const [exercised] = exercisedIn(update.value);
    expect(new Set(exercised!.witnessParties)).toEqual(new Set(expected));
  }
});

describe('UpdateServiceTopologyEventsIT', () => {
  const updateFormat = {
    includeTransactions: undefined,
    includeReassignments: undefined,
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [] } },
  };
  const allocated = async () => {
    const { partyDetails } = await ledger.partyAdmin.allocateParty({
      partyIdHint: unique('topology'),
    });
    return partyDetails!.party;
  };
  /** Returns the topology events of one party in a stream. */
  const topologyOf = (name: string, all: Awaited<ReturnType<typeof read>>) =>
    all.flatMap(({ update }) => {
      if (update?.$case !== 'topologyTransaction') return [];
      const { event } = update.value.events[0] ?? {};
      const isOurs =
        event?.$case === 'participantAuthorizationAdded' && event.value.partyId === name;
      return isOurs ? [update.value] : [];
    });
  const read = (beginExclusive: bigint, endInclusive: bigint) =>
    readAll(ledger.updates.getUpdates({ beginExclusive, endInclusive, updateFormat }));
  const expectWhole = (found: ReturnType<typeof topologyOf>) => {
    expect(found).toHaveLength(1);
    const [{ offset, updateId, recordTime, synchronizerId: where }] = found as [(typeof found)[0]];
    expect(offset).toBeGreaterThan(0n);
    expect(updateId).not.toBe('');
    expect(recordTime?.seconds).toBeGreaterThan(0n);
    expect(where).toBe(synchronizerId);
  };

  test('UpdateServiceTopologyEventsIT USPartyEventsInUpdatesTailing: a party that is added is told', async () => {
    const beginExclusive = await ledgerEnd(ledger);
    await using tail = new Tail((options) =>
      ledger.updates.getUpdates({ beginExclusive, updateFormat }, options),
    );
    const name = await allocated();
    await tail.until((all) => topologyOf(name, [...all]).length > 0);
    expectWhole(topologyOf(name, [...tail.seen]));
  });

  test('UpdateServiceTopologyEventsIT USPartyEventsInUpdatesNotTailing: so is one that was added before', async () => {
    const begin = await ledgerEnd(ledger);
    const name = await allocated();
    expectWhole(topologyOf(name, await read(begin, await ledgerEnd(ledger))));
  });
});
