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
/**
 * How much more than recorded there may be of commits, statements and notifications. On a slow machine the looks of
 * relay, queue and clocks fall into an operation, and what was recorded together is told of in more parts. Recordings,
 * rows and calls have no slack.
 */
const SLACK = { alone: 1.15, batch: 1.2 } as const;

interface Recorded {
  readonly alone: Counts;
  readonly batch: Counts;
}
type Part = keyof Recorded;

const recorded = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded) : null;
const TOTALS = ['commits', 'statements', 'notifications'] as const;

/** What has risen, in words. */
function risen(seen: Counts, before: Counts, slack: number): string[] {
  const each = (part: 'rows' | 'calls') =>
    Object.entries(seen[part]).map(([name, now]) => [name, now, before[part][name] ?? 0] as const);
  const totals = TOTALS.map((name) => [name, seen[name], before[name] * slack] as const);
  const recordings = ['recordings', seen.recordings, before.recordings] as const;
  return [...totals, recordings, ...each('calls'), ...each('rows')]
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

/** What is counted within bounds never rises by being recorded. */
function record(part: Part, seen: Counts): void {
  const now = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Recorded>) : {};
  const least = TOTALS.map((name) => [name, Math.min(seen[name], now[part]?.[name] ?? Infinity)]);
  const counts = { ...seen, ...Object.fromEntries(least) };
  writeFileSync(FILE, `${JSON.stringify({ ...now, [part]: counts }, null, 2)}\n`);
}

/** What is more than recorded, in words. */
function moreThanRecorded(part: Part, seen: Counts): string[] {
  const before = recorded?.[part];
  return before === undefined ? [] : risen(seen, before, SLACK[part]);
}

/** What is not as recorded, in words; records it instead where that is asked for and nothing has risen. */
function judge(part: Part, seen: Counts): string[] {
  const before = recorded?.[part];
  const more = moreThanRecorded(part, seen);
  if (more.length > 0) return [...more, JSON.stringify(seen)];
  if (RECORDS) {
    record(part, seen);
    return [];
  }
  return before === undefined ? ['nothing is recorded: `make counts`'] : [];
}

test('one operation alone costs what is recorded', async () => {
  expect(judge('alone', await countAlone(world))).toEqual([]);
});

/** Without what is not of the operations of a batch, or not of one batch as of another. */
function ofBatch(seen: Counts): Counts {
  // A row for all that came together, of which nothing says how many they are; and locks of jobs that are renewed.
  const together = /^(?:arrival|event_batch|event_sequence|webhook_cursor|queue event|queue job) /u;
  const rows = Object.entries(seen.rows).filter(([name]) => !together.test(name));
  // Looks at how far the ledger is belong to clocks.
  const calls = Object.entries(seen.calls).filter(([name]) => name.includes('Submission'));
  return { ...seen, rows: Object.fromEntries(rows), calls: Object.fromEntries(calls) };
}

test(`${BATCH} operations at once cost what is recorded, and at most a fifth more`, async () => {
  const isEnough = (seen: Counts) => moreThanRecorded('batch', ofBatch(seen)).length === 0;
  const seen = await countBatch(world, isEnough);
  expect(judge('batch', ofBatch(seen))).toEqual([]);
});
