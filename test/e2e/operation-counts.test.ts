import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BenchWorld } from '../../bench/world.ts';
import { startBenchWorld } from '../../bench/world.ts';
import type { Counts } from './kit/operation-counts.ts';
import { BATCH, countAlone, countBatch, prepareCounting } from './kit/operation-counts.ts';

/*
 * A ratchet: what a `create-license` costs in commits, statements, rows, calls and notifications only goes down.
 * `make counts` records what it has become, and refuses what has risen.
 */

const FILE = new URL('operation-counts.json', import.meta.url);
const RECORDS = process.env['RECORD'] === '1';
/** The least and the most of commits, statements and notifications, to what is recorded. Rows and calls are exact. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}
/** On a slow machine the looks of relay, queue and clocks fall into each operation. */
const ALONE: Bounds = { least: 0.93, most: 1.15 };
/** How requests come together differs from machine to machine, and with it how many share a transaction. */
const AT_ONCE: Bounds = { least: 0.6, most: 1.5 };

interface Recorded {
  readonly alone: Counts;
  readonly batch: Counts;
}
type Part = keyof Recorded;

const recorded = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded) : null;
const TOTALS = ['commits', 'statements', 'notifications'] as const;
const sum = (of: Readonly<Record<string, number>>): number =>
  Object.values(of).reduce((total, one) => total + one, 0);

/** What has risen, in words. */
function risen(seen: Counts, before: Counts, { most: slack }: Bounds): string[] {
  const totals = [
    ...TOTALS.map((name) => [name, seen[name], before[name] * slack] as const),
    ['calls', sum(seen.calls), sum(before.calls)] as const,
    ['rows', sum(seen.rows), sum(before.rows)] as const,
  ];
  return totals
    .filter(([, now, most]) => now > most)
    .map(([name, now, most]) => `${name}: ${now}, at most ${most}`);
}

const differences = (
  seen: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): string[] =>
  [...new Set([...Object.keys(seen), ...Object.keys(before)])]
    .filter((name) => seen[name] !== before[name])
    .map((name) => `${name}: ${seen[name] ?? 0}, recorded ${before[name] ?? 0}`);

let world: BenchWorld;
beforeAll(async () => {
  world = await startBenchWorld({ isProbed: true });
  await prepareCounting(world);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** What is counted within bounds never rises by being recorded. */
function record(part: Part, seen: Counts): void {
  const now = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Recorded>) : {};
  const least = TOTALS.map((name) => [name, Math.min(seen[name], now[part]?.[name] ?? Infinity)]);
  const counts = { ...seen, ...Object.fromEntries(least) };
  writeFileSync(FILE, `${JSON.stringify({ ...now, [part]: counts }, null, 2)}\n`);
}

/** What is not as recorded, in words; records it instead where that is asked for and nothing has risen. */
function judge(part: Part, seen: Counts, bounds: Bounds): string[] {
  const before = recorded?.[part];
  const more = before === undefined ? [] : risen(seen, before, bounds);
  if (more.length > 0) return [...more, JSON.stringify(seen)];
  if (RECORDS) {
    record(part, seen);
    return [];
  }
  if (before === undefined) return ['nothing is recorded: `make counts`'];
  const fewer = TOTALS.filter((name) => seen[name] < before[name] * bounds.least).map(
    (name) => `${name}: ${seen[name]}, fewer than recorded`,
  );
  const others = [
    ...differences(seen.calls, before.calls),
    ...differences(seen.rows, before.rows),
    ...fewer,
  ];
  return others.length === 0 ? [] : [...others, 'if that is better, record it: `make counts`'];
}

test('one operation alone costs what is recorded', async () => {
  expect(judge('alone', await countAlone(world), ALONE)).toEqual([]);
});

test(`${BATCH} operations at once cost no more than what is recorded, and a half`, async () => {
  const seen = await countBatch(world);
  const { rows } = seen;
  // One row for all that came together, of which nothing says how many they are; and locks of jobs that are renewed.
  const together = /^(?:event_sequence|webhook_cursor|queue event|queue job) /u;
  const kept = Object.entries(rows).filter(([name]) => !together.test(name));
  const counted = { ...seen, rows: Object.fromEntries(kept) };
  expect(judge('batch', counted, AT_ONCE)).toEqual([]);
});
