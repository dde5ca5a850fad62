import { describe, expect, test } from 'vitest';
import { monthsAfter, monthsUpTo } from '../../../src/domain/calendar.ts';
import type { Period } from '../../../src/domain/subscription.ts';
import { anchorOf, isoOf, microsAt, nextPeriod } from '../../../src/domain/subscription.ts';
import { isoToMs } from '../../../src/domain/time.ts';

/* The ends of periods, counted from the first start in the provider's time zone. */

const after = (from: string, months: number, zone = 'UTC'): string =>
  isoOf(monthsAfter(microsAt(from), months, zone));

const period = (over: Partial<Period>): Period => ({
  period: 'P1M',
  timeZone: 'UTC',
  expiresAt: '2026-01-31T12:00:00.000000Z',
  anchor: null,
  lastExtension: null,
  nowMs: isoToMs('2026-01-24T12:00:00Z'),
  trialUntilMs: null,
  ...over,
});

/** Returns when a licence that is paid at this time will end. */
const paidAt = (asked: Period, at = asked.expiresAt): string => {
  const base = Math.max(isoToMs(asked.expiresAt), isoToMs(at));
  return isoOf(microsAt(isoOf(BigInt(base) * 1_000n)) + nextPeriod(asked).extension);
};

describe('months', () => {
  test.each([
    ['2026-01-31T12:00:00.000001Z', 1, 'UTC', '2026-02-28T12:00:00.000001Z'],
    ['2026-01-31T12:00:00.000001Z', 2, 'UTC', '2026-03-31T12:00:00.000001Z'],
    ['2028-01-31T00:00:00.000000Z', 13, 'UTC', '2029-02-28T00:00:00.000000Z'],
    // 31 January in Zurich is still 30 January in UTC.
    ['2026-01-30T23:30:00.000000Z', 1, 'Europe/Zurich', '2026-02-27T23:30:00.000000Z'],
    // Clocks go forward on 29 March 2026: the time of day stays the same, and the period is an hour shorter.
    ['2026-03-15T11:00:00.000000Z', 1, 'Europe/Zurich', '2026-04-15T10:00:00.000000Z'],
    // On that day 02:30 does not exist; on 25 October it occurs twice.
    ['2026-02-28T01:30:00.000000Z', 1, 'Europe/Zurich', '2026-03-28T01:30:00.000000Z'],
    ['2026-01-29T01:30:00.000000Z', 2, 'Europe/Zurich', '2026-03-29T01:30:00.000000Z'],
    ['2026-09-25T00:30:00.000000Z', 1, 'Europe/Zurich', '2026-10-25T00:30:00.000000Z'],
    ['2026-08-31T23:00:00.000000Z', 6, 'America/Los_Angeles', '2027-03-01T00:00:00.000000Z'],
  ])('%s and %i months in %s is %s', (from, months, zone, to) => {
    expect(after(from, months, zone)).toBe(to);
    expect(monthsUpTo(microsAt(from), microsAt(to), zone)).toBe(months);
  });

  test('a time that is no boundary has no number of months', () => {
    const from = microsAt('2026-01-31T12:00:00.000000Z');
    expect(monthsUpTo(from, from + 1n, 'UTC')).toBe(null);
    expect(monthsUpTo(from, microsAt('2026-03-28T12:00:00.000000Z'), 'UTC')).toBe(null);
    expect(monthsUpTo(from, microsAt('2025-12-31T12:00:00.000000Z'), 'UTC')).toBe(null);
  });
});

describe('a period', () => {
  test('ends at the next boundary from the first start, if it is paid in time', () => {
    const ends: string[] = [];
    let [expiresAt, anchor] = ['2026-01-31T12:00:00.000007Z', null as string | null];
    for (let month = 0; month < 12; month += 1) {
      const asked = period({ expiresAt, anchor, nowMs: isoToMs(expiresAt) - 86_400_000 });
      const next = nextPeriod(asked);
      anchor = isoOf(next.anchor);
      expiresAt = isoOf(microsAt(expiresAt) + next.extension);
      ends.push(expiresAt.slice(5, 10));
    }
    const days = '02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31 01-31';
    expect(ends).toEqual(days.split(' '));
    expect(expiresAt).toBe('2027-01-31T12:00:00.000007Z');
  });

  test('that is paid late lasts as long from its payment, and moves the boundaries', () => {
    const asked = period({
      expiresAt: '2026-02-28T12:00:00.000000Z',
      anchor: '2026-01-31T12:00:00Z',
    });
    const late = { ...asked, nowMs: isoToMs('2026-02-21T12:00:00Z') };
    const end = paidAt(late, '2026-03-02T09:00:00Z');
    expect(end).toBe('2026-04-02T09:00:00.000000Z');
    const { extension } = nextPeriod(late);
    const moved = { ...late, expiresAt: end, lastExtension: extension };
    expect(isoOf(anchorOf(moved))).toBe('2026-03-02T09:00:00.000000Z');
    expect(paidAt({ ...moved, nowMs: isoToMs('2026-03-30T12:00:00Z') })).toBe(
      '2026-05-02T09:00:00.000000Z',
    );
  });

  test('that is offered after the end is counted from now', () => {
    const asked = period({
      nowMs: isoToMs('2026-02-03T08:00:00Z'),
      anchor: '2025-12-31T12:00:00Z',
    });
    expect(nextPeriod(asked)).toEqual({
      extension: 28n * 86_400_000_000n,
      anchor: microsAt('2026-02-03T08:00:00Z'),
    });
  });

  test('that follows a trial begins at its end, and a fixed one has its duration', () => {
    const trialUntilMs = isoToMs('2026-01-31T00:00:00Z');
    const [expiresAt, nowMs] = ['2026-01-17T00:00:00.000000Z', isoToMs('2026-01-24T00:00:00Z')];
    const trial = { expiresAt, nowMs, trialUntilMs };
    const base = microsAt('2026-01-24T00:00:00Z');
    expect(isoOf(base + nextPeriod(period(trial)).extension)).toBe('2026-02-28T00:00:00.000000Z');
    const fixed = nextPeriod(period({ ...trial, period: 'P30D' })).extension;
    expect(isoOf(base + fixed)).toBe('2026-03-02T00:00:00.000000Z');
    expect(nextPeriod(period({ period: 'P30D' })).extension).toBe(30n * 86_400_000_000n);
  });
});
