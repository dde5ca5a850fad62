import { beforeEach, expect, test } from 'vitest';
import { noteServerTime, serverAheadMs } from '../../web/src/api/clock.ts';

/* The server's time, which the web application computes from answers. */

const DATE = 'Sat, 28 Nov 2026 12:00:00 GMT';
const DATE_MS = Date.parse(DATE);

function answered(headers: Readonly<Record<string, string>>, askedAtMs: number, tookMs: number) {
  const all = new Headers({ date: DATE, 'cache-control': 'no-store', ...headers });
  noteServerTime({ headers: all, askedAtMs, answeredAtMs: askedAtMs + tookMs });
  return serverAheadMs.get();
}

beforeEach(() => serverAheadMs.set(0));

test.each([
  ['kept by this browser', { 'cache-control': 'private, max-age=86400, immutable' }],
  ['kept by a cache on the way', { age: '3600' }],
])('the time of an answer that was %s is no time of the server', (_where, headers) => {
  expect(answered(headers, DATE_MS + 3_600_000, 10)).toBe(0);
});

test('the difference is that of a fresh answer, and a slow answer moves no clock', () => {
  expect(answered({}, DATE_MS + 60_000, 100)).toBe(-59_000);
  expect(answered({}, DATE_MS + 58_000, 9_000)).toBe(-59_000);
  expect(answered({}, DATE_MS + 30_000, 100)).toBe(-30_100);
});

test('clocks that differ by less than the header tells are the same', () => {
  expect(answered({}, DATE_MS + 400, 200)).toBe(0);
});
