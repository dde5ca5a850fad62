import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Store } from '../../src/app/ports/transaction.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { Change } from '../../src/domain/change.ts';
import type { LaneId, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import {
  PROVIDER,
  arrival,
  birth,
  change,
  created,
  effectId,
  io,
  lifecycle,
  mailbox,
  newLane,
  rejected,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { HeldTransaction, MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, held, isWaiting, read, save } from './store-under-test.ts';

/** Begins a transaction that saves and does not commit yet. */
async function saving(
  store: Store,
  some: Parameters<typeof writes>[0],
): Promise<HeldTransaction<void>> {
  const transaction = held(store, async (tx) => {
    await tx.save(writes(some));
    // This read is answered only after the earlier writes were executed.
    await tx.cursors();
  });
  await transaction.worked;
  return transaction;
}

async function locking(store: Store, lanes: readonly LaneId[]): Promise<HeldTransaction<unknown>> {
  const transaction = held(store, (tx) => tx.lock(lanes));
  await transaction.worked;
  return transaction;
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

const deadlineMs = 150;

export function isolationCases(makeStore: MakeStore): void {
  test('what a transaction writes is seen by itself, and by others once it has committed', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    const ours = change({ lane: of.lane, lifecycleId: of.id });
    const update = transaction(3n, [created(of)]);
    const writing = held(under.store, async (tx) => {
      await tx.lock([of.lane]);
      await tx.insertUpdates([update], [PROVIDER]);
      await tx.save(writes({ ...birth(of), ...arrival(ours) }));
      expect(await tx.findLifecycle(of.contractId)).toEqual(of);
      expect(await tx.change(ours.id)).toEqual(ours);
      expect((await tx.appliedUpdate(update.updateId))?.created).toHaveLength(1);
      expect((await tx.lock([of.lane])).heads).toEqual([ours]);
    });
    await writing.worked;
    const seen = async () => ({
      change: await read(under.store, (tx) => tx.change(ours.id)),
      lifecycle: await under.store.reads.lifecycle(of.id, io()),
      head: await under.store.reads.headOf(of.lane, io()),
      update: await read(under.store, (tx) => tx.appliedUpdate(update.updateId)),
      due: await under.outbox.nextDueInMs(io()),
    });
    expect(await seen()).toEqual({
      change: null,
      lifecycle: null,
      head: null,
      update: null,
      due: null,
    });
    expect(await dispatchAll(under.outbox)).toEqual([]);
    await writing.commit();
    expect(await seen()).toMatchObject({
      change: ours,
      lifecycle: { lifecycle: of },
      head: ours,
      update: { offset: 3n },
      due: 0,
    });
  });

  test('a transaction sees what others commit while it runs', async () => {
    await using under = await makeStore();
    const [first, second] = [change(), change()];
    await arrive(under.store, first);
    const outcome = succeeded(first);
    await read(under.store, async (tx) => {
      expect(await tx.change(first.id)).toEqual(first);
      await save(under.store, { changes: [outcome] });
      await arrive(under.store, second);
      expect(await tx.change(first.id)).toEqual(outcome);
      expect(await tx.change(second.id)).toEqual(second);
    });
  });

  test('of two outcomes that are written at the same moment the first stands, unless it is undone', async () => {
    await using under = await makeStore();
    const [kept, undone] = [change(), change()];
    for (const one of [kept, undone]) await arrive(under.store, one);
    const first = await saving(under.store, { changes: [succeeded(kept)] });
    const other = save(under.store, { changes: [rejected(kept)] });
    expect(await isWaiting(other, under.store)).toBe(true);
    await first.commit();
    await expect(other).rejects.toThrow();
    expect(await read(under.store, (tx) => tx.change(kept.id))).toEqual(succeeded(kept));

    const failing = await saving(under.store, { changes: [succeeded(undone)] });
    const next = save(under.store, { changes: [rejected(undone)] });
    await failing.fail();
    await next;
    expect(await read(under.store, (tx) => tx.change(undone.id))).toEqual(rejected(undone));
  });

  test('of two steps on the same version of a lifecycle the first stands', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    await save(under.store, birth(of));
    const step = (state: string) => ({ lifecycles: [{ ...of, version: 2, state }] });
    const first = await saving(under.store, step('creatingLicense'));
    const second = save(under.store, step('cancelling'));
    expect(await isWaiting(second, under.store)).toBe(true);
    await first.commit();
    await expect(second).rejects.toThrow();
    const found = await read(under.store, (tx) => tx.findLifecycle(of.id));
    expect(found).toMatchObject({ version: 2, state: 'creatingLicense' });
  });

  test('a lane is free when its holder has committed, and when it has failed', async () => {
    await using under = await makeStore();
    for (const end of ['commit', 'fail'] as const) {
      const lane = newLane();
      const holder = await locking(under.store, [lane]);
      const next = read(under.store, (tx) => tx.lock([lane]));
      expect(await isWaiting(next, under.store)).toBe(true);
      await holder[end]();
      expect((await next).mailboxes).toEqual([mailbox(lane)]);
    }
  });

  test('who waits for a lane has none of those that come after it', async () => {
    await using under = await makeStore();
    const [one, two] = [newLane(), newLane()].toSorted() as [LaneId, LaneId];
    await read(under.store, (tx) => tx.lock([one, two]));
    const holder = await locking(under.store, [one]);
    const waiting = read(under.store, (tx) => tx.lock([two, one]));
    expect(await isWaiting(waiting, under.store)).toBe(true);
    expect((await read(under.store, (tx) => tx.lock([two]))).mailboxes).toHaveLength(1);
    await holder.commit();
    expect((await waiting).mailboxes.map((box) => box.lane)).toEqual([one, two]);
  });

  test('two who lock the same lanes crosswise both come through, one of them by beginning again', async () => {
    await using under = await makeStore();
    const [one, two] = [newLane(), newLane()];
    await read(under.store, (tx) => tx.lock([one, two]));
    const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let tries = 0;
    const crossing = (index: 0 | 1, lanes: readonly LaneId[]) =>
      under.store.transact(io(), async (tx) => {
        tries += 1;
        for (const [place, lane] of lanes.entries()) {
          const [box] = (await tx.lock([lane])).mailboxes;
          await tx.save(writes({ mailboxes: [{ ...box!, nextNo: box!.nextNo + 1 }] }));
          if (place === 0) arrived[index].resolve();
          if (place === 0) await arrived[1 - index]!.promise;
        }
      });
    await Promise.all([crossing(0, [one, two]), crossing(1, [two, one])]);
    // The transaction that repeats may lock the row again before the waiting one has resumed.
    expect(tries).toBeGreaterThan(2);
    const { mailboxes } = await read(under.store, (tx) => tx.lock([one, two]));
    expect(mailboxes.map((box) => box.nextNo)).toEqual([3, 3]);
  });

  test.each([
    ['commits', 'commit', 2],
    ['fails', 'fail', 1],
  ] as const)(
    'who records a command that somebody is recording waits until that %s',
    async (_, end, expectedTries) => {
      await using under = await makeStore();
      const commandId = trusted<Change['commandId']>('the-same');
      const [first, second] = [change({ commandId }), change({ commandId })];
      const recording = held(under.store, async (tx) => {
        await tx.lock([first.lane]);
        await tx.save(writes(arrival(first)));
        await tx.cursors();
      });
      await recording.worked;
      let tries = 0;
      const asked = Promise.withResolvers<void>();
      const other = under.store.transact(io(), async (tx) => {
        tries += 1;
        const known = await tx.changeByCommand({ ...second.submitter, commandId });
        asked.resolve();
        if (known !== null) return known;
        await tx.lock([second.lane]);
        await tx.save(writes(arrival(second)));
        return second;
      });
      await asked.promise;
      expect(await isWaiting(other, under.store)).toBe(true);
      await recording[end]();
      expect((await other).id).toBe(end === 'commit' ? first.id : second.id);
      expect(tries).toBe(expectedTries);
    },
  );

  test('the less sure answer does not replace the surer one that is written at the same moment', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    await dispatchAll(under.outbox);
    const submissionId = trusted<SubmissionId>(randomUUID());
    await under.outbox.startAttempt(effectId(ours), 1, submissionId, io());
    const answers = (verdict: 'accepted' | 'refused' | 'unknown') => {
      const at = '2026-01-01T00:00:00.500Z';
      const ledgerCode = verdict === 'accepted' ? null : 'CODE';
      const answer = { at, verdict, ledgerCode, explanation: verdict, offset: null };
      return { attempts: [{ submissionId, answer }] };
    };
    const verdict = async () =>
      (await under.store.reads.attempts(ours.id, io()))[0]?.answer?.verdict;
    const surer = await saving(under.store, answers('refused'));
    const unsure = save(under.store, answers('unknown'));
    expect(await verdict()).toBeUndefined();
    await surer.commit();
    await unsure;
    expect(await verdict()).toBe('refused');
  });

  test('an attempt that is about to begin waits for the lane of its change', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    await dispatchAll(under.outbox);
    const begin = () =>
      under.outbox.startAttempt(effectId(ours), 1, trusted<SubmissionId>(randomUUID()), io());
    const looking = await locking(under.store, [ours.lane]);
    const begun = begin();
    expect(await isWaiting(begun, under.store)).toBe(true);
    await looking.commit();
    expect((await begun)?.attempt).toBe(1);
    const postponing = held(under.store, async (tx) => {
      await tx.lock([ours.lane]);
      await tx.save(writes({ effectsDue: [{ changeId: ours.id, inMs: 60_000 }] }));
    });
    await postponing.worked;
    const late = begin();
    expect(await isWaiting(late, under.store)).toBe(true);
    await postponing.commit();
    expect(await late).toBeNull();
  });

  test('a postponement waits for the relay that has the effect in hand, and comes after it', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    const put = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<number>();
    const dispatching = under.outbox.dispatchDue(
      1,
      async ([effect]) => {
        taken.resolve(effect?.dispatchNo ?? 0);
        await put.promise;
      },
      io(),
    );
    expect(await taken.promise).toBe(1);
    expect(await dispatchAll(under.outbox)).toEqual([]);
    const postponing = save(under.store, {
      effectsDue: [{ changeId: ours.id, inMs: -1 }],
    });
    expect(await isWaiting(postponing, under.store)).toBe(true);
    put.resolve();
    await dispatching;
    await postponing;
    expect(await dispatchAll(under.outbox)).toEqual([{ id: effectId(ours), dispatchNo: 3 }]);
  });

  test('a lease is not taken over while a batch of its holder is being committed', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 0, io())) ?? 0n;
    const move = (from: bigint, to: bigint) => [
      { stream: UPDATES_STREAM, from, to, recordTime: null },
    ];
    await under.store.transact(io(), (tx) => tx.startCursor(move(0n, 0n)[0]!, epoch));
    const batch = held(under.store, (tx) => tx.moveCursors(move(0n, 1n), epoch));
    expect(await batch.worked).toBe(true);
    // The lease has expired at once, so another process may take it.
    const rival = under.leases.acquire('projector', 'two', 60_000, io());
    expect(await isWaiting(rival, under.store)).toBe(true);
    await batch.commit();
    const next = (await rival) ?? 0n;
    expect(next).toBe(epoch + 1n);
    const late = under.store.transact(io(), (tx) => tx.moveCursors(move(1n, 2n), epoch));
    expect(await late).toBe(false);
    const right = under.store.transact(io(), (tx) => tx.moveCursors(move(1n, 2n), next));
    expect(await right).toBe(true);
  });

  test('of two who ask at the same time for a lease that has run out, one gets it', async () => {
    await using under = await makeStore();
    // The connections are opened first: a caller that has to open a connection would come too late to meet the
    // concurrent transaction.
    const warm = ['a', 'b', 'c', 'd'].map((name) => under.leases.acquire(name, 'one', 0, io()));
    await Promise.all(warm);
    for (let round = 0; round < 5; round += 1) {
      const name = `projector-${round}`;
      const epoch = (await under.leases.acquire(name, 'one', 0, io())) ?? 0n;
      const batch = held(under.store, (tx) => tx.holdsLease(name, epoch));
      expect(await batch.worked).toBe(true);
      // Both rivals have seen that the lease has expired, and wait for the lock of its row.
      const rivals: Promise<bigint | null>[] = [];
      for (const holder of ['two', 'three']) {
        rivals.push(under.leases.acquire(name, holder, 60_000, io()));
        expect(await isWaiting(rivals.at(-1)!, under.store)).toBe(true);
      }
      await batch.commit();
      expect(new Set(await Promise.all(rivals))).toEqual(new Set([epoch + 1n, null]));
    }
  });

  test('who asks for a lease that is held does not wait for what its holder is doing', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
    const start = { stream: UPDATES_STREAM, from: 0n, to: 4n, recordTime: null };
    const batch = held(under.store, (tx) => tx.startCursor(start, epoch));
    expect(await batch.worked).toBe(true);
    expect(await under.leases.acquire('projector', 'two', 60_000, io())).toBeNull();
    expect(await batch.commit()).toBe(true);
  });

  test('a projector that is replaced while its batch is under way moves nothing', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 1, io())) ?? 0n;
    const move = { stream: UPDATES_STREAM, from: 0n, to: 4n, recordTime: null };
    const moved = await under.store.transact(io(), async (tx) => {
      await tx.cursors();
      await expect
        .poll(() => under.leases.acquire('projector', 'two', 60_000, io()))
        .toBe(epoch + 1n);
      return [await tx.startCursor(move, epoch), await tx.moveCursors([move], epoch)];
    });
    expect(moved).toEqual([false, false]);
  });

  test('of two who start the same cursor one does, once the other has ended', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
    const start = { stream: UPDATES_STREAM, from: 0n, to: 4n, recordTime: null };
    for (const [end, expected] of [
      ['fail', true],
      ['commit', false],
    ] as const) {
      const cursor = { ...start, stream: `completions:${end}` };
      const first = held(under.store, (tx) => tx.startCursor(cursor, epoch));
      expect(await first.worked).toBe(true);
      const second = under.store.transact(io(), (tx) => tx.startCursor(cursor, epoch));
      expect(await isWaiting(second, under.store)).toBe(true);
      await first[end]();
      expect(await second).toBe(expected);
    }
  });

  /** Begins another transaction that holds the lane of the change. */
  async function blocked(under: StoreUnderTest) {
    const ours = change();
    const holder = await locking(under.store, [ours.lane]);
    const attempt = (bounds: ReturnType<typeof io>) =>
      under.store.transact(bounds, async (tx) => {
        await tx.save(writes({ lifecycles: [lifecycle({ id: trusted('install-left-over') })] }));
        await tx.lock([ours.lane]);
      });
    const leftOver = () => read(under.store, (tx) => tx.findLifecycle('install-left-over'));
    return { lane: ours.lane, holder, attempt, leftOver };
  }

  test('a transaction whose time is over while it waits is undone, and waits no more', async () => {
    await using under = await makeStore();
    const { lane, holder, attempt, leftOver } = await blocked(under);
    const error = await errorOf(attempt(io(deadlineMs)));
    expect(isDatabaseUnavailable(error)).toBe(true);
    await holder.commit();
    expect((await read(under.store, (tx) => tx.lock([lane]))).mailboxes).toHaveLength(1);
    expect(await leftOver()).toBeNull();
  });

  test('a transaction whose caller has gone is undone, and waits no more', async () => {
    await using under = await makeStore();
    const { lane, holder, attempt, leftOver } = await blocked(under);
    const gone = new AbortController();
    const waiting = attempt(io(15_000, gone.signal));
    expect(await isWaiting(waiting, under.store)).toBe(true);
    gone.abort(new Error('nobody waits'));
    await expect(waiting).rejects.toThrow('nobody waits');
    await expect(attempt(io(15_000, gone.signal))).rejects.toThrow('nobody waits');
    await holder.commit();
    expect((await read(under.store, (tx) => tx.lock([lane]))).mailboxes).toHaveLength(1);
    expect(await leftOver()).toBeNull();
  });
}
