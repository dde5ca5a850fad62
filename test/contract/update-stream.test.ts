import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { UpdateFormat } from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { forFile } from '../kit/for-file.ts';
import { ledgerEnd } from './kit/commands.ts';
import {
  ACS_DELTA,
  eventsOfAnyParty,
  LEDGER_EFFECTS,
  transactions,
  updatesOf,
} from './kit/formats.ts';
import { makeHistory } from './kit/history.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import { INSTALL, LICENSE, REQUEST, templateName } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newRequest } from './kit/steps.ts';
import {
  archivedIn,
  createdIn,
  exercisedIn,
  readAll,
  Tail,
  transactionsIn,
  between,
} from './kit/streams.ts';

/*
 * Streams of updates, modelled on the public conformance suites UpdateServiceStreamsIT and
 * TransactionServiceCorrectnessIT. Omitted: reassignments, which LocalNet does not have.
 */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);
await ledger.userAdmin.grantUserRights({
  userId: USER_ADMIN.userId,
  rights: [{ kind: { $case: 'canReadAsAnyParty', value: {} } }],
});

describe('GetUpdates', () => {
  it('of an empty range is empty and ends', async () => {
    const { user } = await network.sides();
    const end = await ledgerEnd(ledger);
    expect(await between(ledger, end, end, updatesOf(ACS_DELTA, [user]))).toEqual([]);
  });

  it('gives every transaction of the range, in order, and ends at its end', async () => {
    const sides = await network.sides();
    const { begin, end, all } = await makeHistory(ledger, sides);
    const seen = await between(ledger, begin, end, updatesOf(LEDGER_EFFECTS, [sides.user]));
    expect(seen.map(({ updateId }) => updateId)).toEqual(all.map(({ updateId }) => updateId));
    const offsets = seen.map(({ offset }) => offset);
    expect(offsets).toEqual(all.map(({ offset }) => offset));

    const upToThird = await between(
      ledger,
      begin,
      offsets[2]!,
      updatesOf(LEDGER_EFFECTS, [sides.user]),
    );
    expect(upToThird).toEqual(seen.slice(0, 3));
  });

  it('does not go beyond the ledger end', async () => {
    const { user } = await network.sides();
    const end = await ledgerEnd(ledger);
    const range = (beginExclusive: bigint, endInclusive?: bigint) =>
      refusalOf(
        readAll(
          ledger.updates.getUpdates({
            beginExclusive,
            ...(endInclusive !== undefined && { endInclusive }),
            updateFormat: updatesOf(ACS_DELTA, [user]),
          }),
        ),
      );
    for (const refusal of [await range(end + 100n), await range(end, end + 100n)]) {
      expect(refusal).toMatchObject({ status: 'OUT_OF_RANGE', reason: 'OFFSET_AFTER_LEDGER_END' });
      expect(refusal.metadata['category']).toBe('12');
    }
  });

  it('tails: what happens while the stream is open arrives on it', async () => {
    const sides = await network.sides();
    await using tail = await tailOf(updatesOf(ACS_DELTA, [sides.user]));
    const ids: string[] = [];
    for (let round = 1; round <= 3; round += 1) {
      ids.push((await newRequest(ledger, sides)).contractId);
      await tail.until((seen) => transactionsIn(seen).length === round);
    }
    const created = transactionsIn(tail.seen).flatMap(createdIn);
    expect(created.map(({ contractId }) => contractId)).toEqual(ids);
  });

  it('for any party shows a party that is allocated while the stream is open', async () => {
    const format = UpdateFormat.fromPartial({
      includeTransactions: transactions(ACS_DELTA, eventsOfAnyParty()),
    });
    await using tail = await tailOf(format);
    // The new party belongs to another user, because a stream ends if the rights of its own user change.
    const user = await network.party('late', USER_READER);
    const { contractId } = await newRequest(network.as(USER_READER), { user, provider: user });
    const hasIt = (seen: Parameters<typeof transactionsIn>[0]) =>
      transactionsIn(seen).some((one) =>
        createdIn(one).some((created) => created.contractId === contractId),
      );
    await tail.until(hasIt);
    expect(hasIt(tail.seen)).toBe(true);
  });

  it('shows, when asked, that a party was allocated, and where', async () => {
    const begin = await ledgerEnd(ledger);
    const party = await network.party('new', USER_ADMIN);
    const { participantId } = await ledger.partyAdmin.getParticipantId({});
    const responses = await readAll(
      ledger.updates.getUpdates({
        beginExclusive: begin,
        endInclusive: await ledgerEnd(ledger),
        updateFormat: {
          includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: [party] } },
        },
      }),
    );
    const SUBMISSION = 1;
    expect(responses.map(({ update }) => update)).toMatchObject([
      {
        $case: 'topologyTransaction',
        value: {
          synchronizerId: network.localnet.synchronizerId,
          events: [
            {
              event: {
                $case: 'participantAuthorizationAdded',
                value: { partyId: party, participantId, participantPermission: SUBMISSION },
              },
            },
          ],
        },
      },
    ]);
  });

  async function tailOf(updateFormat: UpdateFormat) {
    const beginExclusive = await ledgerEnd(ledger);
    return new Tail((options) =>
      ledger.updates.getUpdates({ beginExclusive, updateFormat }, options),
    );
  }

  it('resumed from the middle gives the rest', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const format = updatesOf(LEDGER_EFFECTS, [sides.user]);
    const whole = await between(ledger, begin, end, format);
    for (const [index, { offset }] of whole.entries()) {
      expect(await between(ledger, offset, end, format)).toEqual(whole.slice(index + 1));
    }
  });

  it('in chunks is the whole', async () => {
    const sides = await network.sides();
    const { begin, end, all } = await makeHistory(ledger, sides);
    const format = updatesOf(ACS_DELTA, [sides.user]);
    const middle = all[3]!.offset;
    const chunks = [
      ...(await between(ledger, begin, middle, format)),
      ...(await between(ledger, middle, end, format)),
    ];
    expect(chunks).toEqual(await between(ledger, begin, end, format));
  });

  it('is the same for everybody who asks the same', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const format = updatesOf(LEDGER_EFFECTS, [sides.user, sides.provider]);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => between(ledger, begin, end, format)),
    );
    expect(first!.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
  });

  it('in descending order is the same backwards', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const format = updatesOf(LEDGER_EFFECTS, [sides.user]);
    const forwards = await between(ledger, begin, end, format);
    expect(await between(ledger, begin, end, format, true)).toEqual(forwards.toReversed());
  });

  it('shows only the templates asked for', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const templatesSeen = async (...templates: (typeof REQUEST)[]) => {
      const seen = await between(
        ledger,
        begin,
        end,
        updatesOf(ACS_DELTA, [sides.user], { templates }),
      );
      const names = seen.flatMap(createdIn).map(({ templateId }) => templateName(templateId));
      return { transactions: seen.length, names: [...new Set(names)].toSorted() };
    };
    expect(await templatesSeen(LICENSE)).toEqual({
      transactions: 2,
      names: [templateName(LICENSE)],
    });
    expect(await templatesSeen(REQUEST, LICENSE)).toEqual({
      transactions: 6,
      names: [templateName(REQUEST), templateName(LICENSE)].toSorted(),
    });
  });

  it('shows what does not outlive its transaction in LEDGER_EFFECTS only', async () => {
    const sides = await network.sides();
    const { begin, end, all } = await makeHistory(ledger, sides);
    const gone = all.at(-1)!;
    const idsIn = async (shape: typeof ACS_DELTA | typeof LEDGER_EFFECTS) => {
      const seen = await between(ledger, begin, end, updatesOf(shape, [sides.user]));
      return seen.map(({ updateId }) => updateId);
    };
    expect(await idsIn(LEDGER_EFFECTS)).toContain(gone.updateId);
    expect(await idsIn(ACS_DELTA)).not.toContain(gone.updateId);
  });

  it('takes an empty filter as one for everything', async () => {
    const { user } = await network.sides();
    const everything = UpdateFormat.fromPartial({
      includeTransactions: {
        transactionShape: ACS_DELTA,
        eventFormat: { filtersByParty: { [user]: {} }, verbose: true },
      },
    });
    const begin = await ledgerEnd(ledger);
    const sides = { user, provider: user };
    const { offset } = await newRequest(ledger, sides);
    expect(await between(ledger, begin, offset, everything)).toEqual(
      await between(ledger, begin, offset, updatesOf(ACS_DELTA, [user])),
    );
  });
});

describe('a transaction', () => {
  it('is consistent between one party, several and all', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const seenBy = (format: UpdateFormat) => between(ledger, begin, end, format);
    const both = await seenBy(updatesOf(LEDGER_EFFECTS, [sides.user, sides.provider]));
    const all = await seenBy(
      UpdateFormat.fromPartial({
        includeTransactions: transactions(LEDGER_EFFECTS, eventsOfAnyParty()),
      }),
    );
    expect(both).toEqual(all);

    const ids = (seen: Transaction[]) => seen.map(({ updateId }) => updateId);
    for (const party of [sides.user, sides.provider]) {
      const one = await seenBy(updatesOf(LEDGER_EFFECTS, [party]));
      expect(ids(one).every((id) => ids(both).includes(id))).toBe(true);
    }
  });

  it('has the same offset on each of its events, and node IDs that rise', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
      for (const one of await between(ledger, begin, end, updatesOf(shape, [sides.user]))) {
        const events = one.events.map(({ event }) => event!.value);
        expect(new Set(events.map(({ offset }) => offset))).toEqual(new Set([one.offset]));
        const nodeIds = events.map(({ nodeId }) => nodeId);
        expect(nodeIds).toEqual([...new Set(nodeIds)].toSorted((a, b) => a - b));
      }
    }
  });

  it('shows in ACS_DELTA a part of what it shows in LEDGER_EFFECTS', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const delta = await between(ledger, begin, end, updatesOf(ACS_DELTA, [sides.user]));
    const effects = await between(ledger, begin, end, updatesOf(LEDGER_EFFECTS, [sides.user]));
    for (const one of delta) {
      const full = effects.find(({ updateId }) => updateId === one.updateId)!;
      expect(createdIn(one)).toEqual(createdIn(full).filter(({ acsDelta }) => acsDelta));
      const consumed = exercisedIn(full).filter(({ consuming, acsDelta }) => consuming && acsDelta);
      expect(archivedIn(one).map(({ contractId, nodeId }) => ({ contractId, nodeId }))).toEqual(
        consumed.map(({ contractId, nodeId }) => ({ contractId, nodeId })),
      );
    }
    expect(delta.length).toBe(effects.length - 1);
  });

  it('archives only what an earlier one has created', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const active = new Set<string>();
    const orphans: string[] = [];
    for (const one of await between(ledger, begin, end, updatesOf(ACS_DELTA, [sides.user]))) {
      orphans.push(
        ...archivedIn(one)
          .map(({ contractId }) => contractId)
          .filter((contractId) => !active.delete(contractId)),
      );
      for (const { contractId } of createdIn(one)) active.add(contractId);
    }
    expect(orphans).toEqual([]);
    // One install and two licences are still active.
    expect(active.size).toBe(3);
  });

  it('tells what follows from an exercise by its last descendant', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const seen = await between(ledger, begin, end, updatesOf(LEDGER_EFFECTS, [sides.provider]));
    const [first] = seen.filter((one) =>
      exercisedIn(one).some(({ choice }) => choice === 'AppInstall_CreateLicense'),
    );
    const [exercised] = exercisedIn(first!);
    const created = createdIn(first!);
    expect(created.map(({ templateId }) => templateName(templateId))).toEqual([
      templateName(LICENSE),
      templateName(INSTALL),
    ]);
    expect(created.every(({ nodeId }) => nodeId > exercised!.nodeId)).toBe(true);
    expect(exercised!.lastDescendantNodeId).toBe(created.at(-1)!.nodeId);
  });

  it('looks the same when it is looked up', async () => {
    const sides = await network.sides();
    const { begin, end } = await makeHistory(ledger, sides);
    const updateFormat = updatesOf(LEDGER_EFFECTS, [sides.user]);
    for (const one of await between(ledger, begin, end, updateFormat)) {
      const byId = await ledger.updates.getUpdateById({ updateId: one.updateId, updateFormat });
      const byOffset = await ledger.updates.getUpdateByOffset({ offset: one.offset, updateFormat });
      expect(transactionsIn([byId, byOffset])).toEqual([one, one]);
    }
  });
});
