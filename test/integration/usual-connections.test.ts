import { expect, test } from 'vitest';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import type { Session } from '../../src/store/sql/session.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection, transact } from '../../src/store/sql/transact.ts';
import type { UsualOptions } from '../../src/store/sql/usual.ts';
import { keepUsual, mostOf } from '../../src/store/sql/usual.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { testDatabase } from '../kit/postgres.ts';
import { io } from '../kit/store-rows.ts';

const MOMENT = statement<{ pg_sleep: '' }>('test-moment', 'select pg_sleep(0.001)');
const moment = (session: Session) => session.run(MOMENT);

/** Returns a pool with a database of its own. */
async function usualPool({ max, ...options }: UsualOptions & { readonly max: number }) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const pool = await openPool({
    url: database.url,
    max,
    applicationName: 'tenure test',
    pipelined: true,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  stack.defer(() => closePool(pool, PATIENCE_MS));
  keepUsual(pool, options);
  const held = stack.move();
  return { pool, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test('a burst is served by the usual connections alone', async () => {
  await using under = await usualPool({ usual: 2, max: 6, patienceMs: PATIENCE_MS });
  const { pool } = under;
  await Promise.all(
    Array.from({ length: 20 }, (_one, n) =>
      n % 2 === 0
        ? transact(pool, io(PATIENCE_MS), moment)
        : onConnection(pool, io(PATIENCE_MS), moment),
    ),
  );
  expect(pool.totalCount).toBe(2);
});

test('further ones are opened while the usual ones are held', async () => {
  await using under = await usualPool({ usual: 1, max: 3, patienceMs: 1 });
  const { pool } = under;
  // This is also true if a transaction makes a query outside of itself: neither waits for the connection of the other.
  const answer = await transact(pool, io(PATIENCE_MS), async (session) => {
    await moment(session);
    return onConnection(pool, io(PATIENCE_MS), moment);
  });
  expect(answer).toHaveLength(1);
  expect(pool.totalCount).toBe(2);
});

test('what fails, and what is given up, gives its turn back', async () => {
  await using under = await usualPool({ usual: 1, max: 6, patienceMs: PATIENCE_MS });
  const { pool } = under;
  const FAILS = 'do $$ begin raise exception $_$made to fail$_$; end $$';
  const failing = transact(pool, io(PATIENCE_MS), (session) => session.script(FAILS));
  await expect(failing).rejects.toThrow('made to fail');
  const until = Promise.withResolvers<void>();
  const holder = transact(pool, io(PATIENCE_MS), () => until.promise);
  const stop = new AbortController();
  const late = transact(pool, io(PATIENCE_MS, stop.signal), moment);
  stop.abort(new Error('no longer'));
  await expect(late).rejects.toThrow('no longer');
  until.resolve();
  await holder;
  await transact(pool, io(PATIENCE_MS), moment);
  expect(pool.totalCount).toBe(1);
});

test('a raised number is lowered again one by one, also under load', async () => {
  const [patienceMs, keptMs] = [20, 200];
  await using under = await usualPool({ usual: 1, max: 3, patienceMs, keptMs });
  const { pool } = under;
  expect([pool.options.max, mostOf(pool)]).toEqual([1, 3]);
  const until = Promise.withResolvers<void>();
  const held = Array.from({ length: 3 }, () =>
    transact(pool, io(PATIENCE_MS), () => until.promise),
  );
  await expect.poll(() => pool.totalCount).toBe(3);
  // No number of callers opens more.
  held.push(transact(pool, io(PATIENCE_MS), () => until.promise));
  until.resolve();
  await Promise.all(held);
  expect(pool.options.max).toBe(3);
  const counts = new Set<number>();
  await expect
    .poll(async () => {
      await Promise.all([1, 2].map(() => transact(pool, io(PATIENCE_MS), moment)));
      counts.add(pool.totalCount);
      return pool.totalCount;
    })
    .toBe(1);
  expect([...counts]).toEqual([3, 2, 1]);
});

test('callers are served in the order of their requests', async () => {
  await using under = await usualPool({ usual: 1, max: 2, patienceMs: PATIENCE_MS });
  const { pool } = under;
  const served: number[] = [];
  const serve = (n: number) =>
    transact(pool, io(PATIENCE_MS), async (session) => {
      served.push(n);
      await moment(session);
    });
  await Promise.all([1, 2, 3, 4].map(serve));
  expect(served).toEqual([1, 2, 3, 4]);
  expect(pool.totalCount).toBe(1);
});

test('who gets no connection gives its turn back', async () => {
  await using database = await testDatabase();
  const pool = await openPool({
    url: database.url,
    max: 6,
    applicationName: 'tenure test',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  keepUsual(pool, { usual: 1, patienceMs: PATIENCE_MS });
  await pool.end();
  for (let n = 0; n < 3; n += 1) {
    await expect(onConnection(pool, io(PATIENCE_MS), moment)).rejects.toThrow(/after calling end/u);
  }
});
