import { expect, test } from 'vitest';
import type { ChangeId } from '../../src/domain/ids.ts';
import { change, rejected, succeeded } from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, held, save } from './store-under-test.ts';
import { writes } from './store-rows.ts';

export function newsCases(makeStore: MakeStore): void {
  test('who listens hears of outcomes, doubts and due effects once they are committed, and of nothing else', async () => {
    await using under = await makeStore();
    const changes: ChangeId[] = [];
    let effects = 0;
    await using _ear = await under.listen({
      onChanges: (ids) => changes.push(...ids),
      onEffects: () => {
        effects += 1;
      },
    });
    const [won, lost, doubtful, undone] = [change(), change(), change(), change()];
    for (const one of [won, lost, doubtful, undone]) await arrive(under.store, one);
    await expect.poll(() => effects).toBe(4);
    const failing = held(under.store, (tx) => tx.save(writes({ changes: [succeeded(undone)] })));
    await failing.worked;
    await failing.fail();
    // A change that only changes its state to `retrying` sends no notification, and neither does a finished effect.
    await save(under.store, { changes: [{ ...won, state: 'retrying' }], effectsDone: [lost.id] });
    const deciding = held(under.store, (tx) =>
      tx.save(writes({ changes: [rejected(lost), { ...doubtful, state: 'in-doubt' }] })),
    );
    await deciding.worked;
    await save(under.store, { changes: [succeeded(won)] });
    await expect.poll(() => changes).toEqual([won.id]);
    await deciding.commit();
    await expect.poll(() => changes.length).toBe(3);
    expect(new Set(changes)).toEqual(new Set([won.id, lost.id, doubtful.id]));
    await save(under.store, {
      effectsDue: [{ changeId: doubtful.id, inMs: 60_000 }],
    });
    await expect.poll(() => effects).toBe(5);
  });
}
