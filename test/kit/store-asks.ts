import type { Io } from '../../src/app/ports/io.ts';
import type { Store, Tx } from '../../src/app/ports/transaction.ts';
import type { AttemptUpdate, CursorMove, Writes } from '../../src/app/ports/writes.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import type { Change, ChangeState } from '../../src/domain/change.ts';
import type { ContractId, LaneId, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { LedgerEvent } from '../../src/domain/ledger.ts';
import { APP_INSTALL, LICENSE } from '../../src/domain/licensing.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import {
  PROVIDER,
  answer,
  change,
  created,
  effectId,
  entry,
  exercised,
  io,
  lifecycle,
  mailbox,
  rejected,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import { allOf } from './all-of.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/* Random calls to a store, and its answers in a form that can be compared with the answers of another store. */

export type Under = Pick<StoreUnderTest, 'store' | 'outbox' | 'leases'>;

export class Dice {
  #state: number;
  #risen = 1;
  constructor(seed: number) {
    this.#state = seed;
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }
  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.below(2) === 0);
  }
  /** Returns a number that is greater than all before. */
  rising(): number {
    this.#risen += 1;
    return this.#risen;
  }
  isLucky(inSoMany: number): boolean {
    return this.below(inSoMany) === 0;
  }
}

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, '0');
const LANES = ['a', 'b', 'c'].map((name) => trusted<LaneId>(`lane-${name}`));
const CONTRACTS = Array.from({ length: 9 }, (_, n) => trusted<ContractId>(`00${hex(n, 68)}`));
const CHANGES: readonly Change[] = Array.from({ length: 24 }, (_, n) =>
  change({
    id: trusted<Change['id']>(`00000000-0000-4000-8000-${hex(n, 12)}`),
    commandId: trusted<Change['commandId']>(`command-${n % 22}`),
    lane: LANES[n % 3]!,
    mailboxNo: 1 + (n % 20),
    lifecycleId: trusted<Lifecycle['id']>(`install-${n % 4}`),
    fixed: { licenseId: `install-${n % 3}` },
  }),
);
const LIFECYCLES: readonly Lifecycle[] = Array.from({ length: 4 }, (_, n) =>
  lifecycle({
    id: trusted<Lifecycle['id']>(`install-${n}`),
    lane: LANES[n % 3]!,
    contractId: CONTRACTS[n]!,
  }),
);
const SUBMISSIONS = Array.from({ length: 12 }, (_, n) => trusted<SubmissionId>(`submission-${n}`));
const STREAMS = [UPDATES_STREAM, completionsStream(trusted('app-provider'))];
const PAST = '2026-01-01T00:00:00.001Z';
/** Returns a different past time for each change, so that the order in which they are due is unique. */
const pastOf = (of: Change): string =>
  `2026-01-01T00:00:01.${100 + Number.parseInt(of.id.slice(-2), 16)}Z`;
const DAY_MS = 86_400_000;

function inState(of: Change, state: ChangeState, dice: Dice): Change {
  const moved = {
    ...of,
    state,
    attempts: dice.below(3),
    ...(state === 'retrying' ? { retryingFor: dice.pick(['backoff', 'ledger'] as const) } : {}),
  };
  if (state === 'succeeded') return succeeded(moved);
  if (state === 'rejected') return rejected(moved);
  if (state === 'queued' || dice.isLucky(2)) return moved;
  const offset = BigInt(1 + dice.below(9));
  return dice.isLucky(2)
    ? { ...moved, verifyAt: offset }
    : {
        ...moved,
        acceptance: { updateId: trusted(`update-${offset}`), offset, readBack: dice.isLucky(2) },
      };
}

/** Returns a random change. In each lane, usually one change is submitted and the others wait. */
function randomChange(dice: Dice): Change {
  const place = dice.below(CHANGES.length);
  const of = CHANGES[place]!;
  if (dice.isLucky(12)) return inState(of, dice.pick(['succeeded', 'rejected']), dice);
  const isOdd = dice.isLucky(10);
  const isHead = place < LANES.length !== isOdd;
  return inState(of, isHead ? dice.pick(['submitting', 'retrying', 'in-doubt']) : 'queued', dice);
}

function randomLifecycle(dice: Dice): Lifecycle {
  return {
    ...dice.pick(LIFECYCLES),
    version: dice.isLucky(8) ? 1 : dice.rising(),
    contractId: dice.pick(CONTRACTS),
    endedAt: dice.isLucky(20) ? PAST : null,
  };
}

const sometimes = <T>(dice: Dice, inSoMany: number, make: () => readonly T[]): readonly T[] =>
  dice.isLucky(inSoMany) ? make() : [];

function randomWrites(dice: Dice): Writes {
  const changes = sometimes(dice, 2, () => [randomChange(dice)]);
  const attempts = sometimes(dice, 4, () =>
    dice.some(SUBMISSIONS).map((submissionId): AttemptUpdate => {
      const verdict = dice.pick(['accepted', 'refused', 'unknown'] as const);
      const given = answer(verdict, { explanation: `said ${dice.below(99)}` });
      const isUnsent = verdict === 'refused' && dice.isLucky(2);
      return { submissionId, answer: isUnsent ? { ...given, unsent: true } : given };
    }),
  );
  const due = sometimes(dice, 6, () => [dice.pick(CHANGES)]);
  const contractId = dice.pick(CONTRACTS);
  const all = writes({
    mailboxes: dice
      .some(LANES)
      .map((lane) =>
        mailbox(lane, { nextNo: 9, waiting: dice.below(4), head: dice.pick(CHANGES).id }),
      ),
    changes,
    lifecycles: sometimes(dice, 3, () => [randomLifecycle(dice)]),
    lineage: sometimes(dice, 6, () => [
      { contractId, lifecycleId: dice.pick(LIFECYCLES).id, lane: dice.pick(LANES) },
    ]),
    newEffects: sometimes(dice, 3, () =>
      changes.map((of) => ({ id: effectId(of), changeId: of.id, dueAt: pastOf(of) })),
    ),
    effectsDue: due.map((of) => ({
      changeId: of.id,
      inMs: dice.pick([Date.parse(pastOf(of)) - Date.now(), DAY_MS]),
    })),
    effectsDone: sometimes(dice, 5, () => [dice.pick(CHANGES).id]),
    attempts,
    history: sometimes(dice, 3, () => [
      entry(dice.pick(LIFECYCLES), { seq: 1 + dice.below(2), detail: { n: dice.below(99) } }),
    ]),
  });
  const moved = new Set([...all.newEffects, ...all.effectsDue].map(({ changeId }) => changeId));
  return { ...all, effectsDone: all.effectsDone.filter((id) => !moved.has(id)) };
}

/** One call that is made to both stores. */
type Ask = (under: Under, bounds: Io) => Promise<unknown>;
export type AskTx = (tx: Tx) => Promise<unknown>;

function randomLookUp(dice: Dice): AskTx {
  const of = dice.pick(CHANGES);
  const contract = dice.pick(CONTRACTS);
  const lanes = dice.some(LANES);
  const cursors = new Map(STREAMS.map((stream) => [stream, BigInt(dice.below(12))]));
  const updates = [trusted<Parameters<Tx['appliedUpdate']>[0]>(`update-${dice.below(12)}`)];
  const query = {
    contracts: CONTRACTS,
    submissions: SUBMISSIONS,
    updates,
    carried: CHANGES.map(({ id }) => id),
  };
  return dice.pick<AskTx>([
    (tx) => tx.lock(lanes),
    (tx) => tx.change(of.id),
    (tx) => tx.changeByCommand({ ...of.submitter, commandId: of.commandId }),
    (tx) => tx.findLifecycle(contract),
    (tx) => tx.attemptsOf(of.id),
    (tx) => tx.queued(of.lane, 0, 3),
    async (tx) => unordered(await tx.lanesOf(query)),
    async (tx) => unordered(await tx.lanesWaitingFor(cursors)),
    async (tx) => {
      const { locked, ...found } = await tx.lockOf(query, cursors);
      return [unordered(found), unordered(locked)];
    },
    async (tx) => unordered([...(await tx.cursors())]),
    async (tx) => {
      const { cursors, ledgerTime, foreign } = await tx.followed();
      return { cursors: unordered([...cursors]), ledgerTime, foreign: unordered(foreign) };
    },
    async (tx) => unordered([...(await tx.landmarks())]),
    async (tx) => unordered(await tx.participantCauses()),
    (tx) => tx.appliedUpdate(updates[0]!),
  ]);
}

function randomBatch(dice: Dice): AskTx {
  const offset = BigInt(1 + dice.below(12));
  const events = dice.some(CONTRACTS.slice(0, 5)).map((contractId, nodeId): LedgerEvent => {
    const at = { nodeId, lastDescendantNodeId: nodeId };
    if (dice.isLucky(2)) return exercised(contractId, dice.pick([APP_INSTALL, LICENSE]), at);
    return created(lifecycle({ contractId }), { nodeId });
  });
  const moves = dice.some(STREAMS).map((stream): CursorMove => {
    const from = BigInt(dice.below(6));
    const to = from + BigInt(dice.below(6));
    const updateId = trusted<NonNullable<CursorMove['landmark']>['updateId']>(`update-${to}`);
    const landmark = dice.isLucky(2) ? { landmark: { offset: to, updateId } } : {};
    return { stream, from, to, recordTime: null, ...landmark };
  });
  const epoch = BigInt(1 + dice.below(3));
  const insert = dice.isLucky(2);
  return async (tx) => {
    if (insert) await tx.insertUpdates([transaction(offset, events)], [PROVIDER]);
    const started = await tx.startCursor(
      { stream: STREAMS[0]!, from: 0n, to: 2n, recordTime: null },
      epoch,
    );
    return [started, await tx.moveCursors(moves, epoch)];
  };
}

function randomMark(dice: Dice): AskTx {
  const epoch = BigInt(1 + dice.below(3));
  const participant = dice.pick(CHANGES).submitter.participant;
  const ledger = { stream: dice.pick(STREAMS), participant, reason: dice.pick(['one', 'two']) };
  const streams = dice.some(STREAMS);
  return dice.isLucky(3)
    ? (tx) => tx.markForeign(ledger, epoch)
    : (tx) => tx.clearForeign(streams, epoch);
}

export function randomPart(dice: Dice): AskTx {
  if (dice.isLucky(20)) return randomMark(dice);
  if (dice.isLucky(5)) return randomBatch(dice);
  if (dice.isLucky(4)) return randomLookUp(dice);
  const lanes = [dice.pick(LANES), dice.pick(LANES)];
  if (dice.isLucky(3)) return (tx) => tx.lock(lanes);
  const some = randomWrites(dice);
  return async (tx) => {
    await tx.save(some);
    // This read is answered only after the earlier writes were executed.
    return (await tx.followed()).ledgerTime;
  };
}

function randomTransaction(dice: Dice): Ask {
  const parts = Array.from({ length: 1 + dice.below(3) }, () => randomPart(dice));
  const isUndone = dice.isLucky(6);
  return ({ store }, bounds) =>
    store.transact(bounds, async (tx) => {
      const answers: unknown[] = [];
      for (const part of parts) answers.push(await part(tx));
      if (isUndone) throw new Error('changed our mind');
      return answers;
    });
}

export function randomAsk(dice: Dice): Ask {
  const of = dice.pick(CHANGES);
  const [dispatchNo, submissionId] = [1 + dice.below(3), dice.pick(SUBMISSIONS)];
  const limit = 1 + dice.below(4);
  const claims = [of, dice.pick(CHANGES), dice.pick(CHANGES)].map((one) => ({
    effect: effectId(one),
    dispatchNo,
    submissionId: trusted<SubmissionId>(`${submissionId}-${one.id}`),
    isReached: dice.isLucky(2),
  }));
  const [holder, ttlMs] = [dice.pick(['one', 'two']), dice.pick([0, 3_600_000])];
  const epoch = BigInt(1 + dice.below(3));
  if (!dice.isLucky(3)) return randomTransaction(dice);
  return dice.pick<Ask>([
    async ({ outbox }, bounds) => {
      const taken: unknown[] = [];
      await outbox.dispatchDue(limit, async (effects) => void taken.push(...effects), bounds);
      return unordered(taken);
    },
    ({ outbox }, bounds) => outbox.startAttempt(effectId(of), dispatchNo, submissionId, bounds),
    ({ outbox }, bounds) => outbox.startAttempts(claims, bounds),
    ({ leases }, bounds) => leases.acquire('projector', holder, ttlMs, bounds),
    ({ leases }, bounds) => leases.renew('projector', holder, epoch, ttlMs, bounds),
    ({ leases }, bounds) => leases.release('projector', holder, epoch, bounds),
  ]);
}

/** Sorts lists whose order is undefined, so that they can be compared. */
const unordered = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.map(unordered).toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, unordered(of)]));
};

const inOrder = (of: object): object =>
  Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const isOfClock = (key: string, value: string): boolean =>
  (key === 'at' || key === 'since') && !value.startsWith('2026-01-01');

/**
 * Returns a text by which two answers can be compared. Times that come from a clock are omitted, and the members of
 * records are sorted, because PostgreSQL orders them differently.
 */
export const text = (value: unknown): string =>
  JSON.stringify(value, (key, of: unknown) => {
    if (typeof of === 'bigint') return `${of}n`;
    if (typeof of === 'string' && isOfClock(key, of)) return 'now';
    return typeof of === 'object' && of !== null && !Array.isArray(of) ? inOrder(of) : of;
  });

export const answered = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    (value) => text(value) ?? 'nothing',
    () => 'refused',
  );

/** Returns everything that the ports show of a store's contents. */
export async function contentsOf(store: Store): Promise<string> {
  const { reads } = store;
  const ids = CHANGES.map(({ id }) => id);
  const inside = await store.transact(io(), async (tx) => ({
    lanes: await tx.lock(LANES),
    cursors: unordered([...(await tx.cursors())]),
    landmarks: unordered([...(await tx.landmarks())]),
    foreign: unordered(await tx.participantCauses()),
    updates: await Promise.all(
      Array.from({ length: 13 }, (_, n) => tx.appliedUpdate(trusted(`update-${n}`))),
    ),
    lineage: await Promise.all(CONTRACTS.map((id) => tx.findLifecycle(id))),
  }));
  return text({
    inside,
    changes: unordered(await reads.changesById(ids, io())),
    attempts: await Promise.all(ids.map((id) => reads.attempts(id, io()))),
    history: await Promise.all(LIFECYCLES.map(({ id }) => allOf(reads.history(id, io())))),
    contracts: await Promise.all(CONTRACTS.map((id) => reads.contract(id, io()))),
    lease: await reads
      .leaseOf('projector', io())
      .then((lease) => lease && [lease.holder, lease.epoch]),
    inDoubt: await reads.inDoubt(9, io()),
    heads: await Promise.all(LANES.map((lane) => reads.headOf(lane, io()))),
    places: await Promise.all(CHANGES.map((of) => reads.placeInMailbox(of, io()))),
    list: await answered(reads.list({ kind: 'install', party: PROVIDER, limit: 9 }, io())),
  });
}
