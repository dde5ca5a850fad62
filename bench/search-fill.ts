import type { Client } from 'pg';

/*
 * Fills a store with finished changes, so that it looks as after a year of use. The rows are written directly to its
 * tables, because creating them through the ledger would take days.
 */

/** A party ID that is as long as on a real network. */
export const PROVIDER = `bench-provider::1220${'aa'.repeat(32)}`;
export const USERS = 500;
/**
 * Two callers that each have one change in twenty. The first one requested hardly any of its changes itself, the second
 * one two out of three.
 */
export const SPOKEN_FOR = 11;
export const BUSY = 13;
const USER_TAIL = `::1220${'bb'.repeat(32)}`;
export const userNo = (n: string): string => `'user-' || (${n}) || '${USER_TAIL}'`;
export const POLICY = 'tenure';

const PER_LANE = 5;
/**
 * One change in ten has failed. There are `KINDS` kinds of failure, and another, rare kind that occurs once in `RARE`
 * changes.
 */
const KINDS = 40;
const RARE = 20_000;
const STEP = `interval '30 s'`;

const uuid = (of: string): string => `md5(${of})::uuid`;
/** Returns an SQL expression for the fingerprint of a kind of failure. The rare kind has the number 0. */
export const fingerprintOf = (kind: string): string =>
  `left(md5('failure ' || (${kind})::text), 16)`;
export const contractOf = (lane: string): string =>
  `'00' || md5('contract ' || (${lane})::text) || md5((${lane})::text)`;
export const lifecycleOf = (lane: string): string => `'license-' || md5((${lane})::text)`;

const KIND = `case when n % ${RARE} = 0 then 0 when n % 10 = 0 then n / 10 % ${KINDS} + 1 end`;
const OPERATION = `case when n % 1000 = 7 then 'withdraw-renewal' when n % 3 = 0 then 'expire-license'
  when n % 3 = 1 then 'renew-license' else 'create-license' end`;

const FIXED = `case when n % 3 = 0
  then json_build_object('policy', json_build_object('name', case when n % 1000 = 7 then 'renewal' else 'expiry' end))
  else '{}'::json end`;
const USER = `case n % 20 when ${SPOKEN_FOR} then ${SPOKEN_FOR} when ${BUSY} then ${BUSY} else n % ${USERS} end`;
/** SQL: whether a change was requested by the user. Policies requested the other changes for the provider. */
const ASKED_BY_USER = `n % 3 > 0 and (n % 10000 = ${SPOKEN_FOR} or n % 4 = 1)`;

const FAILURES = `insert into failure (fingerprint, operation, state, code, ledger_code, class, explanation)
  select ${fingerprintOf('k')}, 'expire-license', case k when 0 then 'failed' else 'rejected' end,
    case k when 0 then 'BUDGET_SPENT' else 'LEDGER_REFUSED' end,
    case k when 0 then 'PARTICIPANT_BACKPRESSURE' else 'CODE_' || k % 8 end,
    case k when 0 then 'busy' else 'refused' end, 'reason ' || k
  from generate_series(0, ${KINDS}) k`;

const LANES = (changes: number): string => `insert into mailbox (lane, next_no)
  select 'lane-' || l, ${PER_LANE + 1} from generate_series(0, ${Math.floor(changes / PER_LANE)}) l`;

/**
 * Returns the statement that inserts changes in order of time. The command IDs of the first hundredth have the same
 * prefix.
 */
const CHANGES = (changes: number, provider: string): string => `
  insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject, participant,
    ledger_user, act_as, body, fingerprint, state, accepted_at, finished_at, deduplication_offset, last_attempt_no, provider,
    app_user, fixed, result, error, failure)
  select ${uuid(`'change ' || n`)},
    case when n <= ${changes / 100} then 'import-' when n % 3 = 0 then 'tenure:expire:' else 'mine-' end || n,
    one.operation, ${lifecycleOf('lane')}, 'lane-' || lane, n % ${PER_LANE} + 1,
    case when ${ASKED_BY_USER} then ${userNo(USER)} else '${provider}' end,
    case when n % 3 = 0 then '${POLICY}' when n % 5000 = 1 then 'rarely' else 'person-' || n % 50 end, 'app-provider',
    'bench', '${provider}', '{"meta": {"data": {}}}', md5(n::text), one.state, at, at + interval '1 s', n, 1, '${provider}',
    ${userNo(USER)}, ${FIXED},
    case when kind is null then '{"status": 201, "body": {"licenseId": "00ab"}}'::json end,
    case when kind is not null then jsonb_build_object('code', f.code, 'status', 409, 'message', f.explanation, 'ledgerCode', f.ledger_code) end,
    f.fingerprint
  from (
    select n, n / ${PER_LANE} as lane, ${OPERATION} as operation, ${KIND} as kind,
      now() - (${changes} - n) * ${STEP} as at,
      case when n % ${RARE} = 0 then 'failed' when n % 10 = 0 then 'rejected' else 'succeeded' end as state
    from generate_series(1, ${changes}) n
  ) one left join failure f on f.fingerprint = ${fingerprintOf('one.kind')}`;

/** Returns the statement that inserts attempts of one change in each lane. */
const ATTEMPTS = (changes: number, provider: string): string => `
  insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at, answered_at, verdict,
    explanation, answer_offset)
  select ${uuid(`'change ' || n`)}, 1, md5('submission ' || n), 'app-provider', 'bench', '${provider}',
    ${contractOf(`n / ${PER_LANE}`)}, now(), now(), 'accepted', 'the ledger accepted it', n
  from generate_series(${PER_LANE}, ${changes}, ${PER_LANE}) n`;

/**
 * Drops the indexes that no constraint needs, and creates them again after `fill`. This is faster than updating them
 * for each row.
 */
async function withoutIndexes(client: Client, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes i
     where tablename in ('change', 'attempt')
       and not exists (select from pg_constraint c where c.conname = i.indexname)`,
  );
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`);
  await fill();
  for (const { indexdef } of rows) await client.query(indexdef);
}

/**
 * Fills a database that has no operations. Then runs `analyze`, which the server would otherwise do soon afterwards.
 *
 * @param provider the provider of all changes, which is also the party that requested those that no user has requested
 */
export async function fillChanges(
  client: Client,
  changes: number,
  provider = PROVIDER,
): Promise<void> {
  await client.query(`set maintenance_work_mem = '512MB'; set synchronous_commit = off`);
  await withoutIndexes(client, async () => {
    // Triggers are disabled, because they only check foreign keys. All rows to which the new rows refer exist.
    await client.query(`set session_replication_role = replica`);
    const made = [CHANGES(changes, provider), ATTEMPTS(changes, provider)];
    for (const sql of [FAILURES, LANES(changes), ...made]) await client.query(sql);
    await client.query('set session_replication_role = origin');
  });
  for (const table of ['change', 'attempt', 'failure']) {
    await client.query(`vacuum (analyze) ${table}`);
  }
  await client.query('checkpoint');
}
