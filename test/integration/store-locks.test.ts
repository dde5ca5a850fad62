import { expect, test } from 'vitest';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { birth, change, io, lifecycle } from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';

/** `LOCKED` while somebody else has the row, `FREE` otherwise. */
async function stateOf(url: string, table: string, key: string, value: string): Promise<string> {
  try {
    await queryOnce(url, `select 1 from ${table} where ${key} = $1 for no key update nowait`, [
      value,
    ]);
    return 'FREE';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') return 'LOCKED';
    throw error;
  }
}

test('a lane is locked with its mailbox, its lifecycles and its head, and no other lane is', async () => {
  await using under = await postgresStore();
  const rows = await Promise.all(
    ['mine', 'other'].map(async (name) => {
      const of = lifecycle();
      const head = change({ lane: of.lane, lifecycleId: of.id });
      await save(under.store, birth(of));
      await arrive(under.store, head);
      return { name, of, head };
    }),
  );
  const states = () =>
    Promise.all(
      rows.map(async ({ of, head }) => [
        await stateOf(under.url, 'mailbox', 'lane', of.lane),
        await stateOf(under.url, 'lifecycle', 'id', of.id),
        await stateOf(under.url, 'change', 'id', head.id),
      ]),
    );
  const free = ['FREE', 'FREE', 'FREE'];
  await under.store.transact(io(), async (tx) => {
    await tx.lock([rows[0]!.of.lane]);
    expect(await states()).toEqual([['LOCKED', 'LOCKED', 'LOCKED'], free]);
  });
  expect(await states()).toEqual([free, free]);
});

test('who holds a lane does not stop others from referring to what is in it', async () => {
  await using under = await postgresStore();
  const head = change();
  await arrive(under.store, head);
  await under.store.transact(io(), async (tx) => {
    await tx.lock([head.lane]);
    // A foreign key's check asks for the weakest lock, and gets it.
    await queryOnce(
      under.url,
      `set lock_timeout = '5s'; insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
       values ('${head.id}', 1, 's', 'p', 'u', 'a', now())`,
    );
  });
  expect(await under.store.reads.attempts(head.id, io())).toHaveLength(1);
});
