import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BenchWorld } from '../../bench/world.ts';
import { startBenchWorld } from '../../bench/world.ts';
import type { Counts } from './kit/operation-counts.ts';
import { BATCH, countAlone, countBatch, prepareCounting } from './kit/operation-counts.ts';

/*
 * A test that lets costs only fall: the commits, statements, rows, calls and notifications of a `create-license`. `make
 * counts` records lower counts, and refuses higher ones.
 */

const FILE = new URL('operation-counts.json', import.meta.url);
const RECORDS = process.env['RECORD'] === '1';
/**
 * The factor by which commits, statements and notifications may exceed the recorded counts. On a slow machine the
 * relay, the queue and background tasks poll during an operation, and events that were recorded together may be
 * announced in several messages. Recordings, rows and calls may not exceed the recorded counts.
 */
const SLACK = { alone: 1.15, batch: 1.2 } as const;

interface Recorded {
  readonly alone: Counts;
  readonly batch: Counts;
}
type Part = keyof Recorded;

const recorded = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded) : null;
const TOTALS = ['commits', 'statements', 'settings', 'notifications'] as const;

/** Returns a line for each count that has risen. */
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

/** Records counts. A count that is within its tolerance but higher than recorded is not recorded. */
function record(part: Part, seen: Counts): void {
  const now = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Partial<Recorded>) : {};
  const least = TOTALS.map((name) => [name, Math.min(seen[name], now[part]?.[name] ?? Infinity)]);
  const counts = { ...seen, ...Object.fromEntries(least) };
  writeFileSync(FILE, `${JSON.stringify({ ...now, [part]: counts }, null, 2)}\n`);
}

/** Returns a line for each count that exceeds its record. */
function moreThanRecorded(part: Part, seen: Counts): string[] {
  const before = recorded?.[part];
  return before === undefined ? [] : risen(seen, before, SLACK[part]);
}

/**
 * Returns a line for each difference from the record. If recording is requested and no count has risen, records the
 * counts instead.
 */
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
  const isEnough = (seen: Counts) => moreThanRecorded('alone', seen).length === 0;
  expect(judge('alone', await countAlone(world, isEnough))).toEqual([]);
});

/**
 * Returns the counts without those that do not belong to the operations of a batch, or that differ from batch to batch.
 */
function ofBatch(seen: Counts): Counts {
  // Rows that hold several events, so that their number does not depend on the number of operations; and renewals of
  // locks of jobs.
  const together = /^(?:arrival|event_batch|event_sequence|webhook_cursor|queue event|queue job) /u;
  const rows = Object.entries(seen.rows).filter(([name]) => !together.test(name));
  // Background tasks also read the ledger's end, so only calls to submit are counted.
  const calls = Object.entries(seen.calls).filter(([name]) => name.includes('Submission'));
  return { ...seen, rows: Object.fromEntries(rows), calls: Object.fromEntries(calls) };
}

test(`${BATCH} operations at once cost what is recorded, and at most a fifth more`, async () => {
  const isEnough = (seen: Counts) => moreThanRecorded('batch', ofBatch(seen)).length === 0;
  const seen = await countBatch(world, isEnough);
  expect(judge('batch', ofBatch(seen))).toEqual([]);
});
