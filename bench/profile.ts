import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector/promises';
import { join, resolve } from 'node:path';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import { flameGraph, topFunctions } from './cpu-profile.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { closedLoop } from './load.ts';
import { timeline } from './timeline.ts';
import type { BenchWorld } from './world.ts';
import { startBenchWorld } from './world.ts';

/*
 * Shows what takes the time of an operation: first the steps of a single operation, then the functions of Tenure and
 * the statements of PostgreSQL while fifty callers send requests as fast as they can. Writes a processor profile and a
 * flame graph to the folder.
 *
 *   node bench/profile.ts [folder=profile] [seconds=10]
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const FOLDER = process.argv[2] ?? 'profile';
const SECONDS = Number(process.argv[3] ?? 10);
const ALONE = 100;
const CALLERS = 50;
const WARM_SECONDS = 3;
const SHOWN = 40;

interface StatementTime {
  readonly calls: number;
  readonly ms: number;
  readonly rows: number;
  readonly walBytes: number;
  readonly text: string;
}

const STATEMENTS = `
  select calls::float8 as "calls", total_exec_time as "ms", rows::float8 as "rows", wal_bytes::float8 as "walBytes",
         regexp_replace(query, '\\s+', ' ', 'g') as "text"
  from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
  order by total_exec_time desc`;

/** Takes a processor profile under load. @returns the number of operations during the profile */
async function sampled(world: BenchWorld, file: string): Promise<number> {
  const installs = await makeInstalls(world, CALLERS);
  const create = (n: number) => createLicense(world, installs[n] ?? '');
  await closedLoop(CALLERS, WARM_SECONDS, create);
  await rowsOf(world.state.databaseUrl, 'select pg_stat_statements_reset()');
  await world.order({ probe: 'sample' });
  const { count, perSecond } = await closedLoop(CALLERS, SECONDS, create);
  await world.order({ probe: 'sampled', file });
  console.log(`\n${CALLERS} callers, with all this looking on: ${perSecond.toFixed(0)} a second`);
  return count;
}

function printFunctions(profile: Profiler.Profile, operations: number): void {
  const found = topFunctions(profile);
  const total = found.reduce((sum, { ms }) => sum + ms, 0);
  const rows = found
    .slice(0, SHOWN)
    .map(({ name, ms }) => [
      (ms / operations).toFixed(3),
      `${((ms / total) * 100).toFixed(1)} %`,
      name,
    ]);
  console.log(`\nTenure: ${(total / operations).toFixed(2)} ms for each operation, self time`);
  console.log(table(['ms', 'share', 'function'], rows));
}

function printStatements(found: readonly StatementTime[], operations: number): void {
  const each = (value: number, digits: number): string => (value / operations).toFixed(digits);
  const sum = (of: (one: StatementTime) => number): number =>
    found.reduce((total, one) => total + of(one), 0);
  const rows = found
    .slice(0, SHOWN)
    .map(({ calls, ms, rows: touched, walBytes, text }) => [
      each(ms, 3),
      each(calls, 2),
      each(touched, 1),
      each(walBytes / 1_024, 1),
      text.slice(0, 110),
    ]);
  console.log(
    `\nPostgreSQL, for each operation: ${each(
      sum(({ calls }) => calls),
      1,
    )} statements, which run for ` +
      `${each(
        sum(({ ms }) => ms),
        2,
      )} ms (waits for locks and the disk among them; planning and messages are not)`,
  );
  console.log(table(['ms', 'calls', 'rows', 'WAL KiB', 'statement'], rows));
}

await mkdir(FOLDER, { recursive: true });
await using world = await startBenchWorld({ isProbed: true });
await rowsOf(world.state.databaseUrl, 'create extension if not exists pg_stat_statements');
console.log(`One operation alone, ${ALONE} of them one after the other:`);
console.log(await timeline(world, ALONE));
const file = join(FOLDER, 'tenure.cpuprofile');
const operations = await sampled(world, resolve(file));
const profile = JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile;
printFunctions(profile, operations);
printStatements(await rowsOf<StatementTime>(world.state.databaseUrl, STATEMENTS), operations);
await writeFile(join(FOLDER, 'tenure.svg'), flameGraph(profile));
console.log(`\n${file} opens in DevTools, ${join(FOLDER, 'tenure.svg')} in any browser`);
