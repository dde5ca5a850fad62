import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { Client } from 'pg';
import type { Pool } from 'pg';
import { fetchToken } from '../cli/commands/token.ts';
import type { DemoCaller } from '../cli/demo-callers.ts';
import { table } from '../cli/table.ts';
import type { Io } from '../src/app/ports/io.ts';
import type { Reads } from '../src/app/ports/reads.ts';
import type { ListQuery } from '../src/app/ports/views.ts';
import { listKeyOf } from '../src/app/ports/views.ts';
import type { Party } from '../src/domain/ids.ts';
import { trusted } from '../src/domain/ids.ts';
import { templateFqn } from '../src/domain/ledger.ts';
import { ALLOCATION, LICENSE, LICENSE_RENEWAL_REQUEST } from '../src/domain/licensing.ts';
import { writeCursor } from '../src/http/kit/cursor.ts';
import { createLists, listPage } from '../src/store/engine/lists.ts';
import { closePool, openPool } from '../src/store/sql/pool.ts';
import { ALLOCATIONS, RENEWALS } from '../src/store/engine/settlements.ts';
import { addTenancy, partyOf } from './lists-fill.ts';
import { closedLoop, row } from './load.ts';
import { familyOf, kindOf, startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * Measures lists of a provider with 100,000 licences, a fifth of which have an open renewal, in the database and over
 * HTTP: pages of 50, and the whole array. It measures twice: first with little data of other tenants, then with ten
 * times as much. Each time, it also measures a single query that joins payloads and is filtered in memory, because the
 * reference's backend answers in this way.
 *
 *   node bench/lists.bench.ts [runs=3] [licences of others=20000]
 */

const RUNS = Number(process.argv[2] ?? 3);
const OTHERS = Number(process.argv[3] ?? 20_000);
const LICENSES = 100_000;
const USERS = 500;
const PAGE = 50;
const SECONDS = 1.5;

const io: Io = { signal: new AbortController().signal, deadlineMs: 120_000 };

type Lists = Pick<Reads, 'list' | 'listAll'>;
type Case = readonly [name: string, path: string, query: Omit<ListQuery, 'limit'>];

/** Returns the measured requests, for the store and for the API. */
async function casesOf(reads: Lists, provider: Party, user: Party): Promise<readonly Case[]> {
  const own = { kind: 'license', party: provider } as const;
  let seen = 0;
  let after: ReturnType<typeof listKeyOf> | undefined;
  for await (const { lifecycle } of reads.listAll(own, io)) {
    seen += 1;
    if (seen < LICENSES * 0.9) continue;
    after = listKeyOf(lifecycle);
    break;
  }
  if (after === undefined) throw new Error(`there are ${seen} licences only`);
  const cursor = `&cursor=${writeCursor(after)}`;
  const soon = '2026-01-01T00:30:00Z';
  return [
    ['first page', '/licenses?', own],
    ['after 90,000', `/licenses?${cursor}`, { ...own, after }],
    ['one user', `/licenses?user=${encodeURIComponent(user)}`, { ...own, appUser: user }],
    ['a state that few are in', '/licenses?state=expiring', { ...own, state: 'expiring' }],
    ['ends soon', `/licenses?expiresBefore=${soon}`, { ...own, expiresBefore: soon }],
    [
      'ends soon, after 90,000',
      `/licenses?expiresBefore=2026-01-10T00:00:00Z${cursor}`,
      { ...own, expiresBefore: '2026-01-10T00:00:00Z', after },
    ],
    ['renewals', '/license-renewal-requests?', { kind: 'renewal', party: provider }],
    ['as the user', '/licenses?', { kind: 'license', party: user }],
  ];
}

async function pagesAtDatabase(reads: Lists, cases: readonly Case[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, , query] of cases) {
    const page = async () => void (await reads.list({ ...query, limit: PAGE }, io));
    await closedLoop(1, SECONDS / 5, page);
    rows.push(row(`store: ${name}`, await closedLoop(1, SECONDS, page)));
  }
  return rows;
}

/** Reads an answer to its end. @returns its size in bytes */
async function drain(url: string, token: string): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url}: ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body) bytes += chunk.byteLength;
  return bytes;
}

/** Fetches a new token for each use, because a token expires before the run ends. */
async function tokenFor({ state }: BenchWorld, who: DemoCaller): Promise<string> {
  if (state.localnet === null) throw new Error('the bench needs LocalNet');
  return fetchToken(state.localnet, who);
}

async function pagesOverHttp(world: BenchWorld, cases: readonly Case[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, path] of cases) {
    const token = await tokenFor(world, name === 'as the user' ? 'user' : 'provider');
    const url = `${world.state.apiUrl}${path}&limit=${PAGE}`;
    const page = async () => void (await drain(url, token));
    await closedLoop(1, SECONDS / 5, page);
    rows.push(row(`HTTP: ${name}`, await closedLoop(1, SECONDS, page)));
  }
  return rows;
}

/**
 * Returns the resident memory of a process in MiB: with `VmRSS` the present value, with `VmHWM` the maximum since the
 * last reset.
 */
const residentMiB = (pid: number, what: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'mu').exec(status)?.[1] ?? 0) / 1024;
};

/** Requests the whole array for several readers at the same time. */
async function wholeArray(world: BenchWorld, readers: number): Promise<string[]> {
  const pid = familyOf(world.pid).find((one) => kindOf(one) === 'tenure') ?? world.pid;
  const token = await tokenFor(world, 'provider');
  const before = residentMiB(pid, 'VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const began = performance.now();
  const url = `${world.state.apiUrl}/licenses`;
  const sizes = await Promise.all(Array.from({ length: readers }, () => drain(url, token)));
  const seconds = (performance.now() - began) / 1000;
  return [
    `${readers} at once`,
    seconds.toFixed(1),
    ((LICENSES * readers) / seconds).toFixed(0),
    (sizes[0]! / 2 ** 20).toFixed(0),
    before.toFixed(0),
    residentMiB(pid, 'VmHWM').toFixed(0),
  ];
}

/**
 * SQL: all licences of the caller with their renewals and allocations. The query joins payloads by number, user and
 * request.
 */
const JOIN = `
  select l.contract_id, l.payload, r.contract_id as renewal_id, r.payload as renewal, a.contract_id as allocation_id
  from active('${templateFqn(LICENSE)}') l
    left join active('${templateFqn(LICENSE_RENEWAL_REQUEST)}') r
      on r.payload ->> 'licenseNum' = l.payload ->> 'licenseNum' and r.payload ->> 'user' = l.payload ->> 'user'
    left join active('${templateFqn(ALLOCATION)}') a
      on a.payload #>> '{allocation,settlement,settlementRef,id}' = r.payload ->> 'requestId'
      and a.payload #>> '{allocation,transferLeg,sender}' = r.payload ->> 'user'
  where l.payload ->> 'user' = $1 or l.payload ->> 'provider' = $1`;

/**
 * Returns a page as a backend without pages would do it: reads everything, sorts it in memory, and cuts the page out.
 */
async function joined(pool: Pool, party: Party): Promise<string[]> {
  const began = performance.now();
  const { rows } = await pool.query<{ payload: { user: string; licenseNum: string } }>(JOIN, [
    party,
  ]);
  const page = rows
    .toSorted(
      ({ payload: a }, { payload: b }) =>
        a.user.localeCompare(b.user) || Number(a.licenseNum) - Number(b.licenseNum),
    )
    .slice(0, PAGE);
  const ms = performance.now() - began;
  return [String(rows.length), String(page.length), ms.toFixed(0)];
}

async function printPlan(
  client: Client,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<void> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, buffers) ${text}`,
    [...values],
  );
  console.log(`\nPlan: ${name}`);
  for (const line of rows) console.log(`  ${line['QUERY PLAN']}`);
}

/** Prints PostgreSQL's plans for a page of licences, for their renewals, and for their allocations. */
async function printPlans(url: string, reads: Lists, cases: readonly Case[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, , query] of cases) {
      const page = listPage({ ...query, limit: PAGE })?.compile();
      if (page !== undefined) await printPlan(client, name, page.sql, page.parameters);
    }
    const page = await reads.list({ ...cases[0]![2], limit: PAGE }, io);
    const numbers = page.map(({ lifecycle }) => ({
      provider: lifecycle.provider,
      app_user: lifecycle.appUser,
      license_num: String(lifecycle.licenseNum),
    }));
    await printPlan(client, 'renewals of a page', RENEWALS.text, [JSON.stringify(numbers)]);
    const asked = page.flatMap(({ renewals }) =>
      renewals.map(({ lifecycle, payload }) => ({
        contract_id: lifecycle.contractId,
        request_id: payload['requestId'],
        sender: lifecycle.appUser,
      })),
    );
    await printPlan(client, 'allocations of a page', ALLOCATIONS.text, [JSON.stringify(asked)]);
  } finally {
    await client.end();
  }
}

async function measure(world: BenchWorld, pool: Pool, cases: readonly Case[]): Promise<void> {
  const { providerParty } = world.state;
  const reads = createLists(pool);
  for (let run = 1; run <= RUNS; run += 1) {
    console.log(`\nRun ${run}: pages of ${PAGE}, one at a time`);
    const rows = [...(await pagesAtDatabase(reads, cases)), ...(await pagesOverHttp(world, cases))];
    console.log(table(['what', 'per s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'failures'], rows));
    console.log('\nThe whole array over HTTP');
    const whole = [await wholeArray(world, 1), await wholeArray(world, 4)];
    console.log(
      table(['readers', 's', 'entries/s', 'MiB each', 'RSS before', 'peak RSS MiB'], whole),
    );
    console.log('\nBeside it: everything joined on payloads, and a page cut from it');
    const peer = await joined(pool, trusted(providerParty));
    console.log(table(['rows', 'page', 'ms'], [peer]));
  }
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}, ${RUNS} runs`);

await using world = await startBenchWorld();
const { databaseUrl: url, providerParty, localnet } = world.state;
const userParty = localnet?.userParty ?? '';
const provider = trusted<Party>(providerParty);
await addTenancy(url, {
  name: 'own',
  licenses: LICENSES,
  users: USERS,
  provider: `'${providerParty}'`,
  // One of the users is the demo user, so that the list of this user can be requested over HTTP.
  user: `case n % ${USERS} when 77 then '${userParty}' else ${partyOf('customer', `n % ${USERS}`)} end`,
});
const pool = await openPool({
  url,
  max: 2,
  pipelined: true,
  applicationName: 'tenure-bench',
  signal: io.signal,
});
try {
  const reads = createLists(pool);
  const cases = await casesOf(reads, provider, trusted(userParty));
  let others = 0;
  for (const [name, more] of [
    ['few', OTHERS],
    ['many', OTHERS * 9],
  ] as const) {
    await addTenancy(url, {
      name,
      licenses: more,
      users: USERS,
      provider: partyOf('another-provider', 'n % 20'),
      user: partyOf(`a-user-of-${name}`, `n % ${USERS}`),
    });
    others += more;
    console.log(`\n== ${LICENSES} licences of the provider, ${others} of other tenants`);
    await measure(world, pool, cases);
  }
  await printPlans(url, reads, cases);
} finally {
  await closePool(pool, 10_000);
}
