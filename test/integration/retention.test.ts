import { expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { OPS_LIMITS } from '../../src/ops/limits.ts';
import { inspect } from '../../src/doctor/inspect.ts';
import { keepTidy } from '../../src/ops/retention.ts';
import { withSnapshot } from '../../src/store/evidence/snapshot.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { OWNERSHIP, fillLongInstall, ledgerOfLongInstall } from '../kit/long-install.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { recordingLog } from '../kit/queue-under-test.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * The size of an install whose contract was replaced every second: change i made update i at offset 10 + 3 i, and
 * contract i.
 */

const COUNT = 40;
const OLD = 20;
const PROVIDER_SIDE = trusted<ParticipantName>('app-provider');
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The older half of the rows is older than this, by ledger time and counted from the newest row. */
const HALF_MS = 19_500;
const offsetOf = (i: number) => BigInt(10 + 3 * i);

const io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };

const under = await forFile(postgresStore());
await fillLongInstall(under.pool, COUNT);
const taken = await createLeases(under.pool).acquire(SCHEDULER_LEASE, 'this test', 600_000, io);
const epoch = taken ?? 0n;
// All rows are months old by wall time. So the times that Tenure recorded for the newer half are changed to today.
await under.pool.query(`
  update change set accepted_at = now(), finished_at = now() where mailbox_no > ${OLD};
  update query_store_offset set record_time = (select max(record_time) from ledger_update);
  insert into event_batch (last, first, at, events)
  select i, i, now() - case when i <= ${OLD} then interval '40 days' else interval '1 day' end,
    '[{"type": "t", "subject": "s", "parties": [], "data": {}}]'
  from generate_series(1, ${COUNT}) i;
  update webhook_cursor set last = ${COUNT}`);

const retention = () => createRetention(under.pool, PROVIDER_SIDE);

const countOf = async (table: string, where = 'true'): Promise<number> => {
  const { rows } = await under.pool.query<{ n: number }>(
    `select count(*)::integer as n from ${table} where ${where}`,
  );
  return rows[0]?.n ?? -1;
};

const doctor = () =>
  withSnapshot(under.pool, io.signal, (snapshot) =>
    inspect(snapshot, ledgerOfLongInstall(COUNT), OWNERSHIP, { deep: true, signal: io.signal }),
  );

/** Runs one round of the background task. */
async function tidy(over: Partial<Parameters<typeof keepTidy>[0]['policy']> = {}) {
  const log = recordingLog();
  const stopping = new AbortController();
  const policy = { changesMs: null, eventsMs: null, contractsMs: null, auditMs: null, ...over };
  const duty = keepTidy({
    retention: retention(),
    policy,
    log: { ...log, debug: () => undefined },
  });
  const done = duty.run({ epoch, signal: stopping.signal });
  await expect.poll(() => log.entries.length).toBe(1);
  stopping.abort();
  await done;
  return log.entries[0]?.detail;
}

test('without the lease nothing goes', async () => {
  const batch = { olderThanMs: 0, limit: OPS_LIMITS.retentionBatchMax };
  const past = epoch - 1n;
  expect([
    await retention().changes(batch, past, io),
    await retention().events(batch, past, io),
    await retention().deliveries(batch, past, io),
    await retention().acts(batch, past, io),
    await retention().beginAt(offsetOf(OLD), past, io),
    await retention().archived('contracts', { cut: offsetOf(OLD), after: -1n, limit: 9 }, past, io),
  ]).toEqual([null, null, null, null, false, null]);
  expect(await countOf('attempt')).toBe(COUNT);
  expect(await countOf('event')).toBe(COUNT);
});

test('an open change keeps what it may have to be found by, and one elsewhere keeps everything', async () => {
  const open = (participant: string) => `
    insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject,
      participant, ledger_user, act_as, body, fixed, fingerprint, state, accepted_at, deduplication_offset)
    select gen_random_uuid(), 'open', operation, lifecycle_id, lane, ${COUNT + 1}, caller_party, caller_subject,
      '${participant}', ledger_user, act_as, body, fixed, fingerprint, 'in-doubt', now(), ${offsetOf(5)}
    from change where mailbox_no = 1`;
  const close = `delete from change where command_id = 'open'`;
  expect(await retention().cut(HALF_MS, io)).toBe(offsetOf(OLD));
  await under.pool.query(open('app-provider'));
  expect(await retention().cut(HALF_MS, io)).toBe(offsetOf(5));
  await under.pool.query(`${close}; ${open('app-user')}`);
  expect(await retention().cut(HALF_MS, io)).toBeNull();
  await under.pool.query(close);
});

test('attempts and effects of old changes go, and what they were and became stays', async () => {
  // A change that had no effect can be retried, so its request is kept.
  await under.pool.query(`
    update change set body = '{"a":1}', fixed = '{"licenseId":"l"}' where mailbox_no <= 3;
    update change set body = '{"a":1,"allowConcurrent":true}' where mailbox_no = 3;
    update change set state = 'failed', result = null, error = '{}' where mailbox_no = 2;
    update attempt set verdict = 'refused' where change_id = (select id from change where mailbox_no = 2)`);
  const before = await under.pool.query(
    `select id, command_id, fingerprint, state, result::text, error, fixed::text from change order by mailbox_no`,
  );
  expect(await tidy({ changesMs: 90 * DAY_MS })).toEqual({
    changes: OLD,
    acts: 0,
    audit: 0,
    events: 0,
    deliveries: 0,
    archived: 0,
  });
  expect(await countOf('change', 'pruned_at is not null')).toBe(OLD);
  expect(await countOf('attempt')).toBe(COUNT - OLD);
  expect(await countOf('effect')).toBe(COUNT - OLD);
  expect(await countOf('change', `mailbox_no = 1 and body::text = '{}'`)).toBe(1);
  expect(await countOf('change', `mailbox_no = 2 and body::text = '{"a":1}'`)).toBe(1);
  // A second renewal that was requested on purpose is not reported by the doctor.
  expect(
    await countOf('change', `mailbox_no = 3 and body::text = '{"allowConcurrent":true}'`),
  ).toBe(1);
  const after = await under.pool.query(
    `select id, command_id, fingerprint, state, result::text, error, fixed::text from change order by mailbox_no`,
  );
  expect(after.rows).toEqual(before.rows);
  await under.pool.query(
    `update change set state = 'succeeded', result = '{"status":201,"body":{}}', error = null where mailbox_no = 2`,
  );
  expect((await doctor()).violations).toEqual([]);
});

test('events go from the smallest number on, and leave no hole', async () => {
  await under.pool.query(`update event_batch set at = now() where last = 11`);
  expect(await tidy({ eventsMs: 30 * DAY_MS })).toMatchObject({ events: 10 });
  expect(await countOf('event', 'seq > 10')).toBe(COUNT - 10);
  await under.pool.query(`update event_batch set at = now() - interval '40 days' where last = 11`);
  expect(await tidy({ eventsMs: 30 * DAY_MS })).toMatchObject({ events: OLD - 10 });
});

test('deliveries and bulk acts go when they have ended long ago, in batches; what is open or new stays', async () => {
  const items = OPS_LIMITS.retentionBatchMax + 200;
  await under.pool.query(`
    insert into webhook (id, party, created_by, url, types, secret, after_seq) values ('w', 'p', 'x', 'http://x/', '{}', 'x', 0);
    insert into delivery (webhook_id, message_id, type, body, state, created_at, finished_at)
    select 'w', 'm' || n, 't', '{}', case when n = 1 then 'pending' when n = 2 then 'failed' else 'delivered' end,
      now() - interval '50 days',
      case when n = 1 then null when n = 3 then now() - interval '29 days' else now() - interval '31 days' end
    from generate_series(1, 7) n;
    insert into bulk_act (id, action, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state, count,
      expires_at, applied_at, finished_at)
    select gen_random_uuid(), 'retry', 'provider', '{}', reason, 'p', 's', 'n', 't', state, 1, now(),
      now() - interval '100 days', ended
    from (values ('old', 'done', now() - interval '91 days'), ('empty', 'stopped', now() - interval '99 days'),
      ('recent', 'done', now() - interval '89 days'), ('running', 'running', null)) as a(reason, state, ended);
    insert into bulk_item (act_id, n, change_id)
    select a.id, n, gen_random_uuid() from bulk_act a, generate_series(1, ${items}) n
    where n = 1 and a.reason <> 'empty' or a.reason = 'old'`);
  // A batch deletes no more rows than its limit. The act itself is kept until its last item is deleted.
  const batch = { olderThanMs: 90 * DAY_MS, limit: OPS_LIMITS.retentionBatchMax };
  expect(await retention().acts(batch, epoch, io)).toBe(OPS_LIMITS.retentionBatchMax + 1);
  expect(await countOf('bulk_act')).toBe(3);
  expect(await tidy({ changesMs: 90 * DAY_MS })).toMatchObject({ acts: 201, deliveries: 0 });
  expect(await countOf('bulk_item')).toBe(2);
  expect(await countOf('bulk_act', `reason in ('recent', 'running')`)).toBe(2);
  expect(await countOf('bulk_act')).toBe(2);
  expect(await tidy({ eventsMs: 30 * DAY_MS })).toMatchObject({ acts: 0, deliveries: 5 });
  expect(await countOf('delivery', `message_id in ('m1', 'm3')`)).toBe(2);
});

test('archived contracts, exercises and updates go up to the cut; the doctor and readers know where the store begins', async () => {
  await tidy({ contractsMs: HALF_MS });
  // The contract that was created at the cutoff time was archived after it, so it is kept.
  expect(await countOf('contract')).toBe(COUNT - OLD + 1);
  expect(await countOf('exercise')).toBe(COUNT - OLD);
  expect(await countOf('ledger_update', `"offset" < ${offsetOf(OLD)}`)).toBe(0);
  expect(await countOf('ledger_update', `"offset" = ${offsetOf(OLD)}`)).toBe(1);
  expect(await countOf('lineage')).toBe(COUNT + 1);
  const { rows } = await under.pool.query('select oldest_offset()');
  expect(rows).toEqual([{ oldest_offset: offsetOf(OLD) }]);
  await expect(under.pool.query(`select * from creates(null, 20)`)).rejects.toThrow(
    /before the oldest/u,
  );
  const { violations, notes } = await doctor();
  expect({ violations, notes }).toEqual({ violations: [], notes: [] });
  expect(await retention().cut(HALF_MS, io)).toBeNull();
});

test('the contract by which an ended lifecycle is shown stays', async () => {
  await under.pool.query(`
    update lifecycle set ended_at = now();
    update contract set archived_at_offset = ${offsetOf(COUNT)}, archived_node_id = 2, archived_effective_at = now()
    where archived_at_offset is null`);
  let after = -1n;
  for (;;) {
    const batch = { cut: offsetOf(COUNT), after, limit: 7 };
    const walked = await retention().archived('contracts', batch, epoch, io);
    if (walked?.at == null) break;
    after = walked.at;
  }
  expect(await countOf('contract')).toBe(1);
  expect(await countOf('contract k join lifecycle l using (contract_id)')).toBe(1);
});
