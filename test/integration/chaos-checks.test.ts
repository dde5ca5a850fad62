import { beforeAll, expect, test } from 'vitest';
import { checkAlways } from '../../chaos/checks.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/* What a chaos asks the store all the time sees what is planted there. */

let url: string;

beforeAll(async () => {
  const database = await testDatabase();
  ({ url } = database);
  return () => database[Symbol.asyncDispose]();
});

const update = (offset: number, command: string): string =>
  `insert into ledger_update ("offset", update_id, record_time, command_id, synchronizer_id)
   values (${offset}, 'update-${offset}', now(), '${command}', 's');`;

/** A change that has ended; what it refers to is left out. */
const change = (command: string, state: 'succeeded' | 'rejected'): string =>
  `set session_replication_role = replica;
   insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
     ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, result, error)
   values (gen_random_uuid(), '${command}', 'create-license', 'lane-${command}', 1, 'p', 's', 'app-provider',
     'u', 'p', '{}', 'f', '${state}', now(), now(), 0,
     ${state === 'succeeded' ? `'{"status": 201, "body": null}', null` : `null, '{}'`});`;

test('a store without a broken promise has none', async () => {
  await queryOnce(url, update(1, 'good') + change('good', 'succeeded') + change('no', 'rejected'));
  expect(await checkAlways(url)).toEqual([]);
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
