import { describe, expect, test } from 'vitest';
import { columnTypes, parseInstant } from '../../src/store/sql/column-types.ts';

const parserOf: (oid: number, format: 'text') => (raw: string) => unknown =
  columnTypes.getTypeParser;
const parse = (oid: number, raw: string): unknown => parserOf(oid, 'text')(raw);

describe('an instant keeps what fraction it has', () => {
  test.each([
    ['2025-10-28 16:20:38.735022+00', '2025-10-28T16:20:38.735022Z'],
    ['2025-10-28 16:20:38.7350+00', '2025-10-28T16:20:38.735000Z'],
    ['2025-10-28 16:20:38.5+00', '2025-10-28T16:20:38.500Z'],
    ['2025-10-28 16:20:38+00', '2025-10-28T16:20:38Z'],
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00Z'],
    ['9999-12-31 23:59:59.999999+00', '9999-12-31T23:59:59.999999Z'],
    // Values as sessions in other time zones return them.
    ['2025-10-28 17:20:38.735022+01', '2025-10-28T16:20:38.735022Z'],
    ['2025-10-28 21:50:38.735022+05:30', '2025-10-28T16:20:38.735022Z'],
    ['2025-10-27 23:20:38-17', '2025-10-28T16:20:38Z'],
  ])('%s is %s', (raw, iso) => {
    expect(parseInstant(raw)).toBe(iso);
  });

  test.each(['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '12000-01-01 00:00:00+00', ''])(
    '"%s" is none',
    (raw) => {
      expect(() => parseInstant(raw)).toThrow(RangeError);
    },
  );
});

test('an offset beyond what a number holds is exact', () => {
  expect(parse(20, '9007199254740993')).toBe(9_007_199_254_740_993n);
  expect(parse(1016, '{9007199254740993,NULL,-1}')).toEqual([9_007_199_254_740_993n, null, -1n]);
});

test('instants in an array are instants', () => {
  expect(parse(1185, '{"2025-10-28 16:20:38.735022+00",NULL}')).toEqual([
    '2025-10-28T16:20:38.735022Z',
    null,
  ]);
});

test('a date stays the date that PostgreSQL wrote, whatever our time zone', () => {
  expect(parse(1082, '2025-10-28')).toBe('2025-10-28');
  expect(parse(1114, '2025-10-28 23:30:00')).toBe('2025-10-28 23:30:00');
});

test('everything else is as the driver has it', () => {
  expect(parse(23, '42')).toBe(42);
  expect(parse(3802, '{"a": [1]}')).toEqual({ a: [1] });
  expect(parse(1700, '1.0000000000')).toBe('1.0000000000');
  expect(parse(16, 't')).toBe(true);
});
