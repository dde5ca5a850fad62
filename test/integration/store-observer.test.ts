import { expect, test } from 'vitest';
import type { StoreObserver } from '../../src/app/ports/transaction.ts';
import { sleep } from '../../src/app/ports/wakeup.ts';
import type { Writes } from '../../src/app/ports/writes.ts';
import { createBulkActs } from '../../src/store/desk/bulk-acts.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { change, io, rejected, succeeded, writes } from '../kit/store-rows.ts';
import { arrive } from '../kit/store-under-test.ts';

/* An observer of the store is notified of every committed write, and of nothing else. */

function hearing() {
  const heard: (readonly Writes[])[] = [];
  const startsMs: number[] = [];
  const observer: StoreObserver = {
    committed: (saved, startMs) => {
      startsMs.push(startMs);
      heard.push(saved);
    },
  };
  return { heard, startsMs, observer };
}

/** An error after which the store repeats the transaction. */
const contended = () => Object.assign(new Error('made to fail'), { code: '40001' });

test('all that a transaction wrote is told together, in order', async () => {
  await using under = await postgresStore();
  const { heard, observer } = hearing();
  const store = createPostgresStore(under.pool, observer);
  const [one, other] = [change(), change()];
  for (const each of [one, other]) await arrive(under.store, each);
  const saved = [writes({ changes: [succeeded(one)] }), writes({ changes: [rejected(other)] })];
  await store.transact(io(), async (tx) => {
    for (const each of saved) await tx.save(each);
    expect(heard).toEqual([]);
  });
  expect(heard).toEqual([saved]);
});

test('what was undone is not told, and of tries only the one that was committed', async () => {
  await using under = await postgresStore();
  const { heard, startsMs, observer } = hearing();
  const store = createPostgresStore(under.pool, observer);
  const one = change();
  await arrive(under.store, one);
  const saved = writes({ changes: [succeeded(one)] });
  const undone = store.transact(io(), async (tx) => {
    await tx.save(saved);
    throw new Error('killed');
  });
  await expect(undone).rejects.toThrow('killed');
  expect(heard).toEqual([]);
  const triesMs: number[] = [];
  const beganMs = Date.now();
  await store.transact(io(), async (tx) => {
    triesMs.push(Date.now());
    await tx.save(saved);
    // Waits until the two tries have different wall-clock times.
    while (Date.now() <= triesMs[0]! + 1) await sleep(1, io().signal);
    if (triesMs.length === 1) throw contended();
  });
  expect(triesMs).toHaveLength(2);
  expect(heard).toEqual([[saved]]);
  // The start that is reported is that of the first try, and not of the try that committed.
  expect(startsMs).toEqual([expect.toSatisfy((ms: number) => ms >= beganMs && ms <= triesMs[0]!)]);
});

test('an item that is no longer to be done tells nothing of what was undone with it', async () => {
  await using under = await postgresStore();
  const { heard, observer } = hearing();
  const acts = createBulkActs(
    under.pool,
    { itemsMax: LIMITS.bulkItemsMax, ending: [], operations: [] },
    observer,
  );
  const one = change();
  await arrive(under.store, one);
  const gone = {
    actId: '00000000-0000-4000-8000-000000000000',
    n: 1,
    changeId: one.id,
    action: 'cancel',
    decision: null,
    reason: 'because',
    by: {
      party: one.provider,
      roles: new Set(['operator'] as const),
      via: 'bearer',
      tenantId: '',
      subject: 'olga',
      name: 'olga',
    },
  } as const;
  const end = await acts.perform(
    gone,
    1n,
    async (tx) => {
      await tx.save(writes({ changes: [succeeded(one)] }));
      return { state: 'done', result: null };
    },
    io(),
  );
  expect(end).toBeNull();
  expect(heard).toEqual([]);
});
