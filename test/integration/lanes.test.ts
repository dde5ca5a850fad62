import { expect, test } from 'vitest';
import type { LaneId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { createLanes } from '../../src/store/engine/lanes.ts';
import type { PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { openRenewals } from '../kit/store-crowd.ts';
import { birth, change, io, lifecycle } from '../kit/store-rows.ts';
import { arrive, read, save } from '../kit/store-under-test.ts';

/*
 * A lane as version 0.2.0 derived it from a licence's number. Licences of two installs can have the same number, and
 * then share a lane.
 */

const SHARED = trusted<LaneId>('license:provider/user/1');

const inShared = (over: Partial<Lifecycle>): Lifecycle => lifecycle({ lane: SHARED, ...over });

/** Creates two licences with the same number, and a renewal of each. The older licence comes first. */
async function sharing(under: PostgresStoreUnderTest): Promise<readonly Lifecycle[]> {
  const first = inShared({ kind: 'license', createdAt: '2026-01-01T00:00:00Z' });
  const second = inShared({ kind: 'license', createdAt: '2026-01-02T00:00:00Z' });
  const renewals = [first, second].map(({ id }) =>
    inShared({ kind: 'renewal', originId: id, context: { settleBefore: '2026-03-01T00:00:00Z' } }),
  );
  const all = [first, second, ...renewals];
  for (const one of all) await save(under.store, birth(one));
  return all;
}

async function lanesOf(under: PostgresStoreUnderTest, all: readonly Lifecycle[]) {
  const found = await read(under.store, (tx) =>
    Promise.all(all.map(({ id }) => tx.findLifecycle(id))),
  );
  return found.map((one) => one?.lane);
}

const runs = (under: PostgresStoreUnderTest, format: number | null) =>
  under.pool.query(
    `insert into process_clock (process, roles, seen_at, job_format) values ('one', 'api', now(), $1)
     on conflict (process) do update set job_format = excluded.job_format`,
    [format],
  );

test('two licences of one lane are parted, each with its renewals', async () => {
  await using under = await postgresStore();
  const all = await sharing(under);
  const alone = lifecycle({ kind: 'license', licenseNum: 7n });
  await save(under.store, birth(alone));
  await runs(under, 2);
  const lanes = createLanes(under.pool);
  expect(await lanes.part(io())).toBe(2);
  const [, second] = all;
  expect(await lanesOf(under, all)).toEqual([SHARED, second!.id, SHARED, second!.id]);
  expect(await lanesOf(under, [alone])).toEqual([alone.lane]);
  expect(await lanes.part(io())).toBe(0);
  const locked = await under.store.transact(io(), (tx) => tx.lock([trusted(second!.id)]));
  expect(locked.lifecycles.map(({ id }) => id).toSorted()).toEqual(
    [second!.id, all[3]!.id].toSorted(),
  );
});

test('a lane is parted only while nothing is under way in it, and no earlier version runs', async () => {
  await using under = await postgresStore();
  const all = await sharing(under);
  const lanes = createLanes(under.pool);
  const shared = all.map(() => SHARED);

  await runs(under, null);
  expect(await lanes.part(io())).toBe(0);
  await runs(under, 2);

  const open = change({ lane: SHARED, lifecycleId: all[0]!.id });
  await arrive(under.store, open);
  expect(await lanes.part(io())).toBe(0);
  expect(await lanesOf(under, all)).toEqual(shared);
  await under.pool.query(`update mailbox set head = null`);
  await under.pool.query(`update mailbox set waiting = 1`);
  expect(await lanes.part(io())).toBe(0);
  await under.pool.query(`update mailbox set waiting = 0`);
  expect(await lanes.part(io())).toBe(2);
});

test('nobody who has read a lane finds it parted before the end of the transaction', async () => {
  await using under = await postgresStore();
  const [, second] = await sharing(under);
  const lanes = createLanes(under.pool);
  const seen = await under.store.transact(io(), async (tx) => {
    const found = await tx.findLifecycle(second!.id);
    const parted = await lanes.part(io());
    const locked = await tx.lock([found!.lane]);
    return { parted, isThere: locked.lifecycles.some(({ id }) => id === second!.id) };
  });
  expect(seen).toEqual({ parted: 0, isThere: true });
  expect(await lanes.part(io())).toBe(2);
});

test('a renewal that an earlier version has begun comes to its licence', async () => {
  await using under = await postgresStore();
  const license = lifecycle({ kind: 'license' });
  const born = inShared({ kind: 'renewal', context: { settleBefore: '2026-03-01T00:00:00Z' } });
  const read = inShared({ kind: 'renewal', context: { settleBefore: '2026-03-01T00:00:00Z' } });
  for (const one of [license, born, read]) await save(under.store, birth(one));
  await under.pool.query(
    `insert into history (lifecycle_id, seq, n, at, kind, state, detail)
     values ($1, 1, 1, now(), 'ledger.created', 'requested', jsonb_build_object('through', $2::text))`,
    [born.id, license.id],
  );
  expect(await createLanes(under.pool).part(io())).toBe(1);
  expect(await lanesOf(under, [born, read])).toEqual([license.lane, SHARED]);
  const { rows } = await under.pool.query(`select origin_id from lifecycle where id = $1`, [
    born.id,
  ]);
  expect(rows).toEqual([{ origin_id: license.id }]);
});

test('the origins of renewals of an earlier version are found a bounded number at a time', async () => {
  await using under = await postgresStore();
  await runs(under, 2);
  const license = lifecycle({ kind: 'license' });
  await save(under.store, birth(license));
  const count = STORE_LIMITS.lanesApartMax + 1;
  await under.pool.query(openRenewals(license.lane, license.provider, count));
  await under.pool.query(
    `insert into history (lifecycle_id, seq, n, at, kind, state, detail)
     select id, 1, 1, now(), 'ledger.created', 'requested', jsonb_build_object('through', $1::text)
     from lifecycle where kind = 'renewal'`,
    [license.id],
  );
  await under.pool.query(`update lifecycle set origin_id = null where kind = 'renewal'`);
  const unknown = async (): Promise<number> => {
    const sql = `select from lifecycle where kind = 'renewal' and origin_id is null`;
    return (await under.pool.query(sql)).rowCount ?? 0;
  };
  for (const left of [1, 0]) {
    await createLanes(under.pool).part(io());
    expect(await unknown()).toBe(left);
  }
});
