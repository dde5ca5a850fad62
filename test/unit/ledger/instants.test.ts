import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAYS_MAX,
  DAYS_MIN,
  MICROS_MAX,
  MICROS_MIN,
  daysToIso,
  isoToDays,
  isoToMicros,
  microsToIso,
  timestampToMicros,
} from '../../../src/ledger/instants.ts';

describe('instants', () => {
  test.each([
    [0n, '1970-01-01T00:00:00Z'],
    [1n, '1970-01-01T00:00:00.000001Z'],
    [-1n, '1969-12-31T23:59:59.999999Z'],
    [500_000n, '1970-01-01T00:00:00.500Z'],
    [500_010n, '1970-01-01T00:00:00.500010Z'],
    [1_761_668_438_735_022n, '2025-10-28T16:20:38.735022Z'],
    [MICROS_MIN, '0001-01-01T00:00:00Z'],
    [MICROS_MAX, '9999-12-31T23:59:59.999999Z'],
    [-62_135_596_799_000_000n, '0001-01-01T00:00:01Z'],
  ])('%s microseconds are %s, both ways', (micros, iso) => {
    expect(microsToIso(micros)).toBe(iso);
    expect(isoToMicros(iso)).toBe(micros);
  });

  test('every microsecond of the years 1 to 9999 survives, and in order', () => {
    const micros = fc.bigInt({ min: MICROS_MIN, max: MICROS_MAX });
    fc.assert(
      fc.property(micros, micros, (a, b) => {
        expect(isoToMicros(microsToIso(a))).toBe(a);
        const isBefore = Date.parse(microsToIso(a)) < Date.parse(microsToIso(b));
        expect(isBefore && a >= b).toBe(false);
      }),
    );
  });

  test.each([MICROS_MIN - 1n, MICROS_MAX + 1n])('%s microseconds are refused', (micros) => {
    expect(() => microsToIso(micros)).toThrow(RangeError);
  });

  test.each([
    '2025-10-28T16:20:38',
    '2025-10-28T16:20:38+00:00',
    '2025-10-28T16:20:38.1234567Z',
    '2025-10-28T16:20:38.Z',
    '2025-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-10-28T24:00:00Z',
    '2025-10-28T23:60:00Z',
    '0000-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    '2025-10-28 16:20:38Z',
    ' 2025-10-28T16:20:38Z',
    '',
  ])('%j is not an instant', (text) => {
    expect(isoToMicros(text)).toBeNull();
  });

  test('a fraction may have fewer than six digits', () => {
    expect(isoToMicros('1970-01-01T00:00:00.5Z')).toBe(500_000n);
    expect(isoToMicros('1970-01-01T00:00:00.0001Z')).toBe(100n);
  });

  test('what a timestamp has below a microsecond is cut', () => {
    expect(timestampToMicros({ seconds: 1n, nanos: 1_999 })).toBe(1_000_001n);
    expect(timestampToMicros({ seconds: -1n, nanos: 999_999_000 })).toBe(-1n);
  });
});

describe('dates', () => {
  test.each([
    [0, '1970-01-01'],
    [-1, '1969-12-31'],
    [19_782, '2024-02-29'],
    [DAYS_MIN, '0001-01-01'],
    [DAYS_MAX, '9999-12-31'],
  ])('day %s is %s, both ways', (days, iso) => {
    expect(daysToIso(days)).toBe(iso);
    expect(isoToDays(iso)).toBe(days);
  });

  test('every day survives', () => {
    fc.assert(
      fc.property(fc.integer({ min: DAYS_MIN, max: DAYS_MAX }), (days) => {
        expect(isoToDays(daysToIso(days))).toBe(days);
      }),
    );
  });

  test.each([DAYS_MIN - 1, DAYS_MAX + 1, 0.5])('day %s is refused', (days) => {
    expect(() => daysToIso(days)).toThrow(RangeError);
  });

  test.each(['2025-02-29', '2025-00-10', '2025-1-1', '0000-01-01', '2025-10-28T00:00:00Z'])(
    '%j is not a date',
    (text) => {
      expect(isoToDays(text)).toBeNull();
    },
  );
});
