import { expect, test } from 'vitest';
import { checkAlways } from '../../chaos/checks.ts';
import { checkDesk } from '../../chaos/desk.ts';
import { checkEvents } from '../../chaos/inbox.ts';
import { forFile } from '../kit/for-file.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/* The checks that a chaos run repeats on the store. These tests create violations, which the checks must find. */

const { url } = await forFile(testDatabase());

const update = (offset: number, command: string): string =>
  `insert into ledger_update ("offset", update_id, record_time, command_id, synchronizer_id)
   values (${offset}, 'update-${offset}', now(), '${command}', 's');`;

/** Returns a statement that inserts a change that has ended. It omits columns that refer to other rows. */
const change = (command: string, state: 'succeeded' | 'rejected'): string =>
  `set session_replication_role = replica;
   insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
     ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, result, error)
   values (gen_random_uuid(), '${command}', 'create-license', 'lane-${command}', 1, 'p', 's', 'app-provider',
     'u', 'p', '{}', 'f', '${state}', now(), now(), 0,
     ${state === 'succeeded' ? `'{"status": 201, "body": null}', null` : `null, '{}'`});`;

const told = (command: string, state: string): string =>
  `insert into event_batch (last, first, at, events)
   select n.seq, n.seq, now(), jsonb_build_array(jsonb_build_object(
     'type', 'tenure.operation.' || n.t, 'subject', n.id, 'parties', '[]'::jsonb, 'data', '{}'::jsonb))
   from (select row_number() over () + coalesce((select max(last) from event_batch), 0) as seq, t, c.id::text as id from change c cross join unnest(array['accepted', '${state}']) t where c.command_id = '${command}') n;`;

/** Returns a statement that inserts an act on one operation, with the outcome that the act has recorded. */
const act = (action: 'cancel' | 'retry', command: string, itemState: 'done' | 'waiting'): string =>
  `with act as (
     insert into bulk_act (id, action, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state, count,
       expires_at, applied_at, finished_at)
     values (gen_random_uuid(), '${action}', 'provider', '{}', 'r', 'p', 's', 'n', 't', 'done', 1, now(), now(), now())
     returning id)
   insert into bulk_item (act_id, n, change_id, state, at)
   select a.id, 1, c.id, '${itemState}', case when '${itemState}' = 'done' then now() end
   from act a, change c where c.command_id = '${command}';`;

test('a store without a broken promise has none', async () => {
  await queryOnce(
    url,
    update(1, 'good') +
      change('good', 'succeeded') +
      change('no', 'rejected') +
      told('good', 'succeeded') +
      told('no', 'rejected'),
  );
  expect(await checkAlways(url)).toEqual([]);
  expect(await checkEvents(url)).toEqual([]);
  expect(await checkDesk(url, 'c')).toEqual([]);
});

test('operations that nobody was told of are seen', async () => {
  await queryOnce(
    url,
    update(10, 'silent') +
      change('silent', 'succeeded') +
      update(11, 'twice-told') +
      change('twice-told', 'succeeded') +
      told('twice-told', 'succeeded').repeat(2),
  );
  const seen = (await checkEvents(url)).map(({ evidence }) => evidence);
  expect(seen.toSorted()).toEqual(['silent', 'twice-told']);
});

test('acts that were not done, or not once, are seen', async () => {
  const done = 'c-desk-1-1';
  await queryOnce(
    url,
    update(12, done) +
      change(done, 'succeeded') +
      act('cancel', done, 'done') +
      act('retry', done, 'done') +
      act('retry', done, 'waiting'),
  );
  const seen = (await checkDesk(url, 'c')).map(({ evidence }) => evidence);
  for (const wrong of [
    'has not ended, or has not all its items',
    'was cancelled and is not',
    'was tried again and was not',
    'is not once in the audit log',
    `${done} 1 succeeded and it was said 0 times`,
  ]) {
    expect(seen).toContainEqual(expect.stringContaining(wrong));
  }
});

test.each([
  ['at most one effect', update(2, 'twice') + update(3, 'twice'), 'twice'],
  [
    'no effect of what was refused',
    update(4, 'refused') + change('refused', 'rejected'),
    'refused',
  ],
  ['an effect of all that succeeded', change('air', 'succeeded'), 'air'],
])('%s: what is planted is seen', async (promise, plant, commandId) => {
  await queryOnce(url, plant);
  const broken = await checkAlways(url);
  expect(broken).toContainEqual({ promise, evidence: expect.stringContaining(commandId) });
});
