import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as lf from '../../../localnet/lf/build/code.ts';
import { call, int64, nil, numeric, text, variable } from '../../../localnet/lf/build/code.ts';
import type { BUILTIN, Code } from '../../../localnet/lf/build/code.ts';
import { failureOf, resultOf } from './engine-values.ts';

type Builtin = keyof typeof BUILTIN;

const INT64_MAX = 2n ** 63n - 1n;
const scale = (digits: number): Code => numeric(`0.${'0'.repeat(digits)}`);
const texts = (...of: string[]): Code => lf.cons(of.map(text));
const point = (of: bigint) => lf.cons([int64(of)]);
const NUMERIC_MAX = `${'9'.repeat(28)}.${'9'.repeat(10)}`;

/** A builtin, its arguments, and its result. */
const RESULTS: readonly (readonly [Builtin, readonly Code[], unknown])[] = [
  ['ADD_INT64', [int64(-5n), int64(7n)], 2n],
  ['SUB_INT64', [int64(-(2n ** 63n)), int64(-1n)], -INT64_MAX],
  ['MUL_INT64', [int64(-3n), int64(4n)], -12n],
  ['DIV_INT64', [int64(-7n), int64(2n)], -3n],
  ['MOD_INT64', [int64(-7n), int64(2n)], -1n],
  ['EXP_INT64', [int64(-2n), int64(63n)], -(2n ** 63n)],
  ['EXP_INT64', [int64(-1n), int64(INT64_MAX)], -1n],
  ['ADD_NUMERIC', [numeric('1.50'), numeric('-2.75')], '-1.25'],
  ['SUB_NUMERIC', [numeric('1.50'), numeric('2.00')], '-0.5'],
  ['MUL_NUMERIC', [scale(2), numeric('0.125'), numeric('1.0')], '0.12'],
  ['MUL_NUMERIC', [scale(2), numeric('0.135'), numeric('-1.0')], '-0.14'],
  ['DIV_NUMERIC', [scale(3), numeric('2.0'), numeric('3.0')], '0.667'],
  ['DIV_NUMERIC', [scale(1), numeric('-1.0'), numeric('4.0')], '-0.2'],
  ['ROUND_NUMERIC', [int64(1n), numeric('2.25')], '2.2'],
  ['ROUND_NUMERIC', [int64(-1n), numeric('35.00')], '40.0'],
  ['CAST_NUMERIC', [scale(1), numeric('2.500')], '2.5'],
  ['SHIFT_NUMERIC', [scale(3), numeric('12.5')], '0.125'],
  ['INT64_TO_NUMERIC', [scale(2), int64(-3n)], '-3.0'],
  ['NUMERIC_TO_INT64', [numeric('-2.99')], -2n],
  ['INT64_TO_TEXT', [int64(-12n)], '-12'],
  ['NUMERIC_TO_TEXT', [numeric('12.3400')], '12.34'],
  ['TIMESTAMP_TO_TEXT', [lf.timestamp(1_000_001n)], '1970-01-01T00:00:01.000001Z'],
  ['DATE_TO_TEXT', [lf.date(-719_162)], '0001-01-01'],
  ['TEXT_TO_PARTY', [text('alice')], { some: 'alice' }],
  ['TEXT_TO_PARTY', [text('a/b')], null],
  ['TEXT_TO_INT64', [text('+0042')], { some: 42n }],
  ['TEXT_TO_INT64', [text('9223372036854775808')], null],
  ['TEXT_TO_NUMERIC', [scale(2), text('-001.50')], { some: '-1.5' }],
  ['TEXT_TO_NUMERIC', [scale(2), text('1.505')], null],
  ['TEXT_TO_NUMERIC', [scale(2), text('1.')], null],
  ['CONTRACT_ID_TO_TEXT', [text('00')], null],
  ['EXPLODE_TEXT', [text('a€😀')], ['a', '€', '😀']],
  ['APPEND_TEXT', [text('ab'), text('c')], 'abc'],
  ['IMPLODE_TEXT', [texts('a', '', 'bc')], 'abc'],
  ['CODE_POINTS_TO_TEXT', [point(0x1f600n)], '😀'],
  ['TEXT_TO_CODE_POINTS', [text('😀')], [0x1f600n]],
  ['DATE_TO_UNIX_DAYS', [lf.date(-1)], -1n],
  ['UNIX_DAYS_TO_DATE', [int64(2_932_896n)], 2_932_896],
  ['TIMESTAMP_TO_UNIX_MICROSECONDS', [lf.timestamp(-1n)], -1n],
  ['UNIX_MICROSECONDS_TO_TIMESTAMP', [int64(5n)], 5n],
  ['COERCE_CONTRACT_ID', [text('00')], '00'],
  ['GENMAP_SIZE', [call('GENMAP_EMPTY')], 0n],
  ['SHA256_TEXT', [text('')], createHash('sha256').digest('hex')],
  [
    'SHA256_HEX',
    [text('ff')],
    createHash('sha256')
      .update(Buffer.from([255]))
      .digest('hex'),
  ],
  // The hash of no bytes, as Ethereum publishes it.
  [
    'KECCAK256_TEXT',
    [text('')],
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  ],
  ['TEXT_TO_HEX', [text('é')], 'c3a9'],
  ['HEX_TO_TEXT', [text('c3a9')], 'é'],
];

/** A builtin, arguments for which it fails, and its error. */
const FAILURES: readonly (readonly [Builtin, readonly Code[], string])[] = [
  ['ADD_INT64', [int64(INT64_MAX), int64(1n)], `ADD_INT64 ${INT64_MAX} 1`],
  ['SUB_INT64', [int64(-INT64_MAX), int64(2n)], `SUB_INT64 -${INT64_MAX} 2`],
  ['MUL_INT64', [int64(2n ** 62n), int64(2n)], `MUL_INT64 ${2n ** 62n} 2`],
  ['DIV_INT64', [int64(-(2n ** 63n)), int64(-1n)], `DIV_INT64 -${2n ** 63n} -1`],
  ['MOD_INT64', [int64(1n), int64(0n)], 'MOD_INT64 1 0'],
  ['EXP_INT64', [int64(2n), int64(63n)], 'EXP_INT64 2 63'],
  ['EXP_INT64', [int64(2n), int64(-1n)], 'EXP_INT64 2 -1'],
  [
    'ADD_NUMERIC',
    [numeric(NUMERIC_MAX), numeric('0.0000000001')],
    `ADD_NUMERIC ${NUMERIC_MAX} 0.0000000001`,
  ],
  ['DIV_NUMERIC', [scale(1), numeric('1.0'), numeric('0.0')], 'DIV_NUMERIC 0.0 1.0 0.0'],
  ['ROUND_NUMERIC', [int64(3n), numeric('2.25')], 'ROUND_NUMERIC 3 2.25'],
  ['CAST_NUMERIC', [scale(1), numeric('2.55')], 'CAST_NUMERIC 0.0 2.55'],
  ['NUMERIC_TO_INT64', [numeric(NUMERIC_MAX)], `NUMERIC_TO_INT64 ${NUMERIC_MAX}`],
  ['UNIX_DAYS_TO_DATE', [int64(2_932_897n)], 'UNIX_DAYS_TO_DATE 2932897'],
  [
    'UNIX_MICROSECONDS_TO_TIMESTAMP',
    [int64(INT64_MAX)],
    `UNIX_MICROSECONDS_TO_TIMESTAMP ${INT64_MAX}`,
  ],
];

describe('a builtin function', () => {
  test.each(RESULTS)('%s gives its result', (name, args, result) => {
    expect(resultOf(call(name, ...args), { minor: 3 })).toEqual(result);
  });

  test.each(FAILURES)('%s fails for what has no result', (name, args, operation) => {
    expect(failureOf(call(name, ...args))).toBe(
      `UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError: ArithmeticError while evaluating (${operation}).`,
    );
  });

  test('takes its arguments one by one, and gives what is left over to its result', () => {
    const add = lf.apply(lf.builtin(lf.BUILTIN.ADD_INT64), int64(1n));
    expect(resultOf(lf.letIn({ add }, lf.apply(lf.variable('add'), int64(2n))))).toBe(3n);
    const list = lf.cons([lf.lambda(['x'], lf.variable('x'))]);
    const first = call(
      'FOLDR',
      lf.lambda(['item', 'rest'], lf.variable('item')),
      lf.unitValue,
      list,
      text('passed on'),
    );
    expect(resultOf(first)).toBe('passed on');
  });
});

describe('comparisons', () => {
  const less = (a: Code, b: Code) => resultOf(call('LESS', a, b));
  const pair = (a: Code, b: Code) => lf.struct({ a, b });

  test('follow the built-in order of every sort of value', () => {
    const ordered: readonly (readonly [Code, Code])[] = [
      [lf.falseValue, lf.trueValue],
      [int64(-1n), int64(0n)],
      [numeric('-0.5'), numeric('0.25')],
      // Texts are compared by code points, not by the units of UTF-16.
      [text('￿'), text('😀')],
      [lf.none, lf.some(int64(0n))],
      [nil, lf.cons([int64(0n)])],
      [lf.cons([int64(1n), int64(5n)]), lf.cons([int64(2n)])],
      [pair(int64(1n), int64(9n)), pair(int64(2n), int64(0n))],
      [lf.date(1), lf.date(2)],
    ];
    for (const [a, b] of ordered) {
      expect([less(a, b), less(b, a), less(a, a)]).toEqual([true, false, false]);
      expect(resultOf(call('EQUAL', a, a))).toBe(true);
      expect(resultOf(call('GREATER_EQ', b, a))).toBe(true);
      expect(resultOf(call('LESS_EQ', b, a))).toBe(false);
      expect(resultOf(call('GREATER', b, a))).toBe(true);
    }
  });

  test('refuse functions', () => {
    const [one, other] = [lf.lambda(['x'], lf.unitValue), lf.lambda(['y'], lf.unitValue)];
    expect(failureOf(call('EQUAL', lf.some(one), lf.some(other)))).toBe(
      'NON_COMPARABLE_VALUES: Interpretation error: Error: functions are not comparable',
    );
    const itself = lf.letIn({ f: lf.some(one) }, call('EQUAL', variable('f'), variable('f')));
    expect(failureOf(itself)).toMatch(/^NON_COMPARABLE_VALUES: /);
  });
});

describe('lists', () => {
  const numbers = lf.cons([1n, 2n, 3n].map(int64));
  const minus = lf.builtin(lf.BUILTIN.SUB_INT64);

  test('fold from both ends', () => {
    expect(resultOf(call('FOLDL', minus, int64(0n), numbers))).toBe(-6n);
    expect(resultOf(call('FOLDR', minus, int64(0n), numbers))).toBe(2n);
  });

  test('are equal as a function of their items says', () => {
    const sameParity = lf.lambda(
      ['a', 'b'],
      call(
        'EQUAL',
        call('MOD_INT64', lf.variable('a'), int64(2n)),
        call('MOD_INT64', lf.variable('b'), int64(2n)),
      ),
    );
    const equal = (...others: bigint[]) =>
      resultOf(call('EQUAL_LIST', sameParity, numbers, lf.cons(others.map(int64))));
    expect([equal(5n, 0n, 7n), equal(5n, 1n, 7n), equal(5n, 0n), equal()]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('maps', () => {
  const insert = (kind: 'GENMAP' | 'TEXTMAP', ...entries: (readonly [Code, Code])[]): Code =>
    entries.reduce<Code>(
      (map, [key, value]) => call(`${kind}_INSERT`, key, value, map),
      call(`${kind}_EMPTY`),
    );
  const map = insert(
    'GENMAP',
    [int64(2n), text('b')],
    [int64(1n), text('a')],
    [int64(2n), text('c')],
  );

  test('keep the order of their keys, and the later of two equal ones', () => {
    expect(resultOf(map)).toEqual([
      [1n, 'a'],
      [2n, 'c'],
    ]);
    expect(resultOf(call('GENMAP_KEYS', map))).toEqual([1n, 2n]);
    expect(resultOf(call('GENMAP_VALUES', map))).toEqual(['a', 'c']);
    expect(resultOf(call('GENMAP_SIZE', map))).toBe(2n);
  });

  test('find and delete', () => {
    expect(resultOf(call('GENMAP_LOOKUP', int64(2n), map))).toEqual({ some: 'c' });
    expect(resultOf(call('GENMAP_LOOKUP', int64(3n), map))).toBeNull();
    expect(resultOf(call('GENMAP_DELETE', int64(1n), map))).toEqual([[2n, 'c']]);
    expect(resultOf(call('GENMAP_DELETE', int64(3n), map))).toHaveLength(2);
  });

  test('with texts for keys list their entries', () => {
    const ages = insert('TEXTMAP', [text('b'), int64(2n)], [text('a'), int64(1n)]);
    expect(resultOf(call('TEXTMAP_TO_LIST', ages))).toEqual([
      { key: 'a', value: 1n },
      { key: 'b', value: 2n },
    ]);
    expect(resultOf(call('TEXTMAP_LOOKUP', text('b'), ages))).toEqual({ some: 2n });
    expect(resultOf(call('TEXTMAP_DELETE', text('b'), ages))).toEqual([['a', 1n]]);
    expect(resultOf(call('TEXTMAP_SIZE', ages))).toBe(2n);
  });
});

describe('cryptography', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('hex');
  const message = Buffer.from('a message');
  const signature = sign('sha256', message, privateKey).toString('hex');
  const digest = createHash('sha256').update(message).digest('hex');
  const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('hex');

  test('verifies signatures of messages and of hashes', () => {
    const signed = (name: Builtin, of: string, by: string) =>
      resultOf(call(name, text(signature), text(of), text(by)));
    expect(signed('SECP256K1_BOOL', message.toString('hex'), key)).toBe(true);
    expect(signed('SECP256K1_BOOL', '00', key)).toBe(false);
    expect(signed('SECP256K1_WITH_ECDSA_BOOL', digest, key)).toBe(true);
    expect(signed('SECP256K1_WITH_ECDSA_BOOL', digest, other)).toBe(false);
  });

  test('hashes more than one block', () => {
    // The hash of 200 bytes `a3` by the original Keccak, whose padding is not that of SHA-3.
    const bytes = 'a3'.repeat(200);
    expect(resultOf(call('KECCAK256_TEXT', text(bytes)))).toBe(
      '3a57666b048777f2c953dc4456f45a2588e1cb6f2da760122d530ac2ce607d4a',
    );
  });

  test('validates keys', () => {
    const validated = call('SECP256K1_VALIDATE_KEY', text(key));
    expect(resultOf(validated, { minor: 3 })).toBe(true);
    expect(failureOf(call('SECP256K1_VALIDATE_KEY', text('00')), { minor: 3 })).toMatch(
      /^INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: /,
    );
  });

  test.each([
    ['SHA256_HEX', [text('F')]],
    ['KECCAK256_TEXT', [text('0')]],
    ['HEX_TO_TEXT', [text('zz')]],
  ] as const)('%s refuses what is not in hexadecimal digits', (name, args) => {
    expect(failureOf(call(name, ...args))).toMatch(
      /^INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: /,
    );
  });
});

describe('failures', () => {
  test('of code have a text, a category and more', () => {
    expect(failureOf(lf.fail('no luck'))).toBe(
      'INTERPRETATION_USER_ERROR: Interpretation error: Error: User abort: no luck',
    );
    const metadata = call('TEXTMAP_INSERT', text('a'), text('b'), call('TEXTMAP_EMPTY'));
    const failing = call(
      'FAIL_WITH_STATUS',
      text('my.com/error'),
      lf.category(0),
      text('why'),
      metadata,
    );
    expect(() => resultOf(failing)).toThrow(
      expect.objectContaining({
        errorId: 'my.com/error',
        failureCategory: 8,
        text: 'why',
        metadata: { a: 'b' },
      }),
    );
  });

  test('of traces are none: they are told', () => {
    const traced: string[] = [];
    expect(resultOf(call('TRACE', text('here'), int64(1n)), { traced })).toBe(1n);
    expect(traced).toEqual(['here']);
  });
});
