import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { Json, JsonRecord } from '../../../src/domain/json.ts';
import { DecodeError, decodeRecord, decodeValue } from '../../../src/ledger/decode.ts';
import { ArgumentError, encodeRecord, encodeValue } from '../../../src/ledger/encode.ts';
import {
  DAYS_MAX,
  DAYS_MIN,
  MICROS_MAX,
  MICROS_MIN,
  daysToIso,
  microsToIso,
} from '../../../src/ledger/instants.ts';
import type { LfType } from '../../../src/app/contract/lf.ts';
import {
  BOOL,
  CONTRACT_ID,
  DATE,
  INT64,
  PARTY,
  TEXT,
  TIMESTAMP,
  UNIT,
  enumeration,
  genMap,
  list,
  numeric,
  optional,
  record,
  textMap,
  variant,
} from '../../../src/app/contract/lf.ts';

/** A type with one of its values, which is encoded as decoding returns it. */
interface Typed {
  readonly type: LfType;
  readonly json: Json;
}

const of = (type: LfType, json: fc.Arbitrary<Json>): fc.Arbitrary<Typed> =>
  json.map((value) => ({ type, json: value }));

const HEX_DIGITS = '0 1 2 3 4 5 6 7 8 9 a b c d e f'.split(' ');
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...HEX_DIGITS), minLength: length, maxLength: length });
const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((value) => !value.includes('\0') && value.isWellFormed());
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

const decimal = fc
  .record({
    negative: fc.boolean(),
    whole: fc.bigInt({ min: 0n, max: 10n ** 28n - 1n }),
    rest: fc.bigInt({ min: 0n, max: 10n ** 10n - 1n }),
  })
  .map(
    ({ negative, whole, rest }) =>
      `${negative ? '-' : ''}${whole}.${String(rest).padStart(10, '0')}`,
  );

const leaf: fc.Arbitrary<Typed> = fc.oneof(
  of(UNIT, fc.constant({})),
  of(BOOL, fc.boolean()),
  of(INT64, int64),
  of(numeric(10), decimal),
  of(DATE, fc.integer({ min: DAYS_MIN, max: DAYS_MAX }).map(daysToIso)),
  of(TIMESTAMP, fc.bigInt({ min: MICROS_MIN, max: MICROS_MAX }).map(microsToIso)),
  of(
    PARTY,
    hex(8).map((hint) => `p_${hint}::1220${hint}`),
  ),
  of(TEXT, text),
  of(
    CONTRACT_ID,
    hex(64).map((id) => `00${id}ca10`),
  ),
  of(enumeration('Red', 'Green', 'constructor'), fc.constantFrom('Red', 'Green', 'constructor')),
);

/** Returns the JSON of Some: the bare value, unless the inner type is also an Optional. */
function some({ type, json }: Typed): Json {
  if (type.kind !== 'optional') return json;
  return json === null ? [] : [json];
}

const { typed } = fc.letrec<{ typed: Typed; deep: Typed }>((tie) => ({
  typed: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('deep')),
  deep: fc.oneof(
    tie('typed').chain((inner) =>
      fc.constantFrom<Typed>(
        { type: optional(inner.type), json: null },
        { type: optional(inner.type), json: some(inner) },
      ),
    ),
    tie('typed').chain(({ type, json }) =>
      fc
        .integer({ min: 0, max: 3 })
        .map((count) => ({ type: list(type), json: Array.from({ length: count }, () => json) })),
    ),
    fc
      .tuple(tie('typed'), fc.uniqueArray(text, { maxLength: 3 }))
      .map(([{ type, json }, keys]) => ({
        type: textMap(type),
        json: Object.fromEntries(keys.map((key) => [key, json])),
      })),
    fc.tuple(tie('typed'), tie('typed')).map(([key, value]) => ({
      type: genMap(key.type, value.type),
      json: [[key.json, value.json]],
    })),
    fc.tuple(tie('typed'), tie('typed')).map(([a, b]) => ({
      // The last field is never None, because a None at the end is not sent: see below.
      type: record({ a: a.type, constructor: b.type, z: BOOL }),
      json: { a: a.json, constructor: b.json, z: true },
    })),
    tie('typed').map(({ type, json }) => ({
      type: variant({ Left: UNIT, Right: type }),
      json: { tag: 'Right', value: json },
    })),
  ),
}));

const overTheWire = (value: Value): Value => Value.decode(Value.encode(value).finish());

describe('a JSON value that is encoded, sent and decoded', () => {
  test('is the same', () => {
    fc.assert(
      fc.property(typed, ({ type, json }) => {
        expect(decodeValue(overTheWire(encodeValue(type, json)))).toEqual(json);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[LfType, Json]>([
    [optional(optional(INT64)), null],
    [optional(optional(INT64)), []],
    [optional(optional(INT64)), ['42']],
    [optional(optional(optional(INT64))), [[]]],
    [optional(optional(optional(INT64))), [['42']]],
    [optional(list(INT64)), []],
    [optional(list(optional(INT64))), [null, '1']],
    [list(optional(optional(UNIT))), [null, [], [{}]]],
    [textMap(TEXT), JSON.parse('{"__proto__": "x", "": "y"}') as Json],
    [genMap(record({ k: optional(INT64), z: BOOL }), TEXT), [[{ k: null, z: true }, 'v']]],
  ])('with type %j and value %j', (type, json) => {
    expect(decodeValue(overTheWire(encodeValue(type, json)))).toEqual(json);
  });

  test('loses trailing fields that are None, and only those', () => {
    const type = record({ a: optional(INT64), b: INT64, c: optional(TEXT), d: optional(UNIT) });
    const sent = encodeRecord(type, { a: null, b: '1', c: null, d: null });
    expect(sent.fields.map(({ label }) => label)).toEqual(['a', 'b']);
    expect(decodeRecord(sent)).toEqual({ a: null, b: '1' });
    expect(decodeRecord(encodeRecord(type, { b: '1' }))).toEqual({ a: null, b: '1' });
  });

  test('may have been an integer that JSON holds exactly', () => {
    expect(decodeValue(encodeValue(INT64, 9_007_199_254_740_991))).toBe('9007199254740991');
  });
});

describe('a value that does not fit its type', () => {
  const meta = record({ values: textMap(TEXT) });
  const type = record({ owner: PARTY, meta, tags: list(INT64), pick: variant({ A: UNIT }) });
  const good: JsonRecord = {
    owner: 'a::b',
    meta: { values: {} },
    tags: [],
    pick: { tag: 'A', value: {} },
  };

  test.each<[JsonRecord, string]>([
    [{ owner: 1 }, 'owner'],
    [{ owner: 'nobody' }, 'owner'],
    [{ meta: {} }, 'meta.values'],
    [{ meta: { values: { note: 7 } } }, 'meta.values.note'],
    [{ meta: { values: { note: 'a\0b' } } }, 'meta.values.note'],
    [{ meta: { values: { note: '\ud800' } } }, 'meta.values.note'],
    [{ meta: { values: [] } }, 'meta.values'],
    [{ meta: { values: {}, extra: 1 } }, 'meta.extra'],
    [{ tags: ['1', 'x'] }, 'tags[1]'],
    [{ tags: ['9223372036854775808'] }, 'tags[0]'],
    [{ tags: [0.5] }, 'tags[0]'],
    [{ tags: [9_007_199_254_740_992] }, 'tags[0]'],
    [{ tags: {} }, 'tags'],
    [{ pick: { tag: 'B', value: {} } }, 'pick.tag'],
    [{ pick: { tag: 'constructor', value: {} } }, 'pick.tag'],
    [{ pick: { tag: 'A' } }, 'pick.value'],
    [{ pick: { tag: 'A', value: { x: 1 } } }, 'pick.value.x'],
    [{ pick: 'A' }, 'pick'],
    [{ surplus: null }, 'surplus'],
  ])('%j is refused at %s', (change, path) => {
    expect(() => encodeRecord(type, good)).not.toThrow();
    const encode = () => encodeRecord(type, { ...good, ...change });
    expect(encode).toThrow(ArgumentError);
    expect(encode).toThrow(expect.objectContaining({ path }) as Error);
  });

  test.each(['owner', 'meta', 'tags', 'pick'])('without %s is refused there', (name) => {
    const { [name]: _left, ...rest } = good;
    expect(() => encodeRecord(type, rest)).toThrow(
      expect.objectContaining({ path: name }) as Error,
    );
  });

  test.each<[LfType, Json]>([
    [UNIT, null],
    [BOOL, 'true'],
    [INT64, '1.0'],
    [INT64, ''],
    [numeric(10), 1.5],
    [numeric(10), '1.12345678901'],
    [numeric(10), '1e3'],
    [numeric(10), '.5'],
    [numeric(10), '12345678901234567890123456789'],
    [numeric(0), '1.0'],
    [DATE, '2025-02-29'],
    [TIMESTAMP, '2025-10-28'],
    [TIMESTAMP, 0],
    [PARTY, ''],
    [CONTRACT_ID, 'xyz'],
    [CONTRACT_ID, `00${'A'.repeat(64)}`],
    [enumeration('Red'), 'Blue'],
    [enumeration('Red'), null],
    [genMap(TEXT, TEXT), [['a']]],
    [genMap(TEXT, TEXT), [['a', 'b', 'c']]],
    [genMap(TEXT, TEXT), { a: 'b' }],
    [optional(optional(INT64)), '42'],
    [optional(optional(INT64)), ['1', '2']],
    [record({}), []],
    [textMap(TEXT), null],
  ])('type %j refuses %j', (type, json) => {
    expect(() => encodeValue(type, json)).toThrow(ArgumentError);
  });

  test('numerics may have up to 38 digits, leading zeros not counted', () => {
    const most = `000${'9'.repeat(28)}.${'9'.repeat(10)}`;
    expect(encodeValue(numeric(10), most).sum).toEqual({ $case: 'numeric', value: most });
  });
});

describe('a value from the ledger', () => {
  test('must have labels: without them nothing says which field is which', () => {
    const unlabelled = {
      recordId: undefined,
      fields: [{ label: '', value: { sum: { $case: 'bool' as const, value: true } } }],
    };
    expect(() => decodeRecord(unlabelled)).toThrow(DecodeError);
  });

  test('must have content', () => {
    expect(() => decodeValue(undefined)).toThrow(DecodeError);
    expect(() => decodeValue({ sum: undefined })).toThrow(DecodeError);
  });
});
