import { cpus } from 'node:os';
import { Client } from 'pg';
import { Agent, setGlobalDispatcher } from 'undici';
import { table } from '../cli/table.ts';
import { newLicenseKey, hashOfKey } from '../src/domain/license-key.ts';
import { addTenancy, partyOf } from './lists-fill.ts';
import type { Figures } from './load.ts';
import { closedLoop, openLoop, row } from './load.ts';
import { processorTime, startBenchWorld } from './world.ts';
import type { BenchWorld, ProcessorTime } from './world.ts';

/*
 * Measures the licence product of a provider with a million licences: validations by key at a fixed rate and as many as
 * possible, lists, a search, statistics, and a list as CSV. For comparison, the same run measures an answer of the same
 * server that reads nothing (`/livez`).
 *
 *   node bench/product.bench.ts [runs=3] [licences=1000000]
 */

setGlobalDispatcher(new Agent({ connections: 128, pipelining: 1 }));

const RUNS = Number(process.argv[2] ?? 3);
const LICENSES = Number(process.argv[3] ?? 1_000_000);
const USERS = 500;
const KEYS = 5_000;
const RATE = 500;
const SECONDS = 10;
const CALLERS = 20;
const CSV_BYTES_MAX = 20 * 2 ** 20;

/** SQL: the records of the licences, and two years of figures, which the clock would otherwise count for minutes. */
const PRODUCT = `
  insert into license_record (lifecycle_id, provider, app_user, began_at, number, reference)
    select l.id, l.provider, l.app_user, l.created_at, n, 'LIC-' || lpad(n::text, 7, '0')
    from (select *, row_number() over (order by id) + 1000 as n from lifecycle where kind = 'license') l
    on conflict do nothing;
  insert into license_tally (provider, at, began, active, due, renewed)
    select $1, at, 10, 10, 5, 4 from generate_series(now() - interval '2 years', now(), interval '15 minutes') at
    on conflict do nothing;
  insert into revenue_tally (provider, at, instrument_admin, instrument, plan_id, payments, amount, recurring)
    select $1, at, 'DSO', 'Amulet', '', 10, 1000, 10
    from generate_series(now() - interval '2 years', now(), interval '15 minutes') at
    on conflict do nothing;`;

/** Fills the store, and returns the keys of some of its licences. */
async function fill({ state }: BenchWorld): Promise<readonly string[]> {
  const { databaseUrl: url, providerParty } = state;
  await addTenancy(url, {
    name: 'own',
    licenses: LICENSES,
    users: USERS,
    provider: `'${providerParty}'`,
    user: partyOf('customer', `n % ${USERS}`),
  });
  const keys = Array.from({ length: KEYS }, newLicenseKey);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const one of PRODUCT.split(';\n').filter((text) => text.trim() !== '')) {
      await client.query(one, one.includes('$1') ? [providerParty] : []);
    }
    const step = Math.max(1, Math.floor(LICENSES / (KEYS + 1)));
    const ids = await client.query<{ id: string }>(
      `select id from (select id, row_number() over (order by id) as n from lifecycle
                       where kind = 'license' and ended_at is null) l where n % ${step} = 0 limit ${KEYS}`,
    );
    await client.query(
      `insert into license_key (id, license_id, hash, name, by_party, by_subject)
         select 'key_' || k.n, k.id, k.hash, 'bench', $1, 'bench'
         from unnest($2::text[], $3::bytea[]) with ordinality as k(id, hash, n)`,
      [providerParty, ids.rows.map(({ id }) => id), keys.map(hashOfKey).slice(0, ids.rows.length)],
    );
    await client.query('vacuum (analyze) license_record, license_key, license_tally');
    await client.query('checkpoint');
    return keys.slice(0, ids.rows.length);
  } finally {
    await client.end();
  }
}

async function read(url: string, init: RequestInit = {}, bytesMax = Infinity): Promise<number> {
  const answer = await fetch(url, init);
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url}: ${answer.status}`);
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) break;
  }
  return bytes;
}

/** Returns the processor time of one call in Tenure and PostgreSQL, in milliseconds. */
function costOf(before: ProcessorTime, after: ProcessorTime, { count }: Figures): string[] {
  return ['tenure', 'postgres'].map((kind) => {
    const seconds = (after.get(kind) ?? 0) - (before.get(kind) ?? 0);
    return ((seconds * 1_000) / Math.max(1, count)).toFixed(2);
  });
}

async function measured(
  world: BenchWorld,
  name: string,
  load: () => Promise<Figures>,
): Promise<string[]> {
  const before = processorTime(world.pid);
  const figures = await load();
  if (figures.failures > 0) throw new Error(name, { cause: figures.firstError });
  return [...row(name, figures), ...costOf(before, processorTime(world.pid), figures)];
}

/** Measures single reads of the provider, one at a time. */
async function reads(world: BenchWorld, paths: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  for (const path of paths) {
    const headers = { authorization: `Bearer ${await world.token('provider')}` };
    const one = async () => void (await read(`${world.state.apiUrl}${path}`, { headers }));
    rows.push(await measured(world, path, () => closedLoop(1, SECONDS / 4, one)));
  }
  return rows;
}

async function csv(world: BenchWorld): Promise<string> {
  const headers = {
    authorization: `Bearer ${await world.token('provider')}`,
    accept: 'text/csv',
  };
  const began = performance.now();
  const bytes = await read(`${world.state.apiUrl}/licenses`, { headers }, CSV_BYTES_MAX);
  const seconds = (performance.now() - began) / 1_000;
  return `CSV of the licences: ${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds.toFixed(1)} s`;
}

async function measure(world: BenchWorld, keys: readonly string[]): Promise<void> {
  const { apiUrl } = world.state;
  const validate = async (n: number): Promise<void> => {
    const authorization = `License ${keys[n % keys.length]}`;
    await read(`${apiUrl}/licenses/validate`, { method: 'POST', headers: { authorization } });
  };
  const alive = async (): Promise<void> => void (await read(`${apiUrl}/livez`));
  let n = 0;
  const rows = [
    await measured(world, '/livez, 20 callers', () => closedLoop(CALLERS, SECONDS / 2, alive)),
    await measured(world, 'validate, 20 callers', () =>
      closedLoop(CALLERS, SECONDS, () => validate((n += 1))),
    ),
    await measured(world, `validate, ${RATE} per s`, () => openLoop(RATE, SECONDS, validate)),
    ...(await reads(world, [
      '/licenses?limit=50',
      '/licenses?limit=50&search=LIC-00099',
      '/licenses?limit=50&total=true',
      '/stats/licenses?groupBy=month',
      '/stats/revenue?groupBy=month',
    ])),
  ];
  const heads = ['what', 'per s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'failures'];
  console.log(table([...heads, 'Tenure ms', 'PostgreSQL ms'], rows));
  console.log(await csv(world));
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}, ${RUNS} runs`);
await using world = await startBenchWorld();
const began = performance.now();
const keys = await fill(world);
console.log(`${LICENSES} licences in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
for (let run = 1; run <= RUNS; run += 1) {
  console.log(`\nRun ${run}`);
  await measure(world, keys);
}
