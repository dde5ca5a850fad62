import { expect, test } from 'vitest';
import { CLOCK_LEASE, EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { findAudit } from '../../src/main/doctor-audit.ts';
import { createAuditChain } from '../../src/store/desk/audit-chain.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { postgresStore } from '../kit/postgres-store.ts';

/* Rows of the audit log can only be added, and are chained after their commit. The doctor detects all other changes. */

const DAY_MS = 24 * 60 * 60 * 1_000;
const io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };

const { pool } = await forFile(postgresStore());
const leaseOf = async (name: string) =>
  (await createLeases(pool).acquire(name, 'this test', 600_000, io)) ?? 0n;
const events = await leaseOf(EVENTS_LEASE);
const clock = await leaseOf(CLOCK_LEASE);

/** A statement that inserts rows as the previous release writes them. */
const INSERT = `insert into audit (at, by_party, by_subject, act, reason, detail, of_party)
  select now() - make_interval(days => $1), 'provider::1', $2, 'paused', 'because', '{"n": 1}', 'provider::1'
  from generate_series(1, $3)`;
const added = (daysAgo: number, count: number, subject = 'olga') =>
  pool.query(INSERT, [daysAgo, subject, count]);
/**
 * @param settledMs with 0, the sequencer treats every row up to the last chained one as seen, and reads only later
 *   rows
 */
const chain = (settledMs?: number) => createAuditChain(pool, settledMs).chain(100, events, io);

const found = async () => (await findAudit(pool, io)).map(({ level, what }) => `${level}: ${what}`);

/** Returns the doctor's findings after statements that bypass the triggers; the table is restored afterwards. */
async function tampered(...statements: string[]): Promise<readonly string[]> {
  await pool.query('create table kept_audit as select * from audit');
  await pool.query('create table kept_link as select * from audit_link');
  await pool.query('create table kept_chain as select * from audit_chain');
  const past = (...sql: string[]) =>
    pool.query(`begin; set local session_replication_role = replica; ${sql.join('; ')}; commit`);
  await past(...statements);
  try {
    return await found();
  } finally {
    await past(
      'delete from audit',
      'insert into audit overriding system value select * from kept_audit',
      'delete from audit_link',
      'insert into audit_link select * from kept_link',
      'delete from audit_chain',
      'insert into audit_chain select * from kept_chain',
      'drop table kept_audit, kept_link, kept_chain',
    );
  }
}

test('rows are chained once, after those before them, under the lease alone', async () => {
  await added(20, 3);
  await added(0, 3);
  expect(await chain()).toMatchObject({ count: 6, seq: 6n });
  expect(await chain()).toMatchObject({ count: 0, seq: 6n });
  await added(0, 2);
  expect(await createAuditChain(pool).chain(1, events, io)).toMatchObject({ count: 1, seq: 7n });
  expect(await createAuditChain(pool).chain(1, events - 1n, io)).toBeNull();
  const done = await chain();
  expect(await found()).toEqual([
    `well: the audit hash chain is intact from position 1 to 8; the last hash is ${done?.hash}`,
  ]);
});

test('a row of a transaction that committed late is chained although later ones are', async () => {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(INSERT, [0, 'late', 1]);
  await added(0, 1);
  expect(await chain()).toMatchObject({ count: 1 });
  await client.query('commit');
  client.release();
  expect(await chain()).toMatchObject({ count: 1, seq: 10n });
  expect(await found()).toEqual([expect.stringContaining('well')]);
});

test('the database refuses to change and to delete rows and links', async () => {
  for (const sql of [
    `update audit set reason = 'another' where id = 1`,
    'delete from audit where id = 1',
    'truncate audit',
    `update audit_link set chained_at = now() where seq = 1`,
    'delete from audit_link where seq = 1',
    'truncate audit_link',
  ]) {
    await expect(pool.query(sql), sql).rejects.toMatchObject({ code: 'TN003' });
  }
});

test('the doctor finds rows that were changed, deleted and inserted past Tenure, and says which', async () => {
  await chain(0);
  const broken = (words: string) => `wrong: the audit hash chain is broken: ${words}`;
  expect(
    await tampered(
      `update audit set detail = '{"n": 2}' where id = 3`,
      `update audit set at = at + interval '1 microsecond' where id = 5`,
    ),
  ).toEqual([
    broken('audit row 3 at position 3 was changed'),
    broken('audit row 5 at position 5 was changed'),
  ]);
  expect(await tampered('delete from audit where id = 4')).toEqual([
    broken('audit row 4 at position 4 was deleted'),
  ]);
  expect(
    await tampered('delete from audit where id = 4', 'delete from audit_link where seq = 4'),
  ).toEqual([broken('position 4 is missing')]);
  const between = `insert into audit (id, at, by_party, by_subject, act, reason, detail)
    overriding system value values (0, now(), 'provider::1', 'eve', 'paused', 'r', '{}')`;
  expect(await tampered(between)).toEqual([
    broken('audit row 0 was inserted without an entry in the chain'),
  ]);
  expect(
    await tampered(
      'update audit_link set seq = seq + 100 where seq > 4',
      'update audit_link set seq = seq - 99 where seq > 100',
      between,
      `insert into audit_link (seq, audit_id, hash) values (5, 0, sha256('guessed'))`,
    ),
  ).toEqual(
    expect.arrayContaining([
      broken('audit row 0 at position 5 was changed'),
      broken('audit row 5 at position 6 was changed'),
    ]),
  );
  expect(
    await tampered('delete from audit where id >= 8', 'delete from audit_link where seq >= 8'),
  ).toEqual([broken('the last row has position 7, but the recorded last position is 10')]);
  expect(await tampered(`update audit_link set hash = sha256('x') where seq = 10`)).toEqual([
    expect.stringContaining('at position 10 was changed'),
    broken('the hash at the last position 10 was changed'),
  ]);
  expect(await found()).toEqual([expect.stringContaining('well')]);
});

test('retention deletes old rows from the beginning on, and the chain still holds', async () => {
  const retention = createRetention(pool, trusted<ParticipantName>('app-provider'));
  const batch = { olderThanMs: 10 * DAY_MS, limit: 2 };
  expect(await retention.audit(batch, clock - 1n, io)).toBeNull();
  expect(await retention.audit(batch, clock, io)).toBe(2);
  expect(await retention.audit(batch, clock, io)).toBe(1);
  expect(await retention.audit(batch, clock, io)).toBe(0);
  expect(await found()).toEqual([
    expect.stringContaining('well: the audit hash chain is intact from position 4 to'),
  ]);
  const { rows } = await pool.query('select min(id)::integer as first from audit');
  expect(rows).toEqual([{ first: 4 }]);
  expect(await tampered('delete from audit where id = 4')).toEqual([
    expect.stringContaining('audit row 4 at position 4 was deleted'),
  ]);
});

test('rows of the release before name people by a pseudonym for each party', async () => {
  await added(0, 1, 'olga');
  await pool.query(INSERT.replaceAll('provider::1', 'user::1'), [0, 'olga', 2]);
  const { rows } = await pool.query<{ party: string; subject: string; names: number }>(
    `select p.party, p.subject, count(distinct a.by_subject)::integer as names
     from audit a join person p on p.pseudonym = a.by_subject where p.subject = 'olga' group by p.party, p.subject
     order by p.party`,
  );
  expect(rows).toEqual([
    { party: 'provider::1', subject: 'olga', names: 1 },
    { party: 'user::1', subject: 'olga', names: 1 },
  ]);
  const { rows: clear } = await pool.query(
    `select from audit where by_subject not like 'person:%'`,
  );
  expect(clear).toEqual([]);
});
