import { describe, expect, test } from 'vitest';
import type { Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { jsonOfValue, valueOfJson } from '../../../localnet/http/json/daml-values.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import * as lf from '../../../localnet/ledger/lf-types.ts';
import type { LfType } from '../../../localnet/ledger/lf-types.ts';

const named = (entity: string) => ({ packageName: 'p', module: 'M', entity });
const text = (value: string): Value => ({ sum: { $case: 'text', value } });
const int = (value: bigint): Value => ({ sum: { $case: 'int64', value } });
const field = (value: Value) => ({ label: '', value });

const pair = lf.record(named('R'), { field1: lf.text, field2: lf.int64 });
const either = lf.variant(named('V'), { case1: lf.text, case2: lf.int64 });
const oneOfTwo = lf.enumeration(named('E'), ['caseEnum1', 'caseEnum2']);

/** The cases of JsonCodecSpec: a type, its JSON and the value. Each case is converted in both directions. */
const CASES: readonly (readonly [string, LfType, Json, Value['sum']])[] = [
  ['unit', lf.unit, {}, { $case: 'unit', value: {} }],
  ['bool', lf.bool, true, { $case: 'bool', value: true }],
  ['text', lf.text, 'Some text', text('Some text').sum],
  ['int64', lf.int64, '1', int(1n).sum],
  ['numeric', lf.numeric(10), '10', { $case: 'numeric', value: '10' }],
  ['timestamp', lf.timestamp, '1970-01-01T00:00:00.00001Z', { $case: 'timestamp', value: 10n }],
  ['date', lf.date, '1970-01-11', { $case: 'date', value: 10 }],
  ['party', lf.party, 'party', { $case: 'party', value: 'party' }],
  ['contractId', lf.contractId, 'contractId', { $case: 'contractId', value: 'contractId' }],
  [
    'record',
    pair,
    { field1: 'some text', field2: '1' },
    {
      $case: 'record',
      value: { recordId: undefined, fields: [field(text('some text')), field(int(1n))] },
    },
  ],
  [
    'enum',
    oneOfTwo,
    'caseEnum2',
    { $case: 'enum', value: { enumId: undefined, constructor: 'caseEnum2' } },
  ],
  [
    'variant',
    either,
    { tag: 'case1', value: 'value1' },
    {
      $case: 'variant',
      value: { variantId: undefined, constructor: 'case1', value: text('value1') },
    },
  ],
  [
    'optional-some',
    lf.optional(lf.text),
    'value1',
    { $case: 'optional', value: { value: text('value1') } },
  ],
  ['optional-none', lf.optional(lf.text), null, { $case: 'optional', value: { value: undefined } }],
  [
    'list-nonempty',
    lf.list(lf.text),
    ['value1', 'value2'],
    { $case: 'list', value: { elements: [text('value1'), text('value2')] } },
  ],
  ['list-empty', lf.list(lf.text), [], { $case: 'list', value: { elements: [] } }],
  [
    'textMap',
    lf.textMap(lf.text),
    { key1: 'value1', key2: 'value2' },
    {
      $case: 'textMap',
      value: {
        entries: [
          { key: 'key1', value: text('value1') },
          { key: 'key2', value: text('value2') },
        ],
      },
    },
  ],
  [
    'genMap',
    lf.genMap(lf.int64, lf.text),
    [
      ['1', 'value1'],
      ['2', 'value2'],
    ],
    {
      $case: 'genMap',
      value: {
        entries: [
          { key: int(1n), value: text('value1') },
          { key: int(2n), value: text('value2') },
        ],
      },
    },
  ],
];

test.each(CASES)('JsonCodecSpec encode/decode tests %s', (_what, type, json, sum) => {
  expect(valueOfJson(type, json)).toEqual({ sum });
  expect(jsonOfValue(type, { sum })).toEqual(json);
});

describe('JsonCodecTest JsonCodec record encoding', () => {
  const trailingNone = lf.record(named('TrailingNone'), {
    p: lf.party,
    i: lf.optional(lf.int64),
  });
  const roundTrip = (json: Json) => jsonOfValue(trailingNone, valueOfJson(trailingNone, json));

  test('JsonCodecTest keep populated trailing optional fields', () => {
    expect(roundTrip({ p: 'alice', i: '123' })).toEqual({ p: 'alice', i: '123' });
  });

  test('JsonCodecTest work with fields in any order', () => {
    expect(roundTrip({ i: '123', p: 'alice' })).toEqual({ p: 'alice', i: '123' });
  });

  test('JsonCodecTest drop unpopulated trailing optional fields', () => {
    expect(roundTrip({ p: 'alice' })).toEqual({ p: 'alice' });
  });

  test('JsonCodecTest drop empty trailing optional fields', () => {
    expect(roundTrip({ p: 'alice', i: null })).toEqual({ p: 'alice' });
  });
});

describe('what JsonCodec throws', () => {
  const nested = lf.optional(lf.optional(lf.text));

  test.each<[string, LfType, Json, string]>([
    ['a missing field', pair, { field1: '' }, 'Missing non-optional fields: Set(field2)'],
    ['several', pair, {}, 'Missing non-optional fields: Set(field1, field2)'],
    ['an unknown field', pair, { field1: '', field2: '1', x: 1 }, 'Unexpected fields: x'],
    ['another JSON type', lf.text, 1, 'Expected ujson.Str (data: 1)'],
    ['an integer as a number', lf.int64, 1, 'Expected ujson.Str (data: 1)'],
    ['no integer', lf.int64, '1x', 'For input string: "1x"'],
    ['an integer of 65 bits', lf.int64, '9223372036854775808', 'For input string'],
    ['a flag as numeric', lf.numeric(2), true, 'true is not a valid numeric value'],
    ['no date', lf.date, '2000-02-30', "Text '2000-02-30' could not be parsed"],
    ['another constructor', oneOfTwo, 'caseEnum3', 'Unexpected case: caseEnum3'],
    ['another tag', either, { tag: 'x', value: '' }, 'Unexpected variant tag: x'],
    ['no tag', either, { value: '' }, "must have 'tag' and 'value' fields."],
    ['a bare nested optional', nested, 'x', 'Expected ujson.Arr (data: "x")'],
  ])('%s', (_what, type, json, message) => {
    expect(() => valueOfJson(type, json)).toThrow(message);
  });

  test('nested optionals are arrays', () => {
    for (const json of [[], [[]], [[[]]], [[['x']]]]) {
      const type = lf.optional(nested);
      expect(jsonOfValue(type, valueOfJson(type, json))).toEqual(json);
    }
  });
});
