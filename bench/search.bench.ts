/*
 * Measures searches over a million finished operations: a page of 50 for each filter, for several filters together and
 * for tenants' operators, and counts. It uses the API's own statements and transactions, on PostgreSQL in a temporary
 * folder. For comparison, the same run measures a query with a single condition, which does not use Tenure's indexes
 * and counts all matches.
 *
 *   node bench/search.bench.ts [operations=1000000] [seconds for each=1]
 */
import { NEWEST_MODEL } from '../src/app/licensing/model.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { table } from '../cli/table.ts';
import type { ChangeFilter } from '../src/domain/change-filter.ts';
import type { ChangePosition } from '../src/app/desk/change-search.ts';
import { timeWindow } from '../src/app/desk/time-window.ts';
import type { OpsScope } from '../src/app/ports/ops-scope.ts';
import type { Io } from '../src/app/ports/io.ts';
import type { TimeGrouping } from '../src/domain/grouping.ts';
import { trusted } from '../src/domain/ids.ts';
import { createChangeSearch } from '../src/store/desk/change-search.ts';
import { createFailureList } from '../src/store/desk/failure-list.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { migrate } from '../src/store/sql/migrate.ts';
import { closePool, openPool } from '../src/store/sql/pool.ts';
import { closedLoop } from './load.ts';
import {
  BUSY,
  POLICY,
  PROVIDER,
  SPOKEN_FOR,
  contractOf,
  fillChanges,
  fingerprintOf,
  lifecycleOf,
  userNo,
} from './search-fill.ts';

const CHANGES = Number(process.argv[2] ?? 1_000_000);
const SECONDS = Number(process.argv[3] ?? 1);
const PAGE = 50;

const signal = new AbortController().signal;
const io: Io = { signal, deadlineMs: 60_000 };
const PROVIDERS: OpsScope = { of: 'provider', party: trusted<OpsScope['party']>(PROVIDER) };

await using stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'tenure-bench-search-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), signal });
stack.defer(() => postgres.stop());
const { url } = postgres;
await migrate({ url, signal });
const client = new Client({ connectionString: url });
await client.connect();
stack.defer(() => client.end());
const began = performance.now();
await fillChanges(client, CHANGES);
const [cpu] = cpus();
console.log(
  `${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}; ${CHANGES} operations made in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
);

/** Returns the value of an SQL expression. */
async function made(expression: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>(`select (${expression})::text as value`);
  return rows[0]?.value ?? '';
}

const middle = Math.floor(CHANGES / 2);
const [user, lifecycle, contract, rare, common, halfway, { id: halfwayId }] = [
  await made(userNo('77')),
  await made(lifecycleOf(String(Math.floor(middle / 5)))),
  await made(contractOf(String(Math.floor(middle / 5)))),
  await made(fingerprintOf('0')),
  await made(fingerprintOf('7')),
  await made(
    `to_char((now() - ${middle} * interval '30 s') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  ),
  { id: await made(`md5('change ' || ${middle})::uuid`) },
];
const after: ChangePosition = { acceptedAt: halfway, id: halfwayId };

/** Returns the scope of a tenant's operators. */
const tenant = async (user: number): Promise<OpsScope> => ({
  of: 'caller',
  party: trusted(await made(userNo(String(user)))),
});
const [busy, spokenFor, nobody] = [await tenant(BUSY), await tenant(SPOKEN_FOR), await tenant(-1)];

type Case = readonly [
  name: string,
  filter: ChangeFilter,
  /** A single condition on the table that finds the same operations. */
  plain: string,
  position?: {
    readonly after?: ChangePosition;
    readonly order?: 'ascending';
    readonly scope?: OpsScope;
  },
];
const CASES: readonly Case[] = [
  ['nothing', {}, 'true'],
  ['nothing, after half of them', {}, `accepted_at < '${halfway}'`, { after }],
  ['nothing, oldest first', {}, 'true', { order: 'ascending' }],
  ['state: rejected (10 %)', { states: ['rejected'] }, `state = 'rejected'`],
  ['state: failed (50)', { states: ['failed'] }, `state = 'failed'`],
  [
    'class: refused',
    { classes: ['refused'] },
    `failure in (select fingerprint from failure where class = 'refused')`,
  ],
  [
    'class: busy (50)',
    { classes: ['busy'] },
    `failure in (select fingerprint from failure where class = 'busy')`,
  ],
  ['code', { code: 'CODE_3' }, `error ->> 'ledgerCode' = 'CODE_3'`],
  ['code (50)', { code: 'BUDGET_SPENT' }, `error ->> 'code' = 'BUDGET_SPENT'`],
  ['party', { party: trusted(user) }, `app_user = '${user}'`],
  ['lifecycle', { lifecycle: trusted(lifecycle) }, `lifecycle_id = '${lifecycle}'`],
  [
    'contract of an attempt',
    { contractId: trusted(contract) },
    `id in (select change_id from attempt where contract_id = '${contract}')`,
  ],
  ['command ID', { command: { id: trusted('mine-500002') } }, `command_id = 'mine-500002'`],
  [
    'command ID begins so (33 %)',
    { command: { prefix: 'tenure:expire:' } },
    `command_id like 'tenure:expire:%'`,
  ],
  [
    'command ID begins so (the oldest 1 %)',
    { command: { prefix: 'import-' } },
    `command_id like 'import-%'`,
  ],
  [
    'command ID begins so (11)',
    { command: { prefix: 'mine-50000' } },
    `command_id like 'mine-50000%'`,
  ],
  ['older than half of them', { before: halfway }, `accepted_at < '${halfway}'`],
  [
    'newer than half, oldest first',
    { from: halfway },
    `accepted_at >= '${halfway}'`,
    { order: 'ascending' },
  ],
  ['by a policy (33 %)', { by: POLICY }, `caller_subject = '${POLICY}'`],
  ['policy (33 %)', { policy: 'expiry' }, `fixed #>> '{policy,name}' = 'expiry'`],
  ['policy (333)', { policy: 'renewal' }, `fixed #>> '{policy,name}' = 'renewal'`],
  ['by a person (133)', { by: 'rarely' }, `caller_subject = 'rarely'`],
  ['operation', { operations: ['expire-license'] }, `operation = 'expire-license'`],
  ['operation (0.1 %)', { operations: ['withdraw-renewal'] }, `operation = 'withdraw-renewal'`],
  ['failure', { failure: common }, `failure = '${common}'`],
  ['failure (50)', { failure: rare }, `failure = '${rare}'`],
  [
    'party, state, person and time',
    { party: trusted(user), states: ['succeeded'], by: 'person-27', before: halfway },
    `app_user = '${user}' and state = 'succeeded' and caller_subject = 'person-27' and accepted_at < '${halfway}'`,
  ],
  [
    'command ID begins so, and rejected',
    { command: { prefix: 'import-' }, states: ['rejected'] },
    `command_id like 'import-%' and state = 'rejected'`,
  ],
  [
    'command ID begins so (33 %), and failed (16)',
    { command: { prefix: 'tenure:expire:' }, states: ['failed'] },
    `command_id like 'tenure:expire:%' and state = 'failed'`,
  ],
  [
    'command ID begins so (33 %), and party',
    { command: { prefix: 'tenure:expire:' }, party: trusted(user) },
    `command_id like 'tenure:expire:%' and app_user = '${user}'`,
  ],
  [
    'command ID begins so (the older 7 %)',
    { command: { prefix: 'mine-1' } },
    `command_id like 'mine-1%'`,
  ],
  ['command ID begins so (none)', { command: { prefix: 'none' } }, `command_id like 'none%'`],
  [
    'class: refused, by a policy',
    { classes: ['refused'], by: POLICY },
    `failure in (select fingerprint from failure where class = 'refused') and caller_subject = '${POLICY}'`,
  ],
  [
    'class: busy, by a policy, older than half',
    { classes: ['busy'], by: POLICY, before: halfway },
    `failure in (select fingerprint from failure where class = 'busy') and caller_subject = '${POLICY}' and accepted_at < '${halfway}'`,
  ],
  [
    'rejected, by a person (none)',
    { states: ['rejected'], by: 'rarely' },
    `state = 'rejected' and caller_subject = 'rarely'`,
  ],
  [
    'operation, failed',
    { operations: ['expire-license'], states: ['failed'] },
    `state = 'failed' and (operation = 'expire-license' or failure is not null)`,
  ],
  ['cancelled (none)', { states: ['cancelled'] }, `state = 'cancelled'`],
  ['by nobody', { by: 'nobody' }, `caller_subject = 'nobody'`],
  [
    'party and person (none)',
    { party: trusted(user), by: 'rarely' },
    `app_user = '${user}' and caller_subject = 'rarely'`,
  ],
  ['tenant of 33 000: nothing', {}, 'true', { scope: busy }],
  [
    'tenant of 33 000: command ID begins so',
    { command: { prefix: 'mine-' } },
    `command_id like 'mine-%'`,
    { scope: busy },
  ],
  ['tenant of 67, 50 000 about it: nothing', {}, 'true', { scope: spokenFor }],
  [
    'tenant of 67, 50 000 about it: rejected (none)',
    { states: ['rejected'] },
    `state = 'rejected'`,
    { scope: spokenFor },
  ],
  ['tenant of none: nothing', {}, 'true', { scope: nobody }],
];

const pool = await openPool({ url, max: 2, applicationName: 'bench', pipelined: true, signal });
stack.defer(() => closePool(pool, 5_000));
const search = createChangeSearch(pool, NEWEST_MODEL.names);
await client.query(
  'set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off',
);

async function plainly(
  { of, party }: OpsScope,
  condition: string,
  order: string,
): Promise<[ms: number, count: number]> {
  const own = of === 'provider' ? 'provider' : 'caller_party';
  const before = performance.now();
  await client.query(
    `select * from change where ${own} = $1 and ${condition} order by accepted_at ${order}, id ${order} limit ${PAGE}`,
    [party],
  );
  const paged = performance.now() - before;
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from change where ${own} = $1 and ${condition}`,
    [party],
  );
  return [paged, Number(rows[0]?.count ?? 0)];
}

const ms = (value: number): string => value.toFixed(1);
let slowest = 0;

async function measure([name, filter, plain, position = {}]: Case): Promise<string[]> {
  const query = {
    scope: PROVIDERS,
    filter,
    order: 'descending' as const,
    ...position,
    limit: PAGE + 1,
  };
  const { scope } = query;
  const first = performance.now();
  const found = await search.find(query, io);
  const firstMs = performance.now() - first;
  const page = await closedLoop(1, SECONDS, async () => void (await search.find(query, io)));
  const count = await closedLoop(1, SECONDS / 4, async () => {
    await search.count({ scope, filter, groupBy: null }, io);
  });
  // If a search matches more operations than can be counted in time, it is refused.
  const total = await search.count({ scope, filter, groupBy: null }, io).then(
    (counts) => counts.total,
    () => null,
  );
  const [plainMs, all] = await plainly(scope, plain, query.order === 'descending' ? 'desc' : 'asc');
  // The count must equal the number of matches, up to the maximum of a count.
  const isRight =
    position.after !== undefined ||
    total === null ||
    (total.more ? all > total.count : all === total.count);
  if (!isRight || found.length !== Math.min(PAGE + 1, all)) {
    throw new Error(`${name}: ${JSON.stringify(total)} and a page of ${found.length}, of ${all}`);
  }
  slowest = Math.max(slowest, page.p95);
  return [
    name,
    total === null ? 'refused' : `${total.more ? '> ' : ''}${total.count}`,
    ms(firstMs),
    ms(page.p50),
    ms(page.p95),
    ms(count.p50),
    ms(plainMs),
  ];
}

const rows: string[][] = [];
for (const one of CASES) rows.push(await measure(one));
console.log(
  table(['filter', 'counted', 'first ms', 'page p50', 'page p95', 'count p50', 'plain ms'], rows),
);

const groups: string[][] = [];
for (const groupBy of ['state', 'class', 'code', 'operation', 'party', 'by', 'failure'] as const) {
  const query = { scope: PROVIDERS, filter: {}, groupBy };
  const one = await closedLoop(1, SECONDS, async () => void (await search.count(query, io)));
  groups.push([`counts by ${groupBy}`, ms(one.p50), ms(one.p95)]);
}
const DAY_MS = 86_400_000;
const BY_TIME: readonly (readonly [string, OpsScope, ChangeFilter, TimeGrouping, number])[] = [
  ['a day of hours', PROVIDERS, {}, 'hour', 1],
  ['two weeks of hours', PROVIDERS, {}, 'hour', 13],
  ['two weeks of hours, failed', PROVIDERS, { states: ['failed'] }, 'hour', 13],
  ['400 days', PROVIDERS, {}, 'day', 399],
  ['400 days, a person', PROVIDERS, { by: 'person-7' }, 'day', 399],
  ['400 days, tenant of 33 000', busy, {}, 'day', 399],
];
for (const [name, scope, filter, unit, days] of BY_TIME) {
  const from = new Date(Date.now() - days * DAY_MS).toISOString();
  const window = timeWindow({ ...filter, from }, unit, Date.now());
  const one = await closedLoop(1, SECONDS, async () => {
    await search.countByTime({ scope, window }, io);
  });
  groups.push([`counts by ${unit}, ${name}`, ms(one.p50), ms(one.p95)]);
}
const failures = createFailureList(pool);
const listed = await closedLoop(1, SECONDS, async () => {
  await failures.list({ scope: PROVIDERS, limit: PAGE + 1 }, io);
});
groups.push(['failures, a page', ms(listed.p50), ms(listed.p95)]);
const counting = performance.now();
await client.query('select state, count(*) from change group by state');
groups.push(['count(*) by state, plainly', ms(performance.now() - counting), '']);
console.log(table(['what', 'p50 ms', 'p95 ms'], groups));
console.log(`slowest page, p95: ${ms(slowest)} ms; the aim is 50 ms`);
