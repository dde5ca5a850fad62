import { expect, test } from 'vitest';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { postgresStore, type PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  OTHER_USER,
  PROVIDER,
  USER,
  birth,
  created,
  exercised,
  io,
  lifecycle,
  transaction,
  writes,
} from '../kit/store-rows.ts';

/* The projection that the store writes, as readers of the query store see it. */

const INSTALL_FQN = 'quickstart-licensing:Licensing.AppInstall:AppInstall';

async function leased(under: PostgresStoreUnderTest): Promise<bigint> {
  const epoch = await under.leases.acquire('projector', 'test', 60_000, io());
  if (epoch === null) throw new Error('a new lease is free');
  return epoch;
}

const move = (from: bigint, to: bigint, recordTime: string | null = null) => [
  { stream: 'updates', from, to, recordTime },
];

test('contracts are active from their creation to their end, by the functions that readers know', async () => {
  await using under = await postgresStore();
  const epoch = await leased(under);
  const [first, second] = [lifecycle(), lifecycle()];
  await under.store.transact(io(), async (tx) => {
    await tx.startCursor({ stream: 'updates', from: 0n, to: 0n, recordTime: null }, epoch);
    await tx.insertUpdates(
      [
        transaction(3n, [created(first)]),
        transaction(5n, [
          exercised(first.contractId, APP_INSTALL, { lastDescendantNodeId: 1 }),
          created(second, { nodeId: 1 }),
        ]),
      ],
      [PROVIDER],
    );
    expect(await tx.moveCursors(move(0n, 6n), epoch)).toBe(true);
  });
  const active = (offset: number) =>
    queryOnce(under.url, 'select contract_id from active($1, $2)', [INSTALL_FQN, offset]);
  expect(await active(2)).toEqual([]);
  expect(await active(4)).toEqual([{ contract_id: first.contractId }]);
  expect(await active(6)).toEqual([{ contract_id: second.contractId }]);
  const [ended] = await queryOnce(under.url, 'select * from lookup_contract($1)', [
    first.contractId,
  ]);
  expect(ended).toMatchObject({
    template_fqn: INSTALL_FQN,
    payload: created(first).payload,
    archived_at_offset: 5n,
    signatories: [PROVIDER],
    observers: [USER],
    witnesses: [PROVIDER],
    package_id: 'p'.repeat(64),
    divulged_only: false,
  });
  const [exercise] = await queryOnce(under.url, 'select * from exercises()');
  expect(exercise).toMatchObject({
    choice_fqn: `${INSTALL_FQN}:AppInstall_CreateLicense`,
    argument: { params: { meta: { values: {} } } },
    result: { licenseId: 'l' },
    consuming: true,
    controllers: [PROVIDER],
    exercised_at_offset: 5n,
    last_descendant_node_id: 1,
  });
});

test('times are kept to the microsecond', async () => {
  await using under = await postgresStore();
  const of = lifecycle();
  const update = transaction(3n, [created(of)], {
    effectiveAt: '0001-01-01T00:00:00.000001Z',
    recordTime: '9999-12-31T23:59:59.999999Z',
  });
  await under.store.transact(io(), (tx) => tx.insertUpdates([update], [PROVIDER]));
  const rows = await queryOnce(
    under.url,
    `select u.effective_at, u.record_time, c.created_effective_at
     from ledger_update u join contract c on c.created_at_offset = u."offset"`,
  );
  expect(rows).toEqual([
    {
      effective_at: update.effectiveAt,
      record_time: update.recordTime,
      created_effective_at: update.effectiveAt,
    },
  ]);
});

test('a contract in which no reader has a stake is divulged, never active', async () => {
  await using under = await postgresStore();
  const epoch = await leased(under);
  const cases = [
    { of: lifecycle(), signatories: [OTHER_USER], observers: [], divulged: true },
    { of: lifecycle(), signatories: [PROVIDER], observers: [], divulged: false },
    { of: lifecycle(), signatories: [OTHER_USER], observers: [USER], divulged: false },
  ];
  await under.store.transact(io(), async (tx) => {
    await tx.startCursor({ stream: 'updates', from: 0n, to: 0n, recordTime: null }, epoch);
    const events = cases.map(({ of, signatories, observers }, nodeId) =>
      created(of, { nodeId, signatories, observers, witnesses: [PROVIDER, USER] }),
    );
    await tx.insertUpdates([transaction(3n, events)], [PROVIDER, USER]);
    await tx.moveCursors(move(0n, 3n), epoch);
  });
  for (const { of, divulged } of cases) {
    const [row] = await queryOnce(under.url, 'select divulged_only from lookup_contract($1)', [
      of.contractId,
    ]);
    expect(row).toEqual({ divulged_only: divulged });
  }
  expect(await queryOnce(under.url, 'select 1 from active()')).toHaveLength(2);
});

test('a lifecycle shows the payload of its template, whatever interface views its contract has', async () => {
  await using under = await postgresStore();
  const of = lifecycle();
  await under.store.transact(io(), async (tx) => {
    await tx.insertUpdates([transaction(3n, [created(of)])], [PROVIDER]);
    await tx.save(writes(birth(of)));
  });
  await queryOnce(
    under.url,
    `insert into template values ('splice-api:Api:View', 'splice-api', 'Api', 'View', 'interface');
     insert into contract (contract_id, template_fqn, payload, package_id, package_name, created_at_offset,
                           created_node_id, created_effective_at)
     select contract_id, 'splice-api:Api:View', '{"view": true}', package_id, package_name, created_at_offset,
            created_node_id, created_effective_at from contract`,
  );
  const { payload } = created(of);
  expect((await under.store.reads.lifecycle(of.id, io()))?.payload).toEqual(payload);
  const list = await under.store.reads.list({ kind: 'install', party: USER, limit: 5 }, io());
  expect(list.map((view) => view.payload)).toEqual([payload]);
  const applied = await under.store.transact(io(), (tx) =>
    tx.appliedUpdate(transaction(3n, []).updateId),
  );
  expect(applied?.created).toHaveLength(1);
  const end = transaction(4n, [exercised(of.contractId, APP_INSTALL)]);
  await under.store.transact(io(), (tx) => tx.insertUpdates([end], [PROVIDER]));
  const rows = await queryOnce(under.url, 'select archived_at_offset from contract');
  expect(rows).toEqual([{ archived_at_offset: 4n }, { archived_at_offset: 4n }]);
});

test.each(['before', 'after'])(
  'the cursor names its update when it moves %s it is stored',
  async (when) => {
    await using under = await postgresStore();
    const epoch = await leased(under);
    const recordTime = '2026-01-01T00:00:00.000003Z';
    await under.store.transact(io(), async (tx) => {
      await tx.startCursor({ stream: 'updates', from: 0n, to: 2n, recordTime: null }, epoch);
      if (when === 'before') await tx.moveCursors(move(2n, 7n, recordTime), epoch);
      await tx.insertUpdates([transaction(5n, []), transaction(7n, [])], [PROVIDER]);
      if (when === 'after') await tx.moveCursors(move(2n, 7n, recordTime), epoch);
    });
    const cursor = () => queryOnce(under.url, 'select * from query_store_offset');
    const expected = {
      stream: 'updates',
      oldest_offset: 2n,
      record_time: recordTime,
      landmark_offset: null,
      landmark_update_id: null,
      synchronizer_times: {},
      given_up: {},
      clock_apart_ms: null,
      clocks_apart: {},
      followed_on: expect.any(String),
      replay_to: null,
      ledger_user: null,
      lost_until: null,
      held_from: null,
    };
    expect(await cursor()).toEqual([{ ...expected, offset: 7n, update_id: 'update-7' }]);
    // A position without an update adds no update, and does not change the newest record time that is known.
    await under.store.transact(io(), (tx) => tx.moveCursors(move(7n, 9n), epoch));
    expect(await cursor()).toEqual([{ ...expected, offset: 9n, update_id: null }]);
  },
);

test('a lease is not taken over while a batch of its holder is being committed', async () => {
  await using under = await postgresStore();
  const epoch = (await under.leases.acquire('projector', 'one', 1, io())) ?? 0n;
  await under.store.transact(io(), (tx) =>
    tx.startCursor({ stream: 'updates', from: 0n, to: 0n, recordTime: null }, epoch),
  );
  const order: string[] = [];
  let rival: Promise<unknown> = Promise.resolve();
  await under.store.transact(io(), async (tx) => {
    expect(await tx.moveCursors(move(0n, 1n), epoch)).toBe(true);
    // The lease has expired, so a rival can take it.
    rival = under.leases.acquire('projector', 'two', 60_000, io()).then(() => order.push('taken'));
    await expect
      .poll(() =>
        queryOnce(
          under.url,
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        ),
      )
      .toHaveLength(1);
    order.push('committing');
  });
  await rival;
  expect(order).toEqual(['committing', 'taken']);
});
