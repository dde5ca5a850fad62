import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import { fetchToken } from '../cli/commands/token.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import type { Figures } from './load.ts';
import { closedLoop } from './load.ts';
import { processorTime } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * Sends requests of callers and operators over HTTP to a Tenure with a filled store, one at a time, and performs
 * operations on it.
 */

const SECONDS = 2;
const LOAD_SECONDS = 8;
const CALLERS = 50;
const PAGE = 50;

async function get({ state }: BenchWorld, token: string, path: string): Promise<unknown> {
  const answer = await fetch(`${state.apiUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 400)}`);
  return JSON.parse(text);
}

const line = (name: string, { p50, p95, max, count }: Figures): string[] => [
  name,
  p50.toFixed(1),
  p95.toFixed(1),
  max.toFixed(0),
  String(count),
];

/** @returns a table of latencies in milliseconds, and what operations cost */
export async function askStore(world: BenchWorld): Promise<string> {
  if (world.state.localnet === null) throw new Error('the bench needs LocalNet');
  const token = await fetchToken(world.state.localnet, 'operator');
  const [license] = (await get(world, token, `/licenses?limit=${PAGE}`)) as readonly {
    readonly contractId: string;
    readonly user: string;
  }[];
  const user = encodeURIComponent(license?.user ?? '');
  const questions: readonly (readonly [string, string])[] = [
    ['licences, first page', `/licenses?limit=${PAGE}`],
    ['licences of one user', `/licenses?limit=${PAGE}&user=${user}`],
    ['one licence', `/licenses/${license?.contractId}`],
    ['its history', `/licenses/${license?.contractId}/history`],
    ['operations, newest', `/ops/operations?limit=${PAGE}`],
    ['operations, of one user', `/ops/operations?limit=${PAGE}&party=${user}`],
    ['operations, rejected', `/ops/operations?limit=${PAGE}&state=rejected`],
    ['operations counted by state', '/ops/operations/counts?groupBy=state'],
    ['operations of 30 days by day', '/ops/operations/counts?groupBy=day'],
    ['lifecycles counted', '/ops/lifecycles/counts'],
  ];
  const lines: string[][] = [];
  for (const [name, path] of questions) {
    const began = performance.now();
    await get(world, token, path);
    const firstMs = performance.now() - began;
    const found = await closedLoop(1, SECONDS, async () => void (await get(world, token, path)));
    lines.push([...line(name, found), firstMs.toFixed(0)]);
  }
  const heading = ['what', 'p50', 'p95', 'longest', 'asked', 'the first time'];
  return `${table(heading, lines)}\n${await operate(world)}`;
}

/** SQL: the bytes of the write-ahead log so far, and the number of its full-page images. */
const LOGGED = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes, wal_fpi::float8 as pages
  from pg_stat_wal`;

interface Logged {
  readonly bytes: number;
  readonly pages: number;
}

async function operate(world: BenchWorld): Promise<string> {
  const installs = await makeInstalls(world, CALLERS);
  const create = (n: number): Promise<void> => createLicense(world, installs[n] ?? '');
  await closedLoop(CALLERS, SECONDS, create);
  const alone = await closedLoop(1, SECONDS * 2, create);
  const before = processorTime(world.pid);
  const [loggedBefore] = await rowsOf<Logged>(world.state.databaseUrl, LOGGED);
  const full = await closedLoop(CALLERS, LOAD_SECONDS, create);
  const [logged] = await rowsOf<Logged>(world.state.databaseUrl, LOGGED);
  const kib = ((logged?.bytes ?? 0) - (loggedBefore?.bytes ?? 0)) / 1_024 / full.count;
  const pages = ((logged?.pages ?? 0) - (loggedBefore?.pages ?? 0)) / full.count;
  const costs = [...processorTime(world.pid)].map(([kind, spent]) => {
    const ms = ((spent - (before.get(kind) ?? 0)) * 1_000) / full.count;
    return `${kind} ${ms.toFixed(2)} ms`;
  });
  return (
    `create-license, one at a time: p50 ${alone.p50.toFixed(1)} ms, p99 ${alone.p99.toFixed(1)} ms\n` +
    `create-license, ${CALLERS} callers: ${full.perSecond.toFixed(0)}/s, p99 ${full.p99.toFixed(0)} ms; ` +
    `processor time ${costs.join(', ')}; ` +
    `log ${kib.toFixed(0)} KiB, with ${pages.toFixed(1)} whole pages`
  );
}
