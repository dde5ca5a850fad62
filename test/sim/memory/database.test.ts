import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { LaneId, SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { DatabaseUnreachableError } from '../../../src/store/sql/database-unreachable.ts';
import { DatabaseDeadlineError } from '../../../src/store/sql/deadline.ts';
import {
  arrival,
  change,
  effectId,
  io,
  newLane,
  succeeded,
  transaction,
  writes,
} from '../../kit/store-rows.ts';
import { arrive, dispatchAll, held, save } from '../../kit/store-under-test.ts';
import type { MemoryDatabaseOptions } from './database.ts';
import { createMemoryDatabase } from './database.ts';
import { connectionLost } from './database-error.ts';
import type { StepPoint } from './hooks.ts';
import { never } from './hooks.ts';
import { fateOf, manualTime, settled } from './manual-time.ts';
import type { Commit } from './server.ts';

/** The test's reaction to the steps that it selects; all other steps succeed at once. */
type Fate = (point: StepPoint) => Promise<void> | void;

function world(options: Partial<MemoryDatabaseOptions> = {}) {
  const time = manualTime();
  const commits: Commit[] = [];
  const database = createMemoryDatabase({
    now: time.now,
    after: time.after,
    onCommit: (commit) => commits.push(commit),
    ...options,
  });
  return {
    time,
    commits,
    database,
    /** A connection with which the test only reads the results. */
    observer: database.connect('observer'),
    connect: (name: string, fate: Fate = () => undefined) =>
      database.connect(name, { after: time.after, step: async (point) => fate(point) }),
  };
}

const lost = () => connectionLost('cut by the test');
const at = (call: string, place: StepPoint['at'], happens: () => Promise<void> | void): Fate =>
  function (point) {
    return point.call === call && point.at === place ? happens() : undefined;
  };
const breaks = () => {
  throw lost();
};

const attemptOf = (of: Change) =>
  [effectId(of), 1, trusted<SubmissionId>(randomUUID()), io()] as const;

test.each([
  ['tx.lock', 'before', false],
  ['tx.save', 'before', false],
  ['transact', 'before-commit', false],
  ['transact', 'after', true],
] as const)(
  'a connection that breaks at %s, %s: committed %s',
  async (call, place, isCommitted) => {
    const { database, observer, connect } = world();
    const api = connect('api', at(call, place, breaks));
    const ours = change();
    await expect(arrive(api.store, ours)).rejects.toThrow(DatabaseUnreachableError);
    const found = await observer.store.reads.changesById([ours.id], io());
    expect(found).toEqual(isCommitted ? [ours] : []);
    expect(database.openTransactions).toBe(0);
    const locked = await observer.store.transact(io(), (tx) => tx.lock([ours.lane]));
    expect(locked.heads).toHaveLength(isCommitted ? 1 : 0);
  },
);

test('when the connection breaks under it the locks are free, whatever its process is busy with', async () => {
  const { observer, connect } = world();
  const lane = newLane();
  const busy = held(connect('api').store, (tx) => tx.lock([lane]));
  await busy.worked;
  const breaking = connect('worker', at('tx.cursors', 'before', breaks));
  const other = newLane();
  const stuck = Promise.withResolvers<void>();
  const failing = breaking.store.transact(io(), async (tx) => {
    await tx.lock([other]);
    await tx.cursors().catch(() => undefined);
    await stuck.promise;
  });
  await settled();
  expect(await fateOf(observer.store.transact(io(), (tx) => tx.lock([other])))).toBe('fulfilled');
  expect(await fateOf(observer.store.transact(io(), (tx) => tx.lock([lane])))).toBe('open');
  stuck.resolve();
  await expect(failing).rejects.toThrow(DatabaseUnreachableError);
  await busy.commit();
});

test('a call that hangs ends with its time, and is undone', async () => {
  const { time, database, observer, connect } = world();
  const api = connect('api', at('tx.save', 'before', never));
  const ours = change();
  const hanging = api.store.transact(io(1_000), async (tx) => {
    await tx.lock([ours.lane]);
    await tx.save(writes(arrival(ours)));
  });
  hanging.catch(() => undefined);
  await time.pass(999);
  expect(await fateOf(hanging)).toBe('open');
  await time.pass(1);
  await expect(hanging).rejects.toThrow(DatabaseDeadlineError);
  expect(database.openTransactions).toBe(0);
  expect(await observer.store.reads.changesById([ours.id], io())).toEqual([]);
  const slow = connect('other', at('reads.headOf', 'before', never));
  const reading = slow.store.reads.headOf(ours.lane, io(1_000));
  reading.catch(() => undefined);
  await time.pass(1_000);
  await expect(reading).rejects.toThrow(DatabaseDeadlineError);
});

test('a killed process leaves nothing of what it had not committed, and never hears of anything again', async () => {
  const { database, observer, connect } = world();
  const api = connect('api');
  const [mine, wanted] = [newLane(), newLane()];
  const holder = held(observer.store, (tx) => tx.lock([wanted]));
  await holder.worked;
  const ours = change({ lane: mine });
  const working = api.store.transact(io(), async (tx) => {
    await tx.lock([mine]);
    await tx.save(writes(arrival(ours)));
    await tx.lock([wanted]);
  });
  await settled();
  expect(database.waiting).toEqual([`mailbox ${wanted}`]);
  database.kill('api');
  expect(database.waiting).toEqual([]);
  expect(database.openTransactions).toBe(1);
  await holder.commit();
  expect(await fateOf(working)).toBe('open');
  expect(await fateOf(api.store.transact(io(), async () => 'alive'))).toBe('open');
  expect(await fateOf(api.store.reads.headOf(mine, io()))).toBe('open');
  expect(await fateOf(api.leases.acquire('some', 'api', 1_000, io()))).toBe('open');
  expect(await observer.store.reads.changesById([ours.id], io())).toEqual([]);
  await arrive(connect('api').store, ours);
  expect(await observer.store.reads.changesById([ours.id], io())).toEqual([ours]);
});

test.each([
  ['before-commit', 0],
  ['after', 1],
] as const)('a process that is killed %s', async (place, count) => {
  const { database, observer, connect } = world();
  const api = connect('api', at('transact', place, never));
  const ours = change();
  const arriving = arrive(api.store, ours);
  await settled();
  api.kill();
  expect(await fateOf(arriving)).toBe('open');
  expect(database.openTransactions).toBe(0);
  expect(await observer.store.reads.changesById([ours.id], io())).toHaveLength(count);
});

test('a relay that is killed while it puts marks nothing, and what it held is free', async () => {
  const { database, observer, connect } = world();
  const ours = change();
  await arrive(observer.store, ours);
  const relay = connect('relay');
  const dispatching = relay.outbox.dispatchDue(1, () => never(), io());
  await settled();
  expect(await dispatchAll(observer.outbox)).toEqual([]);
  database.kill('relay');
  expect(await fateOf(dispatching)).toBe('open');
  expect(await dispatchAll(observer.outbox)).toEqual([{ id: effectId(ours), dispatchNo: 1 }]);
});

test('a process whose connections are cut is told, and may connect again', async () => {
  const { connect } = world();
  const api = connect('api');
  const working = held(api.store, (tx) => tx.lock([newLane()]));
  await working.worked;
  api.cut();
  await expect(working.commit()).rejects.toThrow(DatabaseUnreachableError);
  await arrive(api.store, change());
});

test('a crash of the server ends what is open and keeps what is committed', async () => {
  const { database, observer, connect } = world();
  const lane = newLane();
  const holding = held(connect('api').store, (tx) => tx.lock([lane]));
  await holding.worked;
  const waiting = connect('worker').store.transact(io(), (tx) => tx.lock([lane]));
  const ours = change();
  await arrive(observer.store, ours);
  await settled();
  database.crash({ losing: true });
  await expect(waiting).rejects.toThrow(DatabaseUnreachableError);
  await expect(holding.commit()).rejects.toThrow(DatabaseUnreachableError);
  expect(await observer.store.reads.changesById([ours.id], io())).toEqual([ours]);
});

test('a crash may lose the marks of a dispatch, unless a later commit has taken them along', async () => {
  const { database, observer } = world();
  const ours = change();
  await arrive(observer.store, ours);
  const dispatched = [{ id: effectId(ours), dispatchNo: 1 }];
  expect(await dispatchAll(observer.outbox)).toEqual(dispatched);
  database.crash({ losing: false });
  expect(await dispatchAll(observer.outbox)).toEqual([]);
  database.crash({ losing: true });
  // The marks have survived the crash: data that has survived one crash is on disk.
  expect(await dispatchAll(observer.outbox)).toEqual([]);

  const other = change();
  await arrive(observer.store, other);
  const again = [{ id: effectId(other), dispatchNo: 1 }];
  expect(await dispatchAll(observer.outbox)).toEqual(again);
  database.crash({ losing: true });
  expect(await dispatchAll(observer.outbox)).toEqual(again);
  await observer.store.transact(io(), (tx) => tx.lock([newLane()]));
  database.crash({ losing: true });
  expect(await dispatchAll(observer.outbox)).toEqual([]);
  expect((await observer.outbox.startAttempt(...attemptOf(other)))?.attempt).toBe(1);
});

test('a paused projector keeps the lease for a bounded time, and anybody else for longer', async () => {
  const { time, observer, connect } = world();
  const projector = connect('projector');
  const epoch = (await projector.leases.acquire(PROJECTOR_LEASE, 'one', 1, io())) ?? 0n;
  const move = { stream: UPDATES_STREAM, from: 0n, to: 3n, recordTime: null };
  const paused = held(projector.store, (tx) => tx.startCursor(move, epoch));
  const lane = newLane();
  const alsoPaused = held(projector.store, (tx) => tx.lock([lane]));
  await Promise.all([paused.worked, alsoPaused.worked]);
  expect(await observer.leases.acquire(PROJECTOR_LEASE, 'two', 60_000, io())).toBeNull();
  await time.pass(1);
  const rival = observer.leases.acquire(PROJECTOR_LEASE, 'two', 60_000, io());
  await time.pass(STORE_LIMITS.projectorIdleMs - 2);
  expect(await fateOf(rival)).toBe('open');
  await time.pass(1);
  expect(await rival).toBe(epoch + 1n);
  await expect(paused.commit()).rejects.toThrow(DatabaseUnreachableError);
  const next = observer.store.transact(io(60_000), (tx) => tx.lock([lane]));
  expect(await fateOf(next)).toBe('open');
  await time.pass(LIMITS.databaseStatementMs);
  expect(await fateOf(next)).toBe('fulfilled');
  await expect(alsoPaused.commit()).rejects.toThrow();
});

test('who has waited for a lease that is being taken finds itself replaced', async () => {
  const { time, observer, connect } = world();
  const projector = connect('projector');
  const epoch = (await projector.leases.acquire(PROJECTOR_LEASE, 'one', 1, io())) ?? 0n;
  await time.pass(1);
  const taken = Promise.withResolvers<void>();
  const rival = connect(
    'rival',
    at('leases.acquire', 'before-commit', () => taken.promise),
  );
  const taking = rival.leases.acquire(PROJECTOR_LEASE, 'two', 60_000, io());
  await settled();
  const move = { stream: UPDATES_STREAM, from: 0n, to: 3n, recordTime: null };
  const late = observer.store.transact(io(), (tx) => tx.startCursor(move, epoch));
  expect(await fateOf(late)).toBe('open');
  taken.resolve();
  expect(await taking).toBe(epoch + 1n);
  expect(await late).toBe(false);
});

test('notifications may be late or lost, and the dead hear none', async () => {
  const hands: (() => void)[] = [];
  const { database, observer, connect } = world({
    deliver: (_notice, hand) => hands.push(hand),
  });
  const heard: string[] = [];
  const [api, mortal] = [connect('api'), connect('mortal')];
  for (const one of [api, mortal]) {
    one.listen({
      onChanges: (ids) => heard.push(`${one.process} ${ids.length}`),
      onEffects: () => heard.push(`${one.process} effects`),
    });
  }
  const ours = change();
  await arrive(observer.store, ours);
  await save(observer.store, { changes: [succeeded(ours)] });
  expect(heard).toEqual([]);
  const [, , ...later] = hands.splice(0);
  database.kill('mortal');
  for (const hand of later) hand();
  expect(heard).toEqual(['api 1']);
});

test('whoever watches sees every commit once, in order, and every move of a cursor', async () => {
  const { database, commits, connect } = world();
  const projector = connect('projector');
  const epoch = (await projector.leases.acquire(PROJECTOR_LEASE, 'one', 1_000, io())) ?? 0n;
  const move = (from: bigint, to: bigint) => ({
    stream: UPDATES_STREAM,
    from,
    to,
    recordTime: null,
  });
  await projector.store.transact(io(), (tx) => tx.startCursor(move(0n, 2n), epoch));
  await projector.store.transact(io(), async (tx) => {
    await tx.insertUpdates([transaction(3n, [])], []);
    await tx.moveCursors([move(2n, 3n)], epoch);
  });
  await projector.store
    .transact(io(), async (tx) => {
      await tx.moveCursors([move(3n, 9n)], epoch);
      throw new Error('no');
    })
    .catch(() => undefined);
  expect(commits.map(({ no, call, process }) => [no, call, process])).toEqual([
    [1, 'leases.acquire', 'projector'],
    [2, 'transact', 'projector'],
    [3, 'transact', 'projector'],
  ]);
  expect(commits[2]?.changes.map(({ table }) => table).toSorted()).toEqual([
    'ledger_update',
    'query_store_offset',
  ]);
  const moved = { process: 'projector', stream: UPDATES_STREAM, epoch };
  expect(database.contents.cursorMoves()).toMatchObject([
    { ...moved, from: null, to: 2n },
    { ...moved, from: 2n, to: 3n },
  ]);
  expect(database.contents.updates()).toMatchObject([{ offset: 3n, updateId: 'update-3' }]);
});

/** Runs many transactions that compete for a few lanes, on a network whose delays depend on a seed. */
async function brawl(seed: number): Promise<string> {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const { time, commits, database, connect } = world();
  const log: string[] = [];
  const lanes = ['a', 'b', 'c', 'd'].map((name) => trusted<LaneId>(name));
  const crowd = Array.from({ length: 6 }, (_, index) =>
    connect(`p${index}`, async ({ process, call, at: place }) => {
      log.push(`${time.now()} ${process} ${call} ${place}`);
      if (random(40) === 0) throw lost();
      await new Promise<void>((resolve) => time.after(random(5), resolve));
    }),
  );
  const fights = crowd.map(async ({ store }) => {
    for (let round = 0; round < 8; round += 1) {
      const some = lanes.filter(() => random(2) === 0).toSorted(() => random(3) - 1);
      const step = store.transact(io(), async (tx) => {
        for (const lane of some) {
          const [box] = (await tx.lock([lane])).mailboxes;
          await tx.save(writes({ mailboxes: [{ ...box!, nextNo: box!.nextNo + 1 }] }));
        }
      });
      await step.catch((error: Error) => log.push(error.message));
    }
  });
  const over = Promise.all(fights);
  while ((await fateOf(over)) === 'open') await time.pass(1_000);
  expect(database.openTransactions).toBe(0);
  const steps = commits.flatMap(({ changes }) => changes).filter((one) => one.before !== undefined);
  const counted = database.contents.mailboxes().reduce((sum, box) => sum + box.nextNo, 0);
  // The sum counts every commit that succeeded, and nothing else.
  const firsts = commits
    .flatMap(({ changes }) => changes)
    .filter((one) => one.before === undefined);
  expect(counted).toBe(
    firsts.reduce((sum, { after }) => sum + (after as { nextNo: number }).nextNo, 0) + steps.length,
  );
  return [...log, ...commits.map((commit) => JSON.stringify(commit))].join('\n');
}

test('what happens is a function of what is asked and when', async () => {
  for (const seed of [1, 2, 3]) expect(await brawl(seed)).toBe(await brawl(seed));
  expect(await brawl(1)).not.toBe(await brawl(2));
});
