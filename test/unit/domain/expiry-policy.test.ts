import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ExpiryPolicy, LapsingLicense } from '../../../src/domain/expiry-policy.ts';
import {
  DEFAULT_EXPIRY_POLICY,
  expiryVerdict,
  holdOf,
  isTimeZone,
  minutesOf,
} from '../../../src/domain/expiry-policy.ts';

const HOUR_MS = 3_600_000;
const LAPSED_MS = Date.parse('2026-03-01T12:00:00Z');

const policy = (over: Partial<ExpiryPolicy> = {}): ExpiryPolicy => ({
  ...DEFAULT_EXPIRY_POLICY,
  mode: 'on',
  ...over,
});
const license = (over: Partial<LapsingLicense> = {}): LapsingLicense => ({
  expiresAtMs: LAPSED_MS,
  isNeverRenewed: false,
  openUntilMs: null,
  ...over,
});

/** @param certainMs the time of which the ledger has confirmed that it has passed */
const at = (nowMs: number, certainMs = nowMs) => ({ nowMs, certainMs });

describe('whether a licence ends by itself', () => {
  test('from the moment on in which it lapses', () => {
    expect(expiryVerdict(license(), policy(), at(LAPSED_MS))).toEqual({
      kind: 'due',
      sinceMs: LAPSED_MS,
    });
    expect(expiryVerdict(license(), policy(), at(LAPSED_MS - 1))).toMatchObject({
      kind: 'later',
      atMs: LAPSED_MS,
      why: expect.stringContaining('valid until'),
    });
  });

  test('a grace keeps it', () => {
    const graced = policy({ graceMs: HOUR_MS });
    expect(expiryVerdict(license(), graced, at(LAPSED_MS + HOUR_MS - 1))).toMatchObject({
      kind: 'later',
      why: expect.stringContaining('grace'),
    });
    expect(expiryVerdict(license(), graced, at(LAPSED_MS + HOUR_MS))).toMatchObject({
      kind: 'due',
    });
  });

  test('one that was never renewed is left alone unless the provider says otherwise', () => {
    const fresh = license({ isNeverRenewed: true });
    const muchLater = LAPSED_MS + 1_000 * HOUR_MS;
    expect(expiryVerdict(fresh, policy(), at(muchLater))).toMatchObject({ kind: 'never' });
    expect(
      expiryVerdict(fresh, policy({ includeNeverRenewed: true }), at(muchLater)),
    ).toMatchObject({
      kind: 'due',
    });
  });

  test('an open renewal keeps it until its window has closed, and no grace follows that', () => {
    const openUntilMs = LAPSED_MS + 2 * HOUR_MS;
    const graced = policy({ graceMs: HOUR_MS });
    expect(expiryVerdict(license({ openUntilMs }), graced, at(openUntilMs - 1))).toMatchObject({
      kind: 'later',
      why: expect.stringContaining('renewal'),
    });
    expect(expiryVerdict(license({ openUntilMs }), graced, at(openUntilMs))).toMatchObject({
      kind: 'due',
      sinceMs: openUntilMs,
    });
  });

  test('grace and window must certainly be past; that it has lapsed, the ledger judges again', () => {
    const openUntilMs = LAPSED_MS + 2 * HOUR_MS;
    const [lapsed, graced] = [policy(), policy({ graceMs: HOUR_MS })];
    const muchLater = LAPSED_MS + 1_000 * HOUR_MS;
    const kinds = (certainMs: number) => [
      expiryVerdict(license(), lapsed, at(muchLater, certainMs)).kind,
      expiryVerdict(license(), graced, at(muchLater, certainMs)).kind,
      expiryVerdict(license({ openUntilMs }), lapsed, at(muchLater, certainMs)).kind,
    ];
    expect(kinds(0)).toEqual(['due', 'later', 'later']);
    expect(kinds(LAPSED_MS + HOUR_MS)).toEqual(['due', 'due', 'later']);
    expect(kinds(openUntilMs)).toEqual(['due', 'due', 'due']);
  });

  test('is never said before its time, and what is put off is due when it says', () => {
    const ms = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(ms, ms, fc.option(ms), ms, (expiresAtMs, graceMs, openUntilMs, nowMs) => {
        const asked = license({ expiresAtMs, openUntilMs });
        const verdict = expiryVerdict(asked, policy({ graceMs }), at(nowMs));
        if (verdict.kind === 'due') expect(nowMs).toBeGreaterThanOrEqual(expiresAtMs + graceMs);
        if (verdict.kind !== 'later') return;
        expect(verdict.atMs).toBeGreaterThan(nowMs);
        expect(expiryVerdict(asked, policy({ graceMs }), at(verdict.atMs)).kind).toBe('due');
      }),
    );
  });
});

describe('what holds all of them back', () => {
  const at = (iso: string) => Date.parse(iso);
  const NIGHT = { from: '22:00', to: '06:00', timeZone: 'Europe/Zurich' };

  test('a policy that is off, dry or paused', () => {
    expect(holdOf(policy({ mode: 'off' }), 0)).toMatchObject({ why: 'off' });
    expect(holdOf(policy({ mode: 'dry-run' }), 0)).toMatchObject({ why: 'dry-run' });
    expect(holdOf(policy({ paused: true }), 0)).toMatchObject({ why: 'paused' });
    expect(holdOf(policy(), 0)).toBeNull();
  });

  test.each([
    ['2026-01-15T20:59:00Z', null],
    ['2026-01-15T21:00:00Z', '2026-01-16T05:00:00.000Z'],
    ['2026-01-16T04:59:00Z', '2026-01-16T05:00:00.000Z'],
    ['2026-01-16T05:00:00Z', null],
    // Quiet hours are in local time, so in summer they are one hour earlier in UTC.
    ['2026-07-15T20:00:00Z', '2026-07-16T04:00:00.000Z'],
    ['2026-07-16T04:00:00Z', null],
  ])('quiet hours over midnight, by the clocks there: %s', (now, until) => {
    const hold = holdOf(policy({ quietHours: [NIGHT] }), at(now));
    expect(hold?.untilMs ?? null).toBe(until === null ? null : at(until));
  });

  test.each([
    // The night of 29 March has no hour from 2 to 3, so the wait is one hour shorter.
    ['2026-03-28T20:59:00Z', null],
    ['2026-03-29T00:59:00Z', 'held'],
    ['2026-03-29T01:00:00Z', 'held'],
    ['2026-03-29T03:59:00Z', 'held'],
    ['2026-03-29T04:00:00Z', null],
    // The night of 25 October has the hour from 2 to 3 twice.
    ['2026-10-24T19:59:00Z', null],
    ['2026-10-24T20:00:00Z', 'held'],
    ['2026-10-25T00:30:00Z', 'held'],
    ['2026-10-25T01:30:00Z', 'held'],
    ['2026-10-25T04:59:00Z', 'held'],
    ['2026-10-25T05:00:00Z', null],
  ])('quiet hours are kept by the clocks there in nights in which they change: %s', (now, held) => {
    expect(holdOf(policy({ quietHours: [NIGHT] }), at(now)) === null ? null : 'held').toBe(held);
  });

  test.each([
    ['2026-03-28T22:00:00Z', '2026-03-29T04:00:00Z', 1],
    ['2026-10-24T22:00:00Z', '2026-10-25T05:00:00Z', -1],
  ])('who waits over such a night from %s on waits until %s, or is told to wait on', (...night) => {
    const [now, end, hours] = night;
    const quiet = policy({ quietHours: [NIGHT] });
    const first = holdOf(quiet, at(now))?.untilMs ?? 0;
    expect((first - at(end)) / HOUR_MS).toBe(hours);
    // If a hold ends too early, this does no harm, because the next hold ends at the right minute.
    const second = holdOf(quiet, first)?.untilMs ?? first;
    expect(second).toBe(Math.max(first, at(end)));
  });

  test('quiet hours within the hour that is left out, or that comes twice', () => {
    const hour = policy({
      quietHours: [{ from: '02:00', to: '03:00', timeZone: 'Europe/Zurich' }],
    });
    const heldMinutes = (from: string) =>
      Array.from({ length: 240 }, (_, minute) => holdOf(hour, at(from) + minute * 60_000)).filter(
        (hold) => hold !== null,
      ).length;
    expect(heldMinutes('2026-03-28T23:00:00Z')).toBe(0);
    expect(heldMinutes('2026-10-24T23:00:00Z')).toBe(120);
    expect(heldMinutes('2026-07-01T23:00:00Z')).toBe(60);
  });

  test('a whole day, no time at all, and the longest of several', () => {
    const day = { from: '00:00', to: '24:00', timeZone: 'UTC' };
    const none = { from: '08:00', to: '08:00', timeZone: 'UTC' };
    const noon = at('2026-01-15T12:00:00Z');
    expect(holdOf(policy({ quietHours: [none] }), noon)).toBeNull();
    expect(holdOf(policy({ quietHours: [none, day] }), noon)).toEqual({
      why: 'quiet-hours',
      untilMs: at('2026-01-16T00:00:00Z'),
    });
  });

  test('times of a day and time zones are told from others', () => {
    expect(['00:00', '23:59', '24:00', '7:00', '24:01', '12:60', ''].map(minutesOf)).toEqual([
      0,
      1_439,
      1_440,
      null,
      null,
      null,
      null,
    ]);
    expect(['Europe/Zurich', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
