/*
 * Measures how much space a store with very many operations takes, and what is slower on it. A Tenure leads forty
 * licences through two renewals each. The resulting rows are copied with other IDs, offsets and times
 * (`bench/storage-fill.ts`). All indexes exist during the copy, so that they grow as they do in use. Then Tenure is
 * started again on the filled store.
 *
 *   node bench/storage.bench.ts [operations=100000] [--tables change,…] [--kept] [--bulk] [--folder …]
 *
 * --tables fills only these, so that they can be larger than the space for all tables permits --kept first deletes what
 * retention deletes of an operation after all retention periods have passed --bulk creates the indexes afterwards,
 * which is faster; they are then packed as after a REINDEX
 *
 * An operation takes 23 KiB: a million need 22 GiB in the folder, and ten minutes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { table } from '../cli/table.ts';
import { USUAL_PRICE } from '../localnet/ledger/traffic.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { leadLives } from './licence-lives.ts';
import { askStore } from './storage-ask.ts';
import type { Template } from './storage-fill.ts';
import { addCopies, continueEvents, readTemplates } from './storage-fill.ts';
import { pruneAll, pruneSome } from './storage-prune.ts';
import { startBenchWorld } from './world.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tables: { type: 'string' },
    kept: { type: 'boolean', default: false },
    bulk: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
  },
});
const OPERATIONS = Number(positionals[0] ?? 100_000);
/** Sizes are measured when these fractions of all operations have been added. */
const LOOKS = given.bulk ? [1] : [0.1, 0.3, 1];
/** The number of copies that one statement adds. */
const BATCH = 50;
const SETTLE_MS = 3_000;

interface Size {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly indexBytes: number;
}

const SIZES = `
  select relname as name, pg_table_size(oid)::float8 as bytes, pg_indexes_size(oid)::float8 as "indexBytes",
         reltuples::float8 as rows
  from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname = any ($1)
  order by pg_total_relation_size(oid) desc`;

const KIB = 1_024;
const GIB = 2 ** 30;

/** Returns the growth since an earlier measurement. */
const since = (before: readonly Size[], now: readonly Size[]): Size[] =>
  now.map(({ name, rows, bytes, indexBytes }) => {
    const then = before.find((one) => one.name === name);
    return {
      name,
      rows: rows - (then?.rows ?? 0),
      bytes: bytes - (then?.bytes ?? 0),
      indexBytes: indexBytes - (then?.indexBytes ?? 0),
    };
  });

/** Returns a table with KiB per operation, for each table and in total. */
function sizesTable(sizes: readonly Size[], operations: number): string {
  const all = {
    name: 'together',
    rows: 0,
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    indexBytes: sizes.reduce((sum, { indexBytes }) => sum + indexBytes, 0),
  };
  const rows = [...sizes, all].map(({ name, rows: count, bytes, indexBytes }) => [
    name,
    count <= 0 ? '' : (count / operations).toFixed(2),
    (bytes / operations / KIB).toFixed(2),
    (indexBytes / operations / KIB).toFixed(2),
    ((bytes + indexBytes) / GIB).toFixed(2),
  ]);
  return table(['table', 'rows of an operation', 'KiB', 'KiB of indexes', 'GiB in all'], rows);
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1_000).toFixed(0);

/** Drops the indexes that no constraint needs. They are created again afterwards. @returns their definitions */
async function dropIndexes(client: Client, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes i
     where tablename = any ($1) and not exists (select from pg_constraint c where c.conname = i.indexname)`,
    [names],
  );
  for (const { indexname } of rows) await client.query(`drop index "${indexname}"`);
  return rows.map(({ indexdef }) => indexdef);
}

/** Fills the store, and prints its size at several moments. */
async function fill(client: Client, templates: readonly Template[], each: number): Promise<void> {
  const total = Math.max(1, Math.round(OPERATIONS / each));
  const names = templates.map(({ table: name }) => name);
  const sizes = async () => (await client.query<Size>(SIZES, [names])).rows;
  await client.query('vacuum (analyze)');
  const before = await sizes();
  const began = performance.now();
  const dropped = given.bulk ? await dropIndexes(client, names) : [];
  let done = 0;
  for (const look of LOOKS) {
    const upTo = Math.max(1, Math.round(total * look));
    while (done < upTo) {
      const to = Math.min(upTo, done + BATCH);
      await addCopies(client, templates, { from: done + 1, to, total });
      done = to;
    }
    const filled = done * each;
    console.log(`\n${filled} operations, filled in ${seconds(began)} s`);
    await client.query(`set maintenance_work_mem = '512MB'`);
    for (const index of dropped) await client.query(index);
    if (given.bulk) console.log(`with indexes: ${seconds(began)} s`);
    const vacuumed = performance.now();
    for (const name of names) await client.query(`vacuum (analyze) "${name}"`);
    console.log(`vacuum and analyse: ${seconds(vacuumed)} s`);
    console.log(sizesTable(since(before, await sizes()), filled));
  }
}

const dataDir = await mkdtemp(join(given.folder, 'tenure-bench-storage-'));
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(dataDir, { recursive: true, force: true }));
const signal = new AbortController().signal;
const env = {
  TENURE_KEEP_CHANGES_DAYS: '0',
  TENURE_KEEP_EVENTS_DAYS: '0',
  TENURE_KEEP_CONTRACTS_DAYS: '0',
};
const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}`);

interface Lived {
  readonly templates: readonly Template[];
  readonly operations: number;
}

/**
 * SQL: the traffic that LocalNet charges at its default price, which consists of a base price for each request and a
 * price for each of its bytes.
 */
const TRAFFIC = `
  select c.operation, count(*)::int as count, avg(a.cost)::int as cost, max(a.cost)::int as most
  from change c join attempt a on a.change_id = c.id group by 1 order by 1`;

async function trafficTable(client: Client): Promise<string> {
  const { rows } = await client.query<{
    operation: string;
    count: number;
    cost: number;
    most: number;
  }>(TRAFFIC);
  const { baseCost, costPerByte } = USUAL_PRICE;
  const lines = rows.map(({ operation, count, cost, most }) => [
    operation,
    String(count),
    String(cost),
    String(most),
    ((cost - baseCost) / costPerByte).toFixed(0),
  ]);
  return table(['operation', 'of them', 'traffic', 'most', 'bytes submitted'], lines);
}

async function liveOnce(): Promise<Lived> {
  await using world = await startBenchWorld({ dataDir, env });
  const { operations, licenses } = await leadLives(world);
  console.log(`${operations} real operations on ${licenses} licences`);
  // Waits until the latest events have been numbered.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const client = new Client({ connectionString: world.state.databaseUrl });
  await client.connect();
  console.log(await trafficTable(client));
  if (given.kept) await pruneAll(world.state.databaseUrl);
  const all = await readTemplates(client);
  await client.query('vacuum (analyze)');
  await client.end();
  console.log(`\nAsked of a store that has these alone:\n${await askStore(world)}`);
  const only = given.tables?.split(',');
  const templates = only === undefined ? all : all.filter((one) => only.includes(one.table));
  return { templates, operations };
}

async function fillOnce({ templates, operations }: Lived): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(dataDir, 'postgres'),
    durability: 'none',
    signal,
  });
  const client = new Client({ connectionString: postgres.url });
  try {
    await client.connect();
    await fill(client, templates, operations);
    await continueEvents(client);
    const isWhole = given.tables === undefined && !given.kept;
    if (isWhole) console.log(await pruneSome(client, postgres.url));
    await client.query('checkpoint');
  } finally {
    await client.end();
    await postgres.stop();
  }
}

await fillOnce(await liveOnce());
await using world = await startBenchWorld({ dataDir, env });
console.log(`\nAsked of the filled store:\n${await askStore(world)}`);
