import { expect, test } from 'vitest';
import type { Tx } from '../../src/app/ports/transaction.ts';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { DueQuery, Timer } from '../../src/app/ports/policies.ts';
import type { Change } from '../../src/domain/change.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../src/domain/expiry-policy.ts';
import type { LaneId, LifecycleId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import {
  PROVIDER,
  USER,
  birth,
  change,
  io,
  lifecycle,
  mailbox,
  newLane,
  rejected,
  succeeded,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, held, isWaiting, read, save } from './store-under-test.ts';

const BORN = '2026-01-01T00:00:00.123456Z';
const day = (n: number): string => `2026-02-${String(n).padStart(2, '0')}T00:00:00.000001Z`;

const license = (lane: LaneId, expiresAt: string): Lifecycle =>
  lifecycle({ kind: 'license', lane, expiresAt, createdAt: BORN });
/** Returns a renewal in the lane of its licence, or in a lane of its own if its licence is unknown. */
const renewal = (of: Lifecycle | null, settleBefore: string): Lifecycle =>
  lifecycle({
    kind: 'renewal',
    state: 'requested',
    lane: of?.lane ?? newLane(),
    originId: of?.id ?? null,
    context: { settleBefore },
  });

async function put(under: StoreUnderTest, ...all: readonly Lifecycle[]): Promise<void> {
  const timerLanes = [...new Set(all.map(({ lane }) => lane))];
  await save(under.store, { lifecycles: all, timerLanes });
}

const asked = (over: Partial<DueQuery> = {}): DueQuery => ({
  provider: PROVIDER,
  kind: 'expire',
  withNeverRenewed: false,
  lapsedBy: day(10),
  closedBy: day(10),
  wallNow: day(10),
  ...over,
});

const ids = (timers: readonly Timer[] | null): readonly LifecycleId[] | null =>
  timers?.map(({ lifecycleId }) => lifecycleId) ?? null;

export function timerCases(makeStore: MakeStore): void {
  test('follow the licences and renewals of a lane, with the step that changes them', async () => {
    await using under = await makeStore();
    const all = () => under.timers.page({ party: PROVIDER, limit: 9 }, io());
    const lane = newLane();
    const first = license(lane, day(3));
    await put(under, first);
    const waiting = {
      lifecycleId: first.id,
      kind: 'expire',
      provider: PROVIDER,
      lapsesAt: day(3),
      openUntil: null,
      isNeverRenewed: false,
      generation: 0,
      failures: 0,
      notBefore: null,
      changeId: null,
      isGivenUp: false,
    };
    const of = { contractId: first.contractId, appUser: USER, licenseNum: 1n, state: 'active' };
    expect(await all()).toEqual([{ ...waiting, ...of }]);

    // Neither a write that is rolled back nor a write with the same time of lapse changes the timers.
    const open = renewal(first, day(5));
    const undone = under.store.transact(io(), async (tx) => {
      await tx.save(writes({ ...birth(open), timerLanes: [lane] }));
      throw new Error('changed our mind');
    });
    await expect(undone).rejects.toThrow('changed our mind');
    await put(under, open, renewal(first, day(4)));
    expect(await all()).toMatchObject([
      { lifecycleId: first.id, openUntil: day(5) },
      { kind: 'withdraw', lapsesAt: day(4) },
      { kind: 'withdraw', lapsesAt: day(5), openUntil: null, lifecycleId: open.id },
    ]);

    const ended = { ...open, version: 2, state: 'renewed', endedAt: day(2) };
    const renewed = { ...first, version: 2, expiresAt: day(20) };
    await put(under, ended, renewed);
    expect(await all()).toMatchObject([
      { kind: 'withdraw', lapsesAt: day(4) },
      { lifecycleId: first.id, lapsesAt: day(20), openUntil: day(4) },
    ]);
    await put(under, { ...renewed, version: 3, state: 'expired', endedAt: day(21) });
    expect(await all()).toMatchObject([{ kind: 'withdraw' }]);
    expect(await under.timers.page({ party: USER, limit: 9 }, io())).toHaveLength(1);
    const stranger = trusted<typeof USER>('nobody::1220');
    expect(await under.timers.page({ party: stranger, limit: 9 }, io())).toEqual([]);
  });

  test('a licence is kept by its own renewals and by those of no known licence, not by those of another', async () => {
    await using under = await makeStore();
    const untils = async () => {
      const found = await under.timers.page({ party: PROVIDER, kind: 'expire', limit: 9 }, io());
      return Object.fromEntries(found.map((each) => [each.lifecycleId, each.openUntil]));
    };
    const [one, other] = [license(newLane(), day(3)), license(newLane(), day(3))];
    await put(under, one, other, renewal(one, day(5)));
    expect(await untils()).toEqual({ [one.id]: day(5), [other.id]: null });
    const elsewhere = { ...license(newLane(), day(3)), licenseNum: 2n };
    const stray = renewal(null, day(7));
    await put(under, elsewhere);
    await put(under, stray);
    const kept = { [one.id]: day(7), [other.id]: day(7), [elsewhere.id]: null };
    expect(await untils()).toEqual(kept);
    // Once the renewal's licence is known, the renewal only holds the timer of that licence.
    await put(under, { ...stray, originId: other.id, version: 2 });
    expect(await untils()).toEqual({ ...kept, [one.id]: day(5) });
  });

  test('are due when nothing keeps them, the longest due first, to the clock alone', async () => {
    await using under = await makeStore();
    const [late, early, held, young] = [day(9), day(8), day(7), day(11)].map((at) =>
      license(newLane(), at),
    ) as [Lifecycle, Lifecycle, Lifecycle, Lifecycle];
    const fresh = { ...license(newLane(), BORN), expiresAt: BORN };
    await put(under, late, early, held, young, fresh, renewal(held, day(12)));
    const { timers, leases } = under;
    expect(await timers.due(asked(), 9, 1n, io())).toBeNull();
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'one', 60_000, io())) ?? 0n;
    const due = async (over: Partial<DueQuery> = {}, limit = 9) =>
      ids(await timers.due(asked(over), limit, epoch, io()));
    expect(await due()).toEqual([early.id, late.id]);
    expect(await due({}, 1)).toEqual([early.id]);
    expect(await due({ withNeverRenewed: true })).toEqual([fresh.id, early.id, late.id]);
    // The grace is subtracted from the time by which licences must have lapsed; the window of a renewal has no grace.
    expect(await due({ lapsedBy: day(8) })).toEqual([early.id]);
    expect(await due({ closedBy: day(12) })).toEqual([held.id, early.id, late.id]);
    expect(await due({ kind: 'withdraw', lapsedBy: day(12) })).toHaveLength(1);
    expect(await due({ provider: USER })).toEqual([]);

    expect(await timers.nextDue(asked(), io())).toEqual({
      lapse: day(11),
      close: day(12),
      wall: null,
    });
    const graced = asked({ lapsedBy: day(1), closedBy: day(3) });
    expect(await timers.nextDue(graced, io())).toEqual({ lapse: day(7), close: null, wall: null });
    const last = asked({ lapsedBy: day(11), closedBy: day(11) });
    expect(await timers.nextDue(last, io())).toEqual({ lapse: null, close: day(12), wall: null });
  });

  test('what is asked for under a lease is so only in its term', async () => {
    await using under = await makeStore();
    const { leases, store } = under;
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'one', 60_000, io())) ?? 0n;
    const holds = (name: string, of: bigint) => read(store, (tx) => tx.holdsLease(name, of));
    expect(await holds(SCHEDULER_LEASE, epoch)).toBe(true);
    expect(await holds(SCHEDULER_LEASE, epoch - 1n)).toBe(false);
    expect(await holds('nobody', epoch)).toBe(false);
    await leases.release(SCHEDULER_LEASE, 'one', epoch, io());
    const next = (await leases.acquire(SCHEDULER_LEASE, 'two', 60_000, io())) ?? 0n;
    expect([await holds(SCHEDULER_LEASE, epoch), await holds(SCHEDULER_LEASE, next)]).toEqual([
      false,
      true,
    ]);
  });

  test('move on as they were seen, or not at all', async () => {
    await using under = await makeStore();
    const { timers, leases } = under;
    const one = license(newLane(), day(1));
    await put(under, one);
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'one', 60_000, io())) ?? 0n;
    const now = async (): Promise<Timer> => {
      const [timer] = await timers.page({ party: PROVIDER, limit: 1 }, io());
      return timer!;
    };
    const move = (seen: Timer, to: Partial<Timer>, by = epoch) =>
      timers.move([{ seen, to: { ...seen, ...to } }], by, io());
    const seen = await now();
    const made: Change = change({ commandId: trusted('tenure:expire:x:y:0') });
    await arrive(under.store, made);
    expect(await timers.underWay(PROVIDER, ['tenure:expire:'], io())).toMatchObject({
      changes: [made.id],
    });
    await save(under.store, { changes: [{ ...made, state: 'in-doubt' }] });
    expect(await timers.underWay(PROVIDER, ['tenure:'], io())).toMatchObject({ changes: [] });
    expect(await timers.underWay(PROVIDER, ['tenure:withdraw:'], io())).toMatchObject({
      changes: [],
    });
    expect(await move(seen, { changeId: made.id }, epoch + 1n)).toBe(false);
    expect(await now()).toEqual(seen);
    await expect(move(seen, { changeId: change().id })).rejects.toThrow();
    expect(await move(seen, { changeId: made.id })).toBe(true);
    expect(await now()).toMatchObject({ changeId: made.id });
    const due = () => timers.due(asked(), 9, epoch, io());
    expect(await due()).toEqual([]);
    expect(await timers.failed(PROVIDER, 9, io())).toEqual([]);
    // This move is based on the row as it was before the timer fired, so it does not change the timer.
    expect(await move(seen, { generation: 7 })).toBe(true);
    const fired = await now();
    expect(fired).toMatchObject({ generation: 0, changeId: made.id });

    await save(under.store, { changes: [rejected(made)] });
    expect(await timers.failed(PROVIDER, 9, io())).toMatchObject([
      { timer: { lifecycleId: one.id }, change: { id: made.id, state: 'rejected' } },
    ]);
    expect(await timers.underWay(PROVIDER, ['tenure:'], io())).toMatchObject({ changes: [] });
    await move(fired, { generation: 1, failures: 1, changeId: null, notBefore: day(11) });
    expect(await now()).toMatchObject({ generation: 1, failures: 1 });
    expect(await due()).toEqual([]);
    expect(await timers.nextDue(asked(), io())).toEqual({
      lapse: null,
      close: null,
      wall: day(11),
    });
    expect(ids(await timers.due(asked({ wallNow: day(11) }), 9, epoch, io()))).toEqual([one.id]);
    await move(await now(), { changeId: made.id, notBefore: null, isGivenUp: true });
    expect(await timers.failed(PROVIDER, 9, io())).toEqual([]);
    const inState = (state: 'waiting' | 'fired' | 'given-up') =>
      timers.page({ party: PROVIDER, state, limit: 9 }, io());
    expect(await inState('given-up')).toHaveLength(1);
    expect([...(await inState('fired')), ...(await inState('waiting'))]).toEqual([]);

    // An open operation with the same effect is found, whether it is at the head of its lane or waits.
    const openIn = () => read(under.store, (tx) => tx.openIn(one.lane, one.id, ['expire-license']));
    const of = { lane: one.lane, lifecycleId: one.id, operation: 'expire-license' } as const;
    const head = change({ ...of, state: 'in-doubt' });
    const other = change({ ...of, mailboxNo: 2, state: 'queued', operation: 'renew-license' });
    const behind = change({ ...of, mailboxNo: 3, state: 'queued' });
    expect(await openIn()).toBeNull();
    await save(under.store, { mailboxes: [mailbox(one.lane)], changes: [other, behind] });
    expect(await openIn()).toMatchObject({ id: behind.id });
    await save(under.store, { changes: [head] });
    expect(await openIn()).toMatchObject({ id: head.id });
    await save(under.store, { changes: [rejected(head), rejected(behind)] });
    expect(await openIn()).toBeNull();

    // The timer is started again while the clock waits for the timer's row.
    const again = { generation: 2, failures: 0, notBefore: null, changeId: null, isGivenUp: false };
    const setting = held(under.store, async (tx) => {
      await tx.lock([one.lane]);
      const timer = (await tx.timer(one.id))!;
      await tx.moveTimer({ seen: timer, to: again });
      return timer;
    });
    expect(await setting.worked).toMatchObject({ isGivenUp: true, changeId: made.id });
    const late = move(await now(), { failures: 9 });
    expect(await isWaiting(late, under.store)).toBe(true);
    await setting.commit();
    await late;
    expect(await now()).toMatchObject(again);
    expect(ids(await due())).toEqual([one.id]);
    expect(await read(under.store, (tx) => tx.timer(trusted('license-00')))).toBeNull();

    // If the time of lapse changes, the timer of the lifecycle fires again.
    await put(under, { ...one, version: 2, expiresAt: day(2) });
    expect(await now()).toMatchObject({
      generation: 0,
      failures: 0,
      changeId: null,
      isGivenUp: false,
    });
    expect(
      await under.timers.page({ party: PROVIDER, after: await now(), limit: 9 }, io()),
    ).toEqual([]);
  });

  test('count what failed of one lapse, and begin anew with the next', async () => {
    await using under = await makeStore();
    const { timers, leases } = under;
    const one = license(newLane(), day(1));
    await put(under, one);
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'one', 60_000, io())) ?? 0n;
    const now = async () => {
      const all = await timers.page({ party: PROVIDER, limit: 9 }, io());
      return all.find(({ lifecycleId }) => lifecycleId === one.id);
    };
    const seen = (await now())!;
    const failed = { generation: 2, failures: 2, notBefore: day(11) };
    await timers.move([{ seen, to: { ...seen, ...failed } }], epoch, io());
    // If the window of a renewal changes, the time at which the licence lapses stays the same.
    await put(under, { ...one, version: 2 }, renewal(one, day(5)));
    expect(await now()).toMatchObject({ ...failed, openUntil: day(5) });
    await put(under, { ...one, version: 3, expiresAt: day(2) });
    expect(await now()).toMatchObject({ generation: 0, failures: 0, notBefore: null });
  });

  test('are let go where their change has succeeded and their licence stands all the same', async () => {
    await using under = await makeStore();
    const { timers, leases } = under;
    const one = license(newLane(), day(1));
    await put(under, one);
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'one', 60_000, io())) ?? 0n;
    const [seen] = await timers.page({ party: PROVIDER, limit: 1 }, io());
    const made = change({ commandId: trusted('tenure:expire:x:y:1') });
    await arrive(under.store, made);
    await timers.move([{ seen: seen!, to: { ...seen!, changeId: made.id } }], epoch, io());
    await save(under.store, { changes: [succeeded(made)] });
    const failed = () => timers.failed(PROVIDER, 9, io());
    expect(await failed()).toMatchObject([{ change: { id: made.id, state: 'succeeded' } }]);
    await put(under, { ...one, version: 2, endedAt: day(9) });
    expect(await failed()).toEqual([]);
  });

  test('are asked for by a policy that stays what it is until that is recorded', async () => {
    await using under = await makeStore();
    const { store, policies } = under;
    const set = (mode: 'on' | 'off') =>
      policies.setExpiry(
        {
          provider: PROVIDER,
          policy: { ...DEFAULT_EXPIRY_POLICY, mode },
          bySubject: 'somebody',
          at: day(1),
        },
        io(),
      );
    const version = (tx: Tx) => tx.policyVersion('expiry', PROVIDER);
    expect(await read(store, version)).toBe(0);
    await set('on');
    expect(await read(store, (tx) => tx.policyVersion('renewal', PROVIDER))).toBe(0);
    const recording = held(store, version);
    expect(await recording.worked).toBe(1);
    // Other transactions may read and apply the version at the same time.
    expect(await read(store, version)).toBe(1);
    const off = set('off');
    expect(await isWaiting(off, store)).toBe(true);
    await recording.commit();
    expect(await off).toEqual({ isWritten: true, version: 2 });
    expect(await read(store, version)).toBe(2);
    expect(await policies.expiry(PROVIDER, io())).toMatchObject({
      version: 2,
      policy: { mode: 'off' },
    });
  });

  test('are told of to whoever waits for them', async () => {
    await using under = await makeStore();
    let heard = 0;
    await using _ear = await under.listen({
      onChanges: () => undefined,
      onEffects: () => undefined,
      onTimers: () => {
        heard += 1;
      },
    });
    await put(under, license(newLane(), day(1)));
    await expect.poll(() => heard).toBe(1);
    await save(under.store, { wakesClock: true });
    await expect.poll(() => heard).toBe(2);
  });
}
