import { expect, test } from 'vitest';
import type { Backoff } from '../../../src/domain/backoff.ts';
import { UPPER_HALF, backoffDelayMs } from '../../../src/domain/backoff.ts';

const plain: Backoff = { firstMs: 50, maxMs: 2_000, jitter: 0 };
const of = (backoff: Backoff, random?: number): number[] =>
  [-1, 0, 1, 2, 5, 6, 5_000].map((doublings) => backoffDelayMs(backoff, doublings, random));

test('a distance doubles from the first to the longest, and stays there', () => {
  expect(of(plain)).toEqual([50, 50, 100, 200, 1_600, 2_000, 2_000]);
  expect(of(plain, 0.3)).toEqual(of(plain));
});

test('chance takes its share of what has been bounded', () => {
  const half = { ...plain, jitter: UPPER_HALF };
  expect(of(half, 0)).toEqual([25, 25, 50, 100, 800, 1_000, 1_000]);
  expect(of(half, 0.5)).toEqual([37.5, 37.5, 75, 150, 1_200, 1_500, 1_500]);
  expect(of(half)).toEqual(of(plain));
  expect(backoffDelayMs({ ...plain, jitter: 1 }, 3, 0)).toBe(0);
});
