import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListQuery } from '../../src/app/ports/views.ts';
import type { ParticipantName, Party, LifecycleId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { listCount, listPage } from '../../src/store/engine/lists.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection } from '../../src/store/sql/transact.ts';
import { postgresStore, type PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  BIG,
  CHANGES,
  TEMPLATES,
  fill,
  ofBig,
  ofOthers,
  renewals,
  userNo,
} from '../kit/store-fill.ts';
import { change, io } from '../kit/store-rows.ts';
import { oneLife } from '../kit/store-life.ts';
import { arrive } from '../kit/store-under-test.ts';
import type { PlanNode } from '../kit/query-plan.ts';
import { allOf } from '../kit/all-of.ts';
import { nodesOf } from '../kit/query-plan.ts';

/*
 * A store that looks as if it had been used for years: 30 000 licences of one provider, many with an open renewal,
 * licences of other tenants, some ended licences, and thousands of finished changes. Queries must not cost more than in
 * a small store.
 */

const LICENSES = 30_000;
let under: PostgresStoreUnderTest;

beforeAll(async () => {
  // With a single connection, its statistics count all reads.
  under = await postgresStore(1, 'pristine');
  await queryOnce(under.url, fill(LICENSES));
});

afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

/** Returns the nodes of the plan that PostgreSQL has just executed for a page, or for a count. */
async function planOf(query: ListQuery, of: 'page' | 'count' = 'page'): Promise<PlanNode[]> {
  const compiled = (of === 'page' ? listPage(query) : listCount(query))?.compile();
  if (compiled === undefined) throw new Error('a query that can find something');
  const client = new Client({ connectionString: under.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${compiled.sql}`,
      [...compiled.parameters],
    );
    return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
  } finally {
    await client.end();
  }
}

/** A cursor after nine tenths of the provider's licences. */
const DEEP = { appUser: userNo(450), listNo: '450', id: '' };

const QUERIES: readonly (readonly [string, Partial<ListQuery>])[] = [
  ['the first page of the provider', { party: BIG }],
  [
    'a page in the middle',
    { party: BIG, after: { appUser: userNo(250), listNo: '15250', id: 'license-000-15250' } },
  ],
  ['a page after nine tenths', { party: BIG, after: DEEP }],
  ['the last page', { party: BIG, after: { appUser: userNo(499), listNo: '29999', id: '' } }],
  ['what the provider provides', { party: BIG, provider: BIG, after: DEEP }],
  ['one user of the provider', { party: BIG, appUser: userNo(77) }],
  ['a user', { party: userNo(77) }],
  ['a user further on', { party: userNo(77), after: { ...DEEP, appUser: userNo(77) } }],
  ['a user with one provider', { party: userNo(77), provider: BIG }],
  ['nobody', { party: trusted<Party>('nobody::1220cc') }],
  ['the state that most are in', { party: BIG, state: 'active', after: DEEP }],
  ['a state that few are in', { party: BIG, state: 'expiring' }],
  ['a state that few are in, further on', { party: BIG, state: 'expiring', after: DEEP }],
  ['a state that none is in', { party: BIG, state: 'nothing' }],
  ['a state of one user', { party: userNo(77), provider: BIG, state: 'expiring' }],
  ['renewals', { kind: 'renewal', party: BIG }],
  ['renewals further on', { kind: 'renewal', party: BIG, after: DEEP }],
  ['renewals of a user', { kind: 'renewal', party: userNo(77) }],
  ['ended ones of the provider', { party: BIG, endedAs: ['expired'] }],
  ['ended ones further on', { party: BIG, endedAs: ['expired', 'gone'], after: DEEP }],
  ['ended ones of a user', { party: userNo(77), endedAs: ['expired', 'gone'] }],
  [
    'ended renewals of a licence',
    { kind: 'renewal', party: BIG, appUser: userNo(77), listNo: 77n, endedAs: ['renewed'] },
  ],
  [
    'ended renewals of a licence, to its user',
    { kind: 'renewal', party: userNo(77), provider: BIG, listNo: 77n, endedAs: ['renewed'] },
  ],
  ['renewals in a state that none is in', { kind: 'renewal', party: BIG, state: 'nothing' }],
];

const statistics: readonly (readonly [string, string])[] = [
  ['before statistics', 'select 1'],
  ['with statistics', 'vacuum analyze'],
];

/** Returns the largest number of rows that one node of the plan has read, including discarded rows. */
function mostRead(nodes: readonly PlanNode[]): number {
  const ofTables = nodes.filter((node) => node['Relation Name'] !== undefined);
  return Math.max(
    ...ofTables.map(
      (node) =>
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ),
  );
}

const planText = (nodes: readonly PlanNode[]): string =>
  nodes
    .map((node) => `${node['Node Type']} on ${node['Index Name'] ?? node['Relation Name'] ?? ''}`)
    .join(', ');

const scannedWhole = (nodes: readonly PlanNode[]): (string | undefined)[] =>
  nodes
    .filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'template')
    .map((node) => node['Relation Name']);

test.each(statistics)('pages of many licences are read from the index, %s', async (_, sql) => {
  await queryOnce(under.url, sql);
  for (const [what, over] of QUERIES) {
    const nodes = await planOf({ kind: 'license', party: BIG, limit: 50, ...over });
    expect(scannedWhole(nodes), what).toEqual([]);
    expect(mostRead(nodes), `${what}: ${planText(nodes)}`).toBeLessThanOrEqual(500);
  }
});

test.each([
  ['few', '2026-01-01T00:01:00Z', ['lifecycle_expiry']],
  ['some', '2026-01-01T00:30:00Z', ['lifecycle_expiry', 'lifecycle_list_provider']],
  ['many', '2026-01-01T12:00:00Z', ['lifecycle_list_provider']],
  ['all', '2036-01-01T00:00:00Z', ['lifecycle_list_provider']],
])(
  'what ends soon is found by its time when few do, else in the order of the list: %s',
  async (...of) => {
    const [, expiresBefore, indexes] = of;
    for (const after of [{}, { after: DEEP }]) {
      const nodes = await planOf({
        kind: 'license',
        party: BIG,
        limit: 50,
        expiresBefore,
        ...after,
      });
      expect(scannedWhole(nodes)).toEqual([]);
      const used = nodes.flatMap((node) => node['Index Name'] ?? []);
      expect(
        used.some((index) => indexes.includes(index)),
        planText(nodes),
      ).toBe(true);
      expect(mostRead(nodes), planText(nodes)).toBeLessThanOrEqual(5_000);
    }
  },
);

test.each(statistics)('a list is counted up to a bound, and no further, %s', async (_, sql) => {
  await queryOnce(under.url, sql);
  const narrow = { appUser: userNo(77) };
  const soon = { expiresBefore: '2026-01-01T00:01:00Z' };
  const late = { expiresBefore: '2036-01-01T00:00:00Z' };
  const listNo = { kind: 'renewal', endedAs: ['renewed'], listNo: 77n } as const;
  for (const over of [{}, { state: 'active' }, narrow, soon, late, listNo, { party: userNo(77) }]) {
    const query = { kind: 'license', party: BIG, ...over } as const;
    const nodes = await planOf({ ...query, limit: 1 }, 'count');
    expect(mostRead(nodes), planText(nodes)).toBeLessThanOrEqual(LIMITS.countMax + 1);
  }
  const counted = (over: object) =>
    under.store.reads.count({ kind: 'license', party: BIG, ...over }, io());
  expect(await counted({})).toEqual({ count: LIMITS.countMax, more: true });
  const few = await counted(narrow);
  const listed = await under.store.reads.list(
    { kind: 'license', party: BIG, ...narrow, limit: 500 },
    io(),
  );
  expect(few).toEqual({ count: listed.length, more: false });
});

test('the whole list is read in bounded chunks', async () => {
  let seen = 0;
  let before = '';
  for await (const { lifecycle: of } of under.store.reads.listAll(
    { kind: 'license', party: BIG },
    io(),
  )) {
    const position = `${of.appUser} ${String(of.licenseNum).padStart(9, '0')}`;
    if (position <= before) throw new Error(`${position} after ${before}`);
    before = position;
    seen += 1;
  }
  expect(seen).toBe(LICENSES);
});

const FLUSH = statement<never>('test-flush', 'select pg_stat_force_next_flush()');

interface Counters {
  readonly relname: string;
  readonly scans: bigint;
  readonly rows: bigint;
}

/**
 * Returns how much the store's connection has read from each table so far: the number of full scans, and of rows by any
 * access path.
 */
async function counters(): Promise<ReadonlyMap<string, Counters>> {
  await onConnection(under.pool, io(), (session) => session.run(FLUSH));
  await onConnection(under.pool, io(), (session) => session.run(FLUSH));
  const rows = await queryOnce<{ relname: string; scans: bigint; rows: bigint }>(
    under.url,
    `select relname, seq_scan as scans,
            (seq_tup_read + (select coalesce(sum(i.idx_tup_read), 0)::bigint
                             from pg_stat_user_indexes i where i.relid = t.relid))::bigint as rows
     from pg_stat_user_tables t where n_live_tup > 1000 or relname in ('effect', 'change')`,
  );
  return new Map(rows.map((row) => [row.relname, row]));
}

test('what a change goes through reads no more of large tables than its own rows', async () => {
  // Repeated, so that plans are made. The only connection keeps them.
  for (let i = 0; i < 8; i += 1) await oneLife(under);
  const before = await counters();
  await oneLife(under);
  const after = await counters();
  for (const [table, { scans, rows }] of after) {
    const was = before.get(table);
    expect(scans - (was?.scans ?? 0n), `${table} scanned whole`).toBe(0n);
    expect(Number(rows - (was?.rows ?? 0n)), `rows read of ${table}`).toBeLessThan(200);
  }
  expect([...after.keys()]).toEqual(
    expect.arrayContaining(['change', 'attempt', 'effect', 'contract']),
  );
});

test('what has ended without an effect is gone through without what succeeded', async () => {
  const participant = trusted<ParticipantName>('app-provider');
  const walk = () =>
    under.store.transact(io(), (tx) => tx.endedWithoutEffect(participant, null, 500));
  for (let i = 0; i < 8; i += 1) await walk();
  const before = (await counters()).get('change');
  expect(await walk()).toEqual([]);
  const after = (await counters()).get('change');
  expect(Number((after?.scans ?? 0n) - (before?.scans ?? 0n))).toBe(0);
  expect(Number((after?.rows ?? 0n) - (before?.rows ?? 0n))).toBeLessThan(10);
});

test('what a tenant uses is counted up to its quotas, and no further', async () => {
  const bounds = {
    openOperations: 100,
    commentsPerDay: 20,
    comments: ['create-license'],
    since: '2020-01-01T00:00:00Z',
  };
  const later = [{ party: BIG, since: '2099-01-01T00:00:00Z' }];
  const count = () =>
    under.store.transact(io(), async (tx) => {
      await tx.traffic(later);
      return tx.quotaUse([BIG], bounds);
    });
  for (let i = 0; i < 8; i += 1) await count();
  const before = (await counters()).get('change');
  expect(await count()).toEqual(new Map([[BIG, { openOperations: 0, commentsPerDay: 20 }]]));
  const after = (await counters()).get('change');
  expect(Number((after?.scans ?? 0n) - (before?.scans ?? 0n))).toBe(0);
  expect(Number((after?.rows ?? 0n) - (before?.rows ?? 0n))).toBeLessThan(100);
});

const RENEWING: Partial<ListQuery>[] = [
  { party: userNo(77) },
  { party: BIG },
  { party: BIG, after: DEEP },
  { party: BIG, appUser: userNo(77) },
];

/** Reads a page. Returns it, with the cost of reading it and all its details. */
async function pageWithCosts(over: Partial<ListQuery>) {
  const before = await counters();
  const page = await under.store.reads.list(
    { kind: 'license', party: BIG, limit: 50, ...over },
    io(),
  );
  const after = await counters();
  const read = (table: string) =>
    Number((after.get(table)?.rows ?? 0n) - (before.get(table)?.rows ?? 0n));
  const scans = (table: string) =>
    Number((after.get(table)?.scans ?? 0n) - (before.get(table)?.scans ?? 0n));
  const tables = ['lifecycle', 'contract'] as const;
  return { page, read: tables.map(read), scans: tables.map(scans) };
}

/**
 * Checks that the page shows renewals with their allocations, and that no renewals of other licences were read to
 * compute it.
 */
async function expectCheapPage(over: Partial<ListQuery>): Promise<void> {
  const { page, read, scans } = await pageWithCosts(over);
  const open = page.flatMap((view) => view.renewals);
  const paid = open.flatMap((renewal) => renewal.allocations);
  expect([page.length, open.length, paid.length]).toEqual([50, 10, 5]);
  expect(scans).toEqual([0, 0]);
  expect(Math.max(...read), JSON.stringify(over)).toBeLessThanOrEqual(200);
}

test('lists on a connection that has served transactions are planned for their values', async () => {
  await oneLife(under);
  for (const over of RENEWING) await expectCheapPage(over);
});

const COMMENTS = 20_000;

test('a page of comments reads no more than itself, wherever it begins', async () => {
  const fqn = 'quickstart-licensing:Licensing.LicenseComment:LicenseComment';
  await queryOnce(
    under.url,
    `insert into template values ('${fqn}', 'quickstart-licensing', 'Licensing.LicenseComment', 'LicenseComment',
                                  'template') on conflict do nothing;
     insert into contract (contract_id, template_fqn, payload, signatories, package_id, package_name,
                           created_at_offset, created_node_id, created_effective_at)
     select '00cc' || lpad(n::text, 64, '0'), '${fqn}',
            jsonb_build_object('provider', '${BIG}', 'user', '${userNo(7)}', 'licenseNum', '7', 'body', 'word ' || n,
                               'createdAt', to_char(timestamp '2026-01-01' + n * interval '1 second',
                                                    'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
            array['${BIG}'], 'p', 'quickstart-licensing', n, 1, timestamptz '2026-01-01Z' + n * interval '1 second'
     from generate_series(1, ${COMMENTS}) n`,
  );
  const licenseId = trusted<LifecycleId>('license-7');
  const of = { licenseId, provider: BIG, appUser: userNo(7), licenseNum: 7n };
  for (const createdAt of ['', '2026-01-01T02:00:00Z', '2026-01-01T05:00:00Z']) {
    const before = await counters();
    const page = await under.store.reads.comments(
      { ...of, after: { createdAt, contractId: '' }, limit: 50 },
      io(),
    );
    expect(page).toHaveLength(50);
    const { rows = 0n, scans = 0n } = (await counters()).get('contract') ?? {};
    const was = before.get('contract');
    expect(scans - (was?.scans ?? 0n)).toBe(0n);
    expect(Number(rows - (was?.rows ?? 0n))).toBeLessThanOrEqual(100);
  }
  const life = { from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:01:00Z' };
  const made = (until: string | null) =>
    allOf(under.store.reads.commentsMade({ ...of, from: life.from, until }, io()));
  expect(await made(life.until)).toHaveLength(60);
  const all = (await made(null)).map(({ createdAtOffset }) => createdAtOffset);
  expect(all).toEqual(Array.from({ length: COMMENTS }, (_, n) => BigInt(n + 1)));
});

test('a page of renewals carries their allocations, and reads no others', async () => {
  const { page, read, scans } = await pageWithCosts({ kind: 'renewal' });
  expect(page.flatMap((renewal) => renewal.allocations)).toHaveLength(25);
  expect(scans).toEqual([0, 0]);
  expect(Math.max(...read)).toBeLessThanOrEqual(200);
});

test('renewals are looked up one by one, though statistics know of none', async () => {
  await using young = await postgresStore(1, 'pristine');
  const before = under;
  under = young;
  try {
    await queryOnce(
      young.url,
      `alter table lifecycle set (autovacuum_enabled = false);
       alter table contract set (autovacuum_enabled = false);
       ${TEMPLATES} ${ofBig(CHANGES)}`,
    );
    await queryOnce(young.url, 'vacuum analyze');
    await queryOnce(young.url, `${renewals('00')} ${ofOthers(CHANGES)}`);
    // Repeated so often that plans are cached.
    for (let i = 0; i < 7; i += 1) {
      await expectCheapPage({ after: { appUser: userNo(70 * i), listNo: '0', id: '' } });
    }
  } finally {
    under = before;
  }
});

test('plans made on an empty store do not last when it grows', async () => {
  await using young = await postgresStore(1, 'pristine');
  const before = under;
  under = young;
  try {
    // Named statements are planned now, while the tables are still empty.
    await oneLife(under);
    await queryOnce(young.url, fill(CHANGES));
    await oneLife(under);
    const first = await counters();
    await oneLife(under);
    const second = await counters();
    for (const [table, { rows }] of second) {
      const read = Number(rows - (first.get(table)?.rows ?? 0n));
      expect(read, `rows read of ${table}`).toBeLessThan(200);
    }
  } finally {
    under = before;
  }
});

test('changes that are finished leave nothing in the way of open ones', async () => {
  const ours = change();
  await arrive(under.store, ours);
  const sizes = await queryOnce<{ name: string; pages: number }>(
    under.url,
    `select relname as name, pg_relation_size(oid)::int / 8192 as pages from pg_class
     where relname in ('change_head', 'change_queued', 'change_verify', 'change_accepted_update',
                       'change_accepted_offset', 'effect_due')`,
  );
  expect(sizes).toHaveLength(6);
  for (const { name, pages } of sizes) expect(pages, name).toBeLessThanOrEqual(4);
});

test('what is under way is found by the heads of lanes, among however many at rest', async () => {
  await queryOnce(
    under.url,
    `insert into mailbox (lane, next_no) select id, 2 from lifecycle where id like 'license-000-%7';
     insert into change (id, command_id, operation, lifecycle_id, lane, mailbox_no, caller_party, caller_subject,
                         participant, ledger_user, act_as, body, fingerprint, state, accepted_at, deduplication_offset)
     select gen_random_uuid(), 'head-' || id, 'renew-license', id, lane, 1, '${BIG}', 'heads', 'elsewhere', 'u', '${BIG}',
            '{}', 'f', 'submitting', now(), 1
     from lifecycle where id like 'license-000-%77';
     update lifecycle set state = 'renewing' where id like 'license-000-%77'`,
  );
  const query = { kind: 'license', party: BIG, limit: 50, state: 'renewing' } as const;
  const nodes = await planOf(query);
  const page = await under.store.reads.list(query, io());
  await queryOnce(
    under.url,
    `update lifecycle set state = 'active' where id like 'license-000-%77';
     delete from change where caller_subject = 'heads'`,
  );
  expect(page).toHaveLength(50);
  expect(new Set(page.map(({ lifecycle: { state } }) => state))).toEqual(new Set(['renewing']));
  expect(scannedWhole(nodes)).toEqual([]);
  expect(mostRead(nodes), planText(nodes)).toBeLessThanOrEqual(500);
});
