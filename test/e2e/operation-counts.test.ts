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
/** The relay and the queue may look once more than they must. Rows and calls are exact. */
const SLACK_ALONE = 1.05;
/** How requests come together differs from machine to machine, and with it how many share a transaction. */
const SLACK_OF_BATCH = 1.5;
/** What has fallen this far below the record is to be recorded. */
const FALLEN = 0.9;

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
function risen(seen: Counts, before: Counts, slack: number): string[] {
  const totals = [
    ...TOTALS.map((name) => [name, seen[name], before[name] * slack] as const),
    ['calls', sum(seen.calls), sum(before.calls)] as const,
    ['rows', sum(seen.rows), sum(before.rows)] as const,
  ];
  return totals
    .filter(([, now, most]) => now > most)
    .map(([name, now, most]) => `${name}: ${now}, at most ${most}`);
}

let world: BenchWorld;
beforeAll(async () => {
  world = await startBenchWorld({ isProbed: true });
  await prepareCounting(world);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

function record(part: Part, seen: Counts): void {
  const now = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded) : {};
  writeFileSync(FILE, `${JSON.stringify({ ...now, [part]: seen }, null, 2)}\n`);
}

function judge(part: Part, seen: Counts, slack: number): void {
  const before = recorded?.[part];
  if (before !== undefined) expect(risen(seen, before, slack), JSON.stringify(seen)).toEqual([]);
  if (RECORDS) return record(part, seen);
  if (before === undefined) throw new Error('nothing is recorded: `make counts`');
  for (const name of TOTALS) {
    const words = `${name} have become fewer: record that with \`make counts\``;
    expect(seen[name], words).toBeGreaterThan((before[name] / slack) * FALLEN);
  }
  expect(seen.calls).toEqual(before.calls);
  expect(seen.rows).toEqual(before.rows);
}

test('one operation alone costs what is recorded', async () => {
  judge('alone', await countAlone(world), SLACK_ALONE);
});

test(`${BATCH} operations at once cost no more than what is recorded, and a half`, async () => {
  const seen = await countBatch(world);
  const { rows } = seen;
  // One row for all that came together, of which nothing says how many they are; and locks of jobs that are renewed.
  const together = /^(?:event_sequence|webhook_cursor|queue event|queue job) /u;
  const kept = Object.entries(rows).filter(([name]) => !together.test(name));
  judge('batch', { ...seen, rows: Object.fromEntries(kept) }, SLACK_OF_BATCH);
});
