import { expect, test } from 'vitest';
import { trafficOf } from '../../web/src/parts/months.ts';

/* The traffic of months that the page of statistics shows beside the revenue. */

const DAYS = [
  { day: '2026-03-02', bytes: 100 },
  { day: '2026-03-01', bytes: 20 },
  { day: '2026-01-15', bytes: 3 },
];

const shown = (areAllRead: boolean, days = DAYS) =>
  ['2025-12', '2026-01', '2026-02', '2026-03', '2026-04'].map(trafficOf(days, areAllRead));

test('months before the oldest day are unknown, and later ones have the sum of their days', () => {
  expect(shown(true)).toEqual([undefined, 3, 0, 120, 0]);
});

test('the month of the oldest day is unknown if older days were not read', () => {
  expect(shown(false)).toEqual([undefined, undefined, 0, 120, 0]);
});

test('all months are unknown without a day', () => {
  expect(shown(true, [])).toEqual(Array.from({ length: 5 }, () => undefined));
});
