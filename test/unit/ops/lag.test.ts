import { expect, test } from 'vitest';
import { Lag } from '../../../src/ops/lag.ts';

test('a stream that has reached its participant is not late, however long ago', () => {
  const lag = new Lag();
  expect(lag.note(5n, 5n, 1_000)).toBe(0);
  expect(lag.note(5n, 5n, 900_000)).toBe(0);
});

test('a stream is late since the oldest end that it has not reached', () => {
  const lag = new Lag();
  expect(lag.note(10n, 5n, 1_000)).toBe(0);
  expect(lag.note(20n, 5n, 2_000)).toBe(1_000);
  expect(lag.note(30n, 9n, 3_000)).toBe(2_000);
  // The stream advances more slowly than the ledger.
  expect(lag.note(30n, 10n, 4_000)).toBe(2_000);
  expect(lag.note(30n, 29n, 5_000)).toBe(2_000);
  expect(lag.note(30n, 30n, 6_000)).toBe(0);
});

test('what is remembered is bounded and does not make a stream look younger', () => {
  const lag = new Lag();
  let lateMs = 0;
  for (let n = 1; n <= 10_000; n += 1) lateMs = lag.note(BigInt(n), 0n, n * 1_000);
  expect(lateMs).toBe(9_999_000);
  expect(lag.note(10_001n, 9_999n, 10_001_000)).toBeLessThan(1_000_000);
});
