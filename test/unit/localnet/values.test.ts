import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { encodeRecord, encodeValue, valueSource } from '../../../localnet/messages/values.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { fromJson, jsonSource, toJson } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { nestsTooDeeply } from '../../../localnet/ledger/lf-parts.ts';
import { compareValues, sortedGenMap } from '../../../localnet/ledger/lf-order.ts';
import {
  bool,
  contractId,
  date,
  enumeration,
  genMap,
  int64,
  list,
  numeric,
  optional,
  party,
  record,
  recursiveVariant,
  text,
  textMap,
  timestamp,
  unit,
  variant,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfType } from '../../../localnet/ledger/lf-types.ts';
import { definePackage, template } from '../../../localnet/ledger/package-definition.ts';
import { readPayload } from '../../../localnet/lf/archive.ts';
import {
  DATE_DAYS_MAX,
  DATE_DAYS_MIN,
  INT64_MAX,
  INT64_MIN,
  TIMESTAMP_MICROS_MAX,
  TIMESTAMP_MICROS_MIN,
  canonicalNumeric,
  parseDate,
  parseTimestamp,
  sortedTextMap,
  timestampText,
} from '../../../localnet/ledger/lf-values.ts';

const named = (entity: string) => ({ packageName: 'p', module: 'M', entity });

/** A type, and a generator of its values. */
interface Typed {
  readonly type: LfType;
  readonly value: fc.Arbitrary<unknown>;
}

const damlText = fc.string({ unit: 'grapheme' }).filter((it) => !it.includes('\0'));
const decimal = fc
  .bigInt({ min: -(10n ** 37n), max: 10n ** 37n })
  .map((unscaled) => canonicalNumeric(pointed(unscaled), 10)!);

function pointed(unscaled: bigint): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(11, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -10)}.${digits.slice(-10)}`;
}

const LEAVES: readonly Typed[] = [
  { type: unit, value: fc.constant({}) },
  { type: bool, value: fc.boolean() },
  { type: int64, value: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }) },
  { type: date, value: fc.integer({ min: DATE_DAYS_MIN, max: DATE_DAYS_MAX }) },
  { type: timestamp, value: fc.bigInt({ min: TIMESTAMP_MICROS_MIN, max: TIMESTAMP_MICROS_MAX }) },
  { type: numeric(10), value: decimal },
  { type: party, value: fc.stringMatching(/^[A-Za-z0-9:\-_ ]{1,40}$/) },
  { type: text, value: damlText },
  { type: contractId, value: fc.stringMatching(/^00[0-9a-f]{64}ca12[0-9a-f]{4}$/) },
  { type: enumeration(named('E'), ['Red', 'Green']), value: fc.constantFrom('Red', 'Green') },
];

const typed: fc.Arbitrary<Typed> = fc.letrec<{ node: Typed }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    tie('node').map(({ type, value }) => ({
      type: optional(type),
      value: fc.option(
        value.map((some) => ({ some })),
        { nil: null },
      ),
    })),
    tie('node').map(({ type, value }) => ({
      type: list(type),
      value: fc.array(value, { maxLength: 3 }),
    })),
    tie('node').map(({ type, value }) => ({
      type: textMap(type),
      value: fc
        .array(fc.tuple(damlText, value), { maxLength: 3 })
        .map((entries) => sortedTextMap(new Map(entries))),
    })),
    fc.tuple(tie('node'), tie('node')).map(([key, item]) => ({
      type: genMap(key.type, item.type),
      value: fc
        .array(fc.tuple(key.value, item.value), { maxLength: 3 })
        .map((entries) => sortedGenMap(key.type, entries)),
    })),
    fc.tuple(tie('node'), tie('node')).map(([first, second]) => ({
      type: record(named('R'), { first: first.type, second: second.type }),
      value: fc.record({ first: first.value, second: second.value }),
    })),
    fc.tuple(tie('node'), tie('node')).map(([left, right]) => ({
      type: variant(named('V'), { Left: left.type, Right: right.type }),
      value: fc.oneof(
        left.value.map((value) => ({ tag: 'Left', value })),
        right.value.map((value) => ({ tag: 'Right', value })),
      ),
    })),
  ),
})).node;

const typeAndValue = typed.chain(({ type, value }) => fc.tuple(fc.constant(type), value));

describe('every value of every type', () => {
  test('comes back from JSON as it went in', () => {
    fc.assert(
      fc.property(typeAndValue, ([type, value]) => {
        const json = JSON.parse(JSON.stringify(toJson(type, value))) as Json;
        expect(fromJson(type, json)).toEqual(value);
      }),
    );
  });

  test.each([true, false])(
    'comes back from the wire as it went in, verbose or not (%s)',
    (verbose) => {
      fc.assert(
        fc.property(typeAndValue, ([type, value]) => {
          const message = encodeValue(type, value, { verbose, packageIdOf: () => 'f'.repeat(64) });
          const arrived = Value.decode(Value.encode(message).finish());
          expect(valueSource(arrived, 'value')(type)).toEqual(value);
        }),
      );
    },
  );

  test('is ordered like a total order', () => {
    const three = typed.chain(({ type, value }) =>
      fc.tuple(fc.constant(type), value, value, value),
    );
    fc.assert(
      fc.property(three, ([type, a, b, c]) => {
        const compare = (left: unknown, right: unknown) =>
          Math.sign(compareValues(type, left, right));
        expect(compare(a, a)).toBe(0);
        expect(compare(a, b)).toBe(0 - compare(b, a));
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
        expect(compare(a, b) === 0).toBe(
          JSON.stringify(toJson(type, a)) === JSON.stringify(toJson(type, b)),
        );
      }),
    );
  });
});

describe('a numeric', () => {
  test.each([
    ['1', '1.0000000000'],
    ['+007.5', '7.5000000000'],
    ['-0', '0.0000000000'],
    ['-0.5', '-0.5000000000'],
    ['1.50000000000000', '1.5000000000'],
    ['9999999999999999999999999999.9999999999', '9999999999999999999999999999.9999999999'],
    ['1.', '1.0000000000'],
    ['0.00000000001', undefined],
    ['10000000000000000000000000000', undefined],
    ['', undefined],
    ['.5', undefined],
    ['1e3', undefined],
    ['1 ', undefined],
  ])('%j is %j with ten digits', (input, canonical) => {
    expect(canonicalNumeric(input, 10)).toBe(canonical);
  });

  test('of scale zero has no point', () => {
    expect(canonicalNumeric('12.0', 0)).toBe('12');
  });
});

describe('an instant', () => {
  test.each([
    ['2026-11-21T01:33:00Z', '2026-11-21T01:33:00Z'],
    ['2026-11-21T01:33:00.5Z', '2026-11-21T01:33:00.500Z'],
    ['2026-11-21T02:33:00.000001999+01:00', '2026-11-21T01:33:00.000001Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ])('%s is written %s', (input, output) => {
    expect(timestampText(parseTimestamp(input)!)).toBe(output);
  });

  test.each([
    '2026-11-21',
    '2026-11-21 01:33:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T01:33:00',
    'now',
  ])('is not %s', (input) => expect(parseTimestamp(input)).toBeUndefined());

  test('as a date must exist', () => {
    expect(parseDate('2028-02-29')).toBe(21_243);
    expect(parseDate('2026-02-30')).toBeUndefined();
  });
});

describe('text map keys', () => {
  test('are in order of their UTF-8 bytes, which is not the order of JavaScript', () => {
    const keys = ['\u{ffff}', '\u{10000}', 'b', 'a', 'ab'];
    expect([...sortedTextMap(keys.map((key) => [key, 1])).keys()]).toEqual([
      'a',
      'ab',
      'b',
      '\u{ffff}',
      '\u{10000}',
    ]);
    expect(keys.toSorted()).not.toEqual(['a', 'ab', 'b', '\u{ffff}', '\u{10000}']);
  });
});

describe('a record on the wire', () => {
  const type = record(named('R'), { a: int64, b: optional(text), c: optional(text) });
  const how = { verbose: false, packageIdOf: () => 'f'.repeat(64) };
  const lengthOf = (b: unknown, c: unknown) =>
    encodeRecord(type, { a: 1n, b, c }, how).fields.length;

  test('has no optional fields at its end that are None, and keeps those before', () => {
    expect([
      lengthOf(null, null),
      lengthOf({ some: 'x' }, null),
      lengthOf(null, { some: 'x' }),
    ]).toEqual([1, 2, 3]);
  });

  test('has labels and type names only when they are asked for', () => {
    const verbose = encodeRecord(type, { a: 1n, b: null, c: null }, { ...how, verbose: true });
    expect(verbose.recordId).toEqual({
      packageId: 'f'.repeat(64),
      moduleName: 'M',
      entityName: 'R',
    });
    expect(verbose.fields.map(({ label }) => label)).toEqual(['a']);
    const plain = encodeRecord(type, { a: 1n, b: null, c: null }, how);
    expect([plain.recordId, plain.fields[0]!.label]).toEqual([undefined, '']);
  });
});

describe('a nested value', () => {
  const nested = (levels: number): { type: LfType; value: unknown } => {
    let type: LfType = int64;
    let value: unknown = 1n;
    for (let level = 1; level < levels; level += 1) {
      type = list(type);
      value = [value];
    }
    return { type, value };
  };
  const read = (levels: number) => {
    const { type, value } = nested(levels);
    return valueSource(
      encodeValue(type, value, { verbose: false, packageIdOf: () => '' }),
      'value',
    )(type);
  };

  test('that a contract builds is held to the same, through every kind of type', () => {
    const wraps: readonly ((inner: LfType, value: unknown) => [LfType, unknown])[] = [
      (inner, value) => [list(inner), [value]],
      (inner, value) => [optional(inner), { some: value }],
      (inner, value) => [textMap(inner), new Map([['k', value]])],
      (inner, value) => [genMap(int64, inner), [[1n, value]]],
      (inner, value) => [record(named('R'), { a: inner, b: int64 }), { a: value, b: 1n }],
      (inner, value) => [variant(named('V'), { A: int64, B: inner }), { tag: 'B', value }],
    ];
    for (const levels of [100, 101]) {
      for (const wrap of wraps) {
        const { type, value } = nested(levels);
        expect(nestsTooDeeply(...wrap(type, value))).toBe(levels === 101);
      }
    }
    expect(nestsTooDeeply(list(nested(150).type), [])).toBe(false);
  });

  test('may have a hundred levels below the first and not one more', () => {
    expect(read(101)).toEqual(nested(101).value);
    expect(() => read(102)).toThrow(LedgerError);
  });
});

describe('a type that contains itself', () => {
  const Tree: LfType = recursiveVariant(named('Tree'), (self) => ({
    Leaf: text,
    Branches: list(self),
    Named: textMap(self),
  }));
  const leaf = { tag: 'Leaf', value: 'a' };
  const branched = (inner: unknown, times: number): unknown =>
    times === 0 ? inner : { tag: 'Branches', value: [branched(inner, times - 1)] };

  test('survives JSON and protobuf', () => {
    const value = {
      tag: 'Named',
      value: sortedTextMap([
        ['one', branched(leaf, 3)],
        ['two', leaf],
      ]),
    };
    expect(fromJson(Tree, toJson(Tree, value))).toEqual(value);
    const how = { verbose: true, packageIdOf: () => 'ab'.repeat(32) };
    const wire = Value.decode(Value.encode(encodeValue(Tree, value, how)).finish());
    expect(valueSource(wire, 'value')(Tree)).toEqual(value);
  });

  test('has no most levels, so its values are looked at', () => {
    expect(nestsTooDeeply(Tree, leaf)).toBe(false);
    expect(nestsTooDeeply(Tree, branched(leaf, 40))).toBe(false);
    expect(nestsTooDeeply(Tree, branched(leaf, 60))).toBe(true);
  });

  test('is written down in a package with an end', () => {
    const define = (of: LfType, publishedId?: string) =>
      definePackage({
        name: 'p',
        version: '1.0.0',
        ...(publishedId === undefined ? {} : { publishedId }),
        templates: [
          template({
            name: named('Holder'),
            payload: record(named('Holder'), { first: of, second: of }),
            signatories: () => [],
            observers: () => [],
          }),
        ],
      });
    expect(define(Tree).id).toMatch(/^[0-9a-f]{64}$/);
    expect(define(Tree).id).not.toBe(define(text).id);
    const { id, archive } = define(Tree);
    const [module] = readPayload(id, archive).modules.values();
    expect([...module!.dataTypes.names()].toSorted()).toEqual(['Holder', 'Tree']);
    const described = new TextDecoder().decode(define(Tree, 'ab'.repeat(32)).archive);
    expect(described.match(/"Branches"/g)).toHaveLength(2);
  });

  test('is not read from JSON that nests without end', () => {
    let json: Json = { tag: 'Leaf', value: 'a' };
    for (let depth = 0; depth < 100_000; depth += 1) json = { tag: 'Branches', value: [json] };
    expect(() => jsonSource(json)(Tree)).toThrow(/exceeds maximum nesting/);
    expect(() => jsonSource(json)(text)).toThrow(/exceeds maximum nesting/);
  });
});
