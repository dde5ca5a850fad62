import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { emptyStore } from './query-store-rows.ts';
import type { PlanNode } from '../kit/query-plan.ts';
import { nodesOf } from '../kit/query-plan.ts';

/*
 * PostgreSQL inlines the functions into the query that calls them. So the conditions of the query can use the store's
 * indexes, and no query reads history for which it does not ask. The tests check how many rows are read from 30 000
 * contracts, nine of ten of them archived.
 */

const CONTRACTS = 30_000;

const store = await forFile(emptyStore());
await store.rows(
  `insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
   select 'lic:Lic:' || name, 'lic', 'Lic', name, 'template' from unnest(array['License', 'Install', 'Request']) name`,
);
await store.rows(
  `insert into contract (contract_id, template_fqn, payload, package_id, package_name, created_at_offset,
     created_node_id, created_effective_at, archived_at_offset, archived_node_id, archived_effective_at)
   select 'c' || i, 'lic:Lic:' || (array['License', 'License', 'License', 'License', 'Install', 'Request'])[1 + i % 6],
     jsonb_build_object('provider', 'provider-' || i % 5, 'user', 'user-' || i % 2000),
     'pkg', 'lic', i, 0, now(),
     case when i % 10 > 0 then i + 50 end, case when i % 10 > 0 then 1 end, case when i % 10 > 0 then now() end
   from generate_series(1, $1::int) i`,
  CONTRACTS,
);
await store.rows(
  `insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, consuming,
     last_descendant_node_id, effective_at, package_name)
   select archived_at_offset, 0, contract_id, template_fqn, 'Archive', '{}', true, 1, now(), 'lic'
   from contract where archived_at_offset is not null`,
);
await store.rows(
  `insert into query_store_offset (stream, "offset", oldest_offset) values ('updates', $1::int + 100, 0)`,
  CONTRACTS,
);
await store.rows('analyze');

interface Reading {
  /** The indexes with which the large tables were read; `Seq Scan` for a full scan. */
  readonly by: readonly string[];
  /** How many rows of the large tables were read. */
  readonly rowsRead: number;
}

async function readingOf(sql: string): Promise<Reading> {
  const [explained] = await store.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${sql}`,
  );
  const nodes = nodesOf(explained!['QUERY PLAN'][0].Plan);
  const scans = nodes.filter((node) =>
    ['contract', 'exercise'].includes(node['Relation Name'] ?? ''),
  );
  const through = nodes.filter((node) => node['Node Type'] === 'Bitmap Index Scan');
  const names = [...scans, ...through]
    .filter((node) => node['Node Type'] !== 'Bitmap Heap Scan')
    .map((node) => node['Index Name'] ?? node['Node Type']);
  const rowsRead = scans.map(
    (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
  );
  return {
    by: [...new Set(names)].sort(),
    rowsRead: rowsRead.reduce((sum, rows) => sum + rows, 0),
  };
}

test.each([
  {
    what: 'the active licences of a user',
    sql: `select * from active('License') where payload ->> 'user' = 'user-10'`,
    by: ['contract_active_user', 'contract_archived'],
    rowsMax: 50,
  },
  {
    what: 'the active installs of a provider',
    sql: `select * from active('Lic:Install') where payload ->> 'provider' = 'provider-0'`,
    by: ['contract_active_provider', 'contract_archived'],
    rowsMax: CONTRACTS / 10,
  },
  {
    what: 'one active contract',
    sql: `select * from active('License') where contract_id = 'c20'`,
    by: ['contract_pkey'],
    rowsMax: 2,
  },
  {
    what: 'the active licences of a user a moment ago',
    sql: `select * from active('License', ${CONTRACTS - 100}) where payload ->> 'user' = 'user-10'`,
    by: ['contract_active_user', 'contract_archived'],
    rowsMax: 300,
  },
  {
    what: 'one contract, archived or not',
    sql: `select * from lookup_contract('c21')`,
    by: ['contract_pkey'],
    rowsMax: 1,
  },
  {
    what: 'what was created in a range',
    sql: `select * from creates('License', 20000, 20010)`,
    by: ['contract_created'],
    rowsMax: 11,
  },
  {
    what: 'what was archived in a range',
    sql: `select * from archives(null, 20000, 20010)`,
    by: ['contract_archived'],
    rowsMax: 11,
  },
  {
    what: 'what was exercised in a range',
    sql: `select * from exercises(null, 20000, 20010)`,
    by: ['exercise_pkey'],
    rowsMax: 11,
  },
  {
    what: 'what was exercised on a contract',
    sql: `select * from lookup_exercises('c21')`,
    by: ['exercise_contract'],
    rowsMax: 1,
  },
])('$what: by $by, at most $rowsMax rows', async ({ sql, by, rowsMax }) => {
  const reading = await readingOf(sql);
  expect(reading.by).toEqual(by);
  expect(reading.rowsRead).toBeLessThanOrEqual(rowsMax);
});

test('all that is active is read without what is archived', async () => {
  for (const sql of [`select count(*) from active('License')`, 'select * from summary_active()']) {
    const reading = await readingOf(sql);
    expect(reading.by).not.toContain('Seq Scan');
    expect(reading.rowsRead).toBeLessThanOrEqual(CONTRACTS / 10);
  }
});
