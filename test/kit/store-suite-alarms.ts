import { expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { Change } from '../../src/domain/change.ts';
import { change, io } from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive } from './store-under-test.ts';

const alarm = (of: Change, detail = 'x') => ({
  changeId: of.id,
  kind: 'ledger' as const,
  since: '2026-01-01T00:00:00Z',
  detail,
});

export function alarmCases(makeStore: MakeStore): void {
  test('alarms are replaced as a whole, by the holder of the clock alone', async () => {
    await using under = await makeStore();
    const { leases, alarms } = under;
    const [stuck, other] = [change(), change()];
    for (const one of [stuck, other]) await arrive(under.store, one);
    // The order of alarms with the same time is undefined.
    const ids = async () => new Set((await alarms.list(9, io())).map(({ changeId }) => changeId));
    expect(await alarms.replace([alarm(stuck)], 1n, io())).toBeNull();
    const first = (await leases.acquire(SCHEDULER_LEASE, 'first', 60_000, io())) ?? 0n;
    const both = [alarm(stuck), alarm(other)];
    expect(await alarms.replace([alarm(stuck)], first, io())).toEqual({
      raised: [alarm(stuck)],
      cleared: [],
    });
    expect(await alarms.replace(both, first, io())).toEqual({
      raised: [alarm(other)],
      cleared: [],
    });
    expect(await alarms.list(1, io())).toHaveLength(1);
    await expect(alarms.replace([alarm(change())], first, io())).rejects.toThrow();
    expect(await ids()).toEqual(new Set([stuck.id, other.id]));

    await leases.release(SCHEDULER_LEASE, 'first', first, io());
    const second = (await leases.acquire(SCHEDULER_LEASE, 'second', 60_000, io())) ?? 0n;
    expect(await alarms.replace([], first, io())).toBeNull();
    expect(await ids()).toEqual(new Set([stuck.id, other.id]));
    const before = (await alarms.list(9, io())).find((one) => one.changeId === stuck.id)?.raisedAt;
    expect(await alarms.replace([alarm(stuck, 'y')], second, io())).toEqual({
      raised: [],
      cleared: [other.id],
    });
    expect(await alarms.list(9, io())).toEqual([{ ...alarm(stuck, 'y'), raisedAt: before }]);
    expect(await alarms.replace([], second, io())).toEqual({ raised: [], cleared: [stuck.id] });
    expect(await ids()).toEqual(new Set());
    expect(await alarms.replace([alarm(stuck)], second, io())).toMatchObject({
      raised: [{ changeId: stuck.id }],
    });
  });
}
