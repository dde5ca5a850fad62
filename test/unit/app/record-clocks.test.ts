import { expect, test } from 'vitest';
import { RecordClocks } from '../../../src/app/record-clocks.ts';
import { trusted } from '../../../src/domain/ids.ts';

const P = trusted<Parameters<RecordClocks['apartMs']>[0]>('app-provider');
const times = (at: string) => new Map([['global', at]]);
const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T12:00:20Z';

test('what was recorded before it was attempted, or later than it is told, says that clocks are apart', () => {
  const clocks = new RecordClocks(10_000);
  clocks.note(P, times(NOON), LATER, LATER);
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.note(P, times(NOON), NOON, LATER);
  expect(clocks.apartMs(P)).toBeNull();
  clocks.note(P, times(LATER), NOON, NOON);
  expect(clocks.apartMs(P)).toBe(20_000);
});

test('a refusal may have the record time of whatever was told long before it', () => {
  const clocks = new RecordClocks(10_000);
  clocks.note(P, times(NOON), null, '2026-01-09T12:00:00Z');
  expect(clocks.apartMs(P)).toBeNull();
  clocks.note(P, times(LATER), null, NOON);
  expect(clocks.apartMs(P)).toBe(20_000);
});

test('a refusal that is in order takes back nothing: it may be older than what it is about', () => {
  const clocks = new RecordClocks(10_000);
  clocks.note(P, times(NOON), LATER, LATER);
  clocks.note(P, times(NOON), null, LATER);
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.note(P, times(NOON), NOON, LATER);
  expect(clocks.apartMs(P)).toBeNull();
});

test('whoever takes over goes on with what was written down, until something is told', () => {
  const clocks = new RecordClocks(10_000);
  clocks.resume(P, 20_000);
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.note(P, times(NOON), NOON, LATER);
  expect(clocks.apartMs(P)).toBeNull();
  clocks.note(P, times(NOON), LATER, LATER);
  clocks.resume(P, null);
  expect(clocks.apartMs(P)).toBeNull();
});

test('what else is known of the clocks of the network counts as long as it is so', () => {
  let networkMs: number | null = 30_000;
  const clocks = new RecordClocks(10_000, () => networkMs);
  clocks.note(P, times(NOON), NOON, LATER);
  expect(clocks.apartMs(P)).toBe(30_000);
  networkMs = null;
  expect(clocks.apartMs(P)).toBeNull();
});
