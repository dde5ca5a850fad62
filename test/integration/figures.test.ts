import { expect, test } from 'vitest';
import { readFigures } from '../../src/store/desk/figures.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection } from '../../src/store/sql/transact.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { BIG, CHANGES, fill } from '../kit/store-fill.ts';
import { change, io, queued } from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* The number of rows that metrics read from a store that looks as if it had been used for years. */

// With a single connection, its statistics count all reads.
const under = await forFile(postgresStore(1, 'pristine'));
await queryOnce(under.url, fill(1_000));
await queryOnce(under.url, 'vacuum analyze');

const FLUSH = statement<never>('test-figures-flush', 'select pg_stat_force_next_flush()');

/** Returns the number of rows read from large tables, by any access path. */
async function rowsRead(): Promise<number> {
  for (let i = 0; i < 2; i += 1) {
    await onConnection(under.pool, io(), (session) => session.run(FLUSH));
  }
  const [read] = await queryOnce<{ rows: bigint }>(
    under.url,
    `select sum(seq_tup_read + (select coalesce(sum(i.idx_tup_read), 0)
                                from pg_stat_user_indexes i where i.relid = t.relid))::bigint as rows
     from pg_stat_user_tables t where n_live_tup > 500`,
  );
  return Number(read?.rows ?? 0n);
}

test('a timer is due when a policy lets it fire, and late since then', async () => {
  const timersOf = async () => (await readFigures(under.pool, io())).timers;
  await queryOnce(
    under.url,
    `insert into query_store_offset (stream, "offset", oldest_offset, record_time)
     values ('updates', 9, 0, timestamptz '2026-01-01 00:01:00Z') on conflict (stream) do update
     set record_time = excluded.record_time;
     delete from timer;
     insert into timer (lifecycle_id, kind, provider, lapses_at, never_renewed)
     select id, 'expire', provider, expires_at, license_num <= 10 from lifecycle
     where kind = 'license' and ended_at is null and expires_at <= timestamptz '2026-01-01 01:00:00Z'
       and provider = '${BIG}'`,
  );
  const expire = async () => (await timersOf()).find(({ kind }) => kind === 'expire');
  expect(await expire()).toMatchObject({ kind: 'expire', waiting: 1_000, due: 0, lateSeconds: 0 });
  const policy = (isAll: boolean) =>
    queryOnce(
      under.url,
      `insert into expiry_policy values ('${BIG}', 'on', 'PT10S', 10000, ${isAll}, '[]', false, 4, 1)
       on conflict (provider) do update set include_never_renewed = excluded.include_never_renewed`,
    );
  await policy(false);
  // Licence n lapses n seconds after midnight. The licences 11 to 50 expire, because a minute less the grace has
  // passed.
  expect(await expire()).toMatchObject({
    kind: 'expire',
    waiting: 1_000,
    due: 40,
    lateSeconds: 39,
  });
  await policy(true);
  expect(await expire()).toMatchObject({
    kind: 'expire',
    waiting: 1_000,
    due: 50,
    lateSeconds: 49,
  });
  const [{ id }] = (await queryOnce<{ id: string }>(
    under.url,
    'select id from change limit 1',
  )) as [{ id: string }];
  await queryOnce(
    under.url,
    `update timer set change_id = '${id}', given_up = true,
       failures = case when lapses_at <= timestamptz '2026-01-01 00:00:03Z' then 5 else 4 end
     where lapses_at <= timestamptz '2026-01-01 00:00:05Z'`,
  );
  expect(await expire()).toMatchObject({ waiting: 995, due: 45, givenUp: 3 });
  // Counting waiting timers reads each of them. They are deleted, because the test of the other figures permits only a
  // few reads.
  await queryOnce(under.url, 'delete from timer');
});

test('what is open is counted without a look at what has ended', async () => {
  const head = change();
  await arrive(under.store, head);
  const acceptedAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
  await save(under.store, {
    changes: [1_000, 4_000, 2_000].map((seconds, i) =>
      queued(head, i + 2, { acceptedAt: acceptedAgo(seconds) }),
    ),
  });
  await queryOnce(
    under.url,
    `insert into webhook (id, party, created_by, url, types, secret, after_seq, is_enabled, disabled_reason, failures,
       failing_since)
     select 'wh_' || n, 'p', 's', 'https://x', '{}', 'x', 0, n <= 2, (array['by its party', 'no'])[n - 2], n - 1,
            now() - n * interval '25 hours'
     from generate_series(1, 4) n;
     insert into delivery (webhook_id, message_id, type, body, state, created_at, finished_at)
     select 'wh_' || (n % 4 + 1), n, 't', '{}', s.state, now() - n * interval '1 minute',
            case when s.state <> 'pending' then now() end
     from generate_series(1, 2000) n
       cross join lateral (select case when n <= 6 then 'pending' else 'delivered' end) as s(state);
     insert into bulk_act (id, action, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state, count,
       expires_at, applied_at, finished_at)
     select md5(n::text)::uuid, 'cancel', 'provider', '{}', 'r', 'p', 's', 'n', 't',
            case when n <= 2 then 'running' else 'done' end, 3, now(), now(), case when n > 2 then now() end
     from generate_series(1, 3) n;
     insert into bulk_item (act_id, n, change_id, state, at)
     select md5((n % 3 + 1)::text)::uuid, n, gen_random_uuid(), s.state, case when s.state = 'done' then now() end
     from generate_series(1, 2000) n
       cross join lateral (select case when n <= 5 and n % 3 < 2 then 'waiting' else 'done' end) as s(state);
     insert into standstill (participant, kind, since, detail) values ('app-user', 'gone', now(), 'x');
     analyze delivery; analyze bulk_item`,
  );
  // The figures are read several times, so that PostgreSQL caches the plans.
  for (let i = 0; i < 8; i += 1) await readFigures(under.pool, io());
  const before = await rowsRead();
  const figures = await readFigures(under.pool, io());
  expect(CHANGES).toBeGreaterThan(1_000);
  expect((await rowsRead()) - before).toBeLessThan(100);
  expect(figures.operations.find(({ state }) => state === 'submitting')?.number).toBe(1);
  const waiting = figures.operations.find(({ state }) => state === 'queued');
  expect(waiting?.number).toBe(3);
  expect(waiting?.oldestSeconds).toBeGreaterThan(3_999);
  expect(waiting?.oldestSeconds).toBeLessThan(5_000);
  expect(figures.effects).toMatchObject({ open: 1, due: 1, held: 0 });
  // Deliveries of a disabled webhook are not tried, and do not count as late.
  expect(figures.webhooks).toMatchObject({
    enabled: 2,
    failing: 1,
    disabled: 1,
    disabledByParty: 1,
    // The second webhook that has failed for three days does not count, because its own party has disabled it.
    failingLong: 1,
    waiting: 3,
  });
  expect(Math.floor(figures.webhooks.oldestSeconds / 60)).toBe(5);
  expect(figures.participantCauses).toMatchObject([{ participant: 'app-user', kind: 'gone' }]);
  expect(figures.bulkActs).toEqual([{ action: 'cancel', running: 2, left: 3 }]);
});
