import { expect, test } from 'vitest';
import { apartOf, differenceOf, isBeyond } from '../../../src/domain/clock-difference.ts';

test('a clock that is asked tells its time in the middle of the trip, give or take half of it', () => {
  const trip = { askedAtMs: 10_000, tookMs: 400, toldMs: 7_000 };
  expect(differenceOf(trip)).toEqual({ aheadMs: 3_200, uncertainMs: 200 });
});

test('what the trip may have been the reason of is no difference', () => {
  expect(isBeyond({ aheadMs: 10_200, uncertainMs: 200 }, 10_000)).toBe(false);
  expect(isBeyond({ aheadMs: 10_201, uncertainMs: 200 }, 10_000)).toBe(true);
  expect(isBeyond({ aheadMs: -10_201, uncertainMs: 200 }, 10_000)).toBe(true);
});

test.each([
  ['in order', { effectiveAtMs: 1_100, recordTimeMs: 1_200 }, 0],
  ['at once', { effectiveAtMs: 1_000, recordTimeMs: 1_000 }, 0],
  ['read before it was sent', { effectiveAtMs: 700, recordTimeMs: 1_200 }, -300],
  ['recorded before it was sent', { effectiveAtMs: 1_100, recordTimeMs: 400 }, 700],
  ['both before', { effectiveAtMs: 900, recordTimeMs: 950 }, -100],
  ['recorded after it was seen', { effectiveAtMs: 1_100, recordTimeMs: 2_500 }, 500],
  ['read after it was seen', { effectiveAtMs: 2_200, recordTimeMs: 2_100 }, 200],
  ['read after it was recorded', { effectiveAtMs: 1_900, recordTimeMs: 1_100 }, 800],
])('of a transaction %s it follows how far clocks are certainly apart', (_, times, apart) => {
  expect(apartOf({ sentAtMs: 1_000, seenAtMs: 2_000, ...times })).toBe(apart);
});
