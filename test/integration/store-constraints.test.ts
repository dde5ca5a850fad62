import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../kit/postgres.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Constraints of the tables, which apply to every writer. migrations/0002 states the invariants a second time, in
 * addition to the code.
 */

const database = await forFile(testDatabase());
const client = new Client({ connectionString: database.url });
await client.connect();
await client.query(`insert into mailbox (lane) values ('l'), ('other')`);
afterAll(() => client.end());

type Columns = Readonly<Record<string, string>>;

const CHANGE: Columns = {
  id: 'gen_random_uuid()',
  command_id: 'gen_random_uuid()',
  operation: `'create-license'`,
  lane: `'l'`,
  mailbox_no: '1',
  caller_party: `'p'`,
  caller_subject: `'s'`,
  participant: `'app-provider'`,
  ledger_user: `'u'`,
  act_as: `'p'`,
  body: `'{}'`,
  fingerprint: `'f'`,
  state: `'submitting'`,
  accepted_at: 'now()',
  deduplication_offset: '0',
};

const LIFECYCLE: Columns = {
  id: 'gen_random_uuid()',
  kind: `'install'`,
  machine_version: '1',
  state: `'active'`,
  context: `'{}'`,
  lane: `'l'`,
  provider: `'p'`,
  app_user: `'u'`,
  contract_id: `'00'`,
  version: '1',
  created_at: 'now()',
};

const OUTCOME: Columns = { state: `'succeeded'`, finished_at: 'now()', result: `'{}'` };

const insert = (table: string, columns: Columns): string =>
  `insert into ${table} (${Object.keys(columns).join(', ')}) values (${Object.values(columns).join(', ')})`;

/** Runs the statements and rolls them back. Returns the constraint that they violate, or `null`. */
async function violated(...statements: readonly string[]): Promise<string | null> {
  await client.query('begin');
  try {
    for (const sql of statements) await client.query(sql);
    return null;
  } catch (error) {
    if (!(error instanceof Error) || !('constraint' in error)) throw error;
    return String(error.constraint);
  } finally {
    await client.query('rollback');
  }
}

const changeWith = (over: Columns): string => insert('change', { ...CHANGE, ...over });

test.each<[string, Columns]>([
  ['the head of a lane', {}],
  ['one that waits', { state: `'queued'` }],
  ['one with an outcome', OUTCOME],
  ['a refused one', { state: `'rejected'`, finished_at: 'now()', error: `'{}'` }],
  ['a cancelled one', { state: `'cancelled'`, finished_at: 'now()' }],
  ['one that makes sure', { state: `'retrying'`, verify_at: '5', pending_refusal: `'{}'` }],
  [
    'an accepted one',
    { accepted_update_id: `'u'`, accepted_offset: '5', accepted_read_back: 'true' },
  ],
])('taken: %s', async (_, over) => {
  expect(await violated(changeWith(over))).toBeNull();
});

test.each<[string, Columns]>([
  ['change_state_check', { state: `'lost'` }],
  ['change_is_finished_in_a_final_state', { state: `'failed'`, error: `'{}'` }],
  ['change_is_finished_in_a_final_state', { finished_at: 'now()' }],
  ['change_has_a_result_when_it_succeeded', { state: `'succeeded'`, finished_at: 'now()' }],
  ['change_has_a_result_when_it_succeeded', { result: `'{}'` }],
  ['change_has_an_error_when_refused', { state: `'failed'`, finished_at: 'now()' }],
  ['change_has_no_error_when_it_succeeded', { ...OUTCOME, error: `'{}'` }],
  ['change_waits_for_nothing_once_finished', { ...OUTCOME, waiting_for: `'{}'` }],
  ['change_waits_for_nothing_once_finished', { ...OUTCOME, verify_at: '1' }],
  ['change_is_untried_while_queued', { state: `'queued'`, last_attempt_no: '1' }],
  ['change_acceptance_is_whole', { accepted_update_id: `'u'` }],
  ['change_refusal_is_pending_until_verified', { pending_refusal: `'{}'` }],
  ['change_body_check', { body: `'[]'` }],
  ['change_attempts_check', { attempts: '-1' }],
  ['change_lane_fkey', { lane: `'no such mailbox'` }],
])('refused by %s: %o', async (constraint, over) => {
  expect(await violated(changeWith(over))).toBe(constraint);
});

test('one change of a lane is on its way, and places are given once', async () => {
  expect(await violated(changeWith({}), changeWith({ state: `'in-doubt'` }))).toBe('change_head');
  expect(await violated(changeWith({}), changeWith({ lane: `'other'` }))).toBeNull();
  const waiting = changeWith({ state: `'queued'`, mailbox_no: '2' });
  expect(await violated(waiting, waiting)).toBe('change_queued');
  expect(await violated(changeWith(OUTCOME), changeWith(OUTCOME))).toBeNull();
});

test('a command is recorded once per acting party', async () => {
  const same = { ...OUTCOME, command_id: `'c'` };
  for (const other of [{}, { ledger_user: `'v'` }, { participant: `'app-user'` }]) {
    const again = changeWith({ ...same, ...other });
    expect(await violated(changeWith(same), again)).toBe('change_command_key');
  }
  expect(await violated(changeWith(same), changeWith({ ...same, act_as: `'q'` }))).toBeNull();
});

test.each<[string, Columns]>([
  ['lifecycle_kind_check', { kind: `''` }],
  ['lifecycle_version_check', { version: '0' }],
  ['lifecycle_context_check', { context: `'[]'` }],
  ['lifecycle_license_num_check', { license_num: '-1' }],
])('a lifecycle is refused by %s: %o', async (constraint, over) => {
  expect(await violated(insert('lifecycle', { ...LIFECYCLE, ...over }))).toBe(constraint);
});

test('a lifecycle of any kind is taken, with the columns that its definition fills', async () => {
  expect(await violated(insert('lifecycle', LIFECYCLE))).toBeNull();
  expect(await violated(insert('lifecycle', { ...LIFECYCLE, kind: `'subscription'` }))).toBeNull();
  const license = { ...LIFECYCLE, kind: `'license'`, license_num: '0', expires_at: 'now()' };
  expect(await violated(insert('lifecycle', license))).toBeNull();
});

test('mailboxes, attempts, effects, history and leases keep their shape', async () => {
  const id = `'11111111-1111-4111-8111-111111111111'`;
  const ours = changeWith({ id });
  const attempt = {
    change_id: id,
    n: '1',
    submission_id: `'s'`,
    participant: `'p'`,
    ledger_user: `'u'`,
    act_as: `'a'`,
    at: 'now()',
  };
  const effect = { id: `'fx'`, change_id: id, due_at: 'now()' };
  const line = {
    lifecycle_id: `'l'`,
    seq: '1',
    n: '1',
    at: 'now()',
    kind: `'k'`,
    state: `'s'`,
    detail: `'{}'`,
  };
  const answered = { ...attempt, verdict: `'refused'`, answered_at: 'now()', explanation: `'no'` };
  const box = (over: Columns) => insert('mailbox', { lane: `'m'`, ...over });
  expect(await violated(ours, insert('attempt', attempt), insert('effect', effect))).toBeNull();
  expect(await violated(ours, insert('attempt', answered))).toBeNull();
  const cases: [string, ...string[]][] = [
    ['mailbox_has_numbered_those_who_wait', box({ next_no: '3', waiting: '3' })],
    ['attempt_change_id_fkey', insert('attempt', attempt)],
    [
      'attempt_pkey',
      ours,
      insert('attempt', attempt),
      insert('attempt', { ...attempt, submission_id: `'t'` }),
    ],
    [
      'attempt_submission_id_key',
      ours,
      insert('attempt', attempt),
      insert('attempt', { ...attempt, n: '2' }),
    ],
    ['attempt_answer_is_whole', ours, insert('attempt', { ...attempt, verdict: `'refused'` })],
    [
      'attempt_without_answer_has_no_part_of_one',
      ours,
      insert('attempt', { ...attempt, answer_offset: '1' }),
    ],
    ['attempt_verdict_check', ours, insert('attempt', { ...answered, verdict: `'maybe'` })],
    [
      'effect_change_id_key',
      ours,
      insert('effect', effect),
      insert('effect', { ...effect, id: `'fy'` }),
    ],
    ['history_pkey', insert('history', line), insert('history', line)],
    [
      'lease_epoch_check',
      insert('lease', { name: `'x'`, holder: `'h'`, epoch: '0', expires_at: 'now()' }),
    ],
  ];
  for (const [constraint, ...statements] of cases) {
    expect(await violated(...statements)).toBe(constraint);
  }
});

test('a contract leads to a lifecycle that is there, and is forgotten with it', async () => {
  const lineage = insert('lineage', { contract_id: `'00'`, lifecycle_id: `'x'` });
  expect(await violated(lineage)).toBe('lineage_lifecycle_id_fkey');
  const of = insert('lifecycle', { ...LIFECYCLE, id: `'x'` });
  expect(await violated(of, lineage, `delete from lifecycle where id = 'x'`, lineage)).toBe(
    'lineage_lifecycle_id_fkey',
  );
});

test('every table says what it is for', async () => {
  const { rows } = await client.query(
    `select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and c.relname in ('lifecycle', 'lineage', 'mailbox', 'change', 'attempt', 'effect', 'history', 'lease')
       and obj_description(c.oid) is null`,
  );
  expect(rows).toEqual([]);
});
