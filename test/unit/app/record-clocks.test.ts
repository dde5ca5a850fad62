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
