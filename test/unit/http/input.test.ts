import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import { readCursor, writeCursor } from '../../../src/http/kit/cursor.ts';
import { parseJsonBody } from '../../../src/http/kit/json-body.ts';
import { readListFilters } from '../../../src/http/kit/list-query.ts';
import { readMetadata } from '../../../src/http/kit/bodies.ts';

const refused = (read: () => unknown) => {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, message, extra } = error.details;
    return { code, message, field: extra?.['field'] };
  }
};

const NOW = Date.UTC(2026, 0, 1);
const bytes = (text: string) => Buffer.from(text);

describe('a JSON body', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(
          !text.includes('\\u0000') && !/\\ud[89a-f]/iu.test(text) && !text.includes('__proto__'),
        );
        fc.pre(!/\d[.eE]|\d{16}/u.test(text) && !text.includes('-0'));
        expect(parseJsonBody(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('that is empty is none', () => {
    expect(parseJsonBody(bytes(''))).toBeUndefined();
  });

  test('keeps numbers that a double would change', () => {
    const text = '{"a": 1.0, "b": 12345678901234567890, "c": 1e3, "d": -0, "e": 0.1, "f": 7}';
    expect(parseJsonBody(bytes(text))).toEqual({
      a: '1.0',
      b: '12345678901234567890',
      c: '1e3',
      d: '-0',
      e: 0.1,
      f: 7,
    });
  });

  test.each(['{', '{"a": }', '{} {}', ' ', 'NaN', `{'a': 1}`, '\u00a0{}'])(
    '%s is malformed',
    (text) => {
      expect(refused(() => parseJsonBody(bytes(text)))).toMatchObject({
        code: 'BODY_MALFORMED',
        message: 'JSON parse error: it is no JSON text',
      });
    },
  );

  test('that is not UTF-8, or too deep to look at, is malformed', () => {
    expect(refused(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22])))).toMatchObject({
      code: 'BODY_MALFORMED',
      message: 'JSON parse error: it is not in UTF-8',
    });
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(refused(() => parseJsonBody(bytes(deep)))).toMatchObject({
      code: 'BODY_MALFORMED',
      message: 'JSON parse error: it is nested too deeply',
    });
  });

  test('may have so many members and so much depth, wherever they are', () => {
    const list = (count: number) => bytes(`[${'1,'.repeat(count - 1)}"[,{\\"[,"]`);
    expect(parseJsonBody(list(HTTP_LIMITS.bodyMembersMax))).toHaveLength(
      HTTP_LIMITS.bodyMembersMax,
    );
    expect(refused(() => parseJsonBody(list(HTTP_LIMITS.bodyMembersMax + 1)))).toMatchObject({
      code: 'REQUEST_INVALID',
      message: `the body has more than ${HTTP_LIMITS.bodyMembersMax} members`,
    });
    const nested = (depth: number) => bytes('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));
    expect(parseJsonBody(nested(HTTP_LIMITS.bodyDepthMax))).toHaveProperty('a.a.a');
    expect(refused(() => parseJsonBody(nested(HTTP_LIMITS.bodyDepthMax + 1)))?.message).toContain(
      'nested too deeply',
    );
  });

  test.each([
    ['{"meta": {"data": {"note": "a\\u0000b"}}}', 'note'],
    ['{"meta": {"data": {"a\\u0000": 1}}}', 'a\\u0000'],
    ['{"x": ["\\ud800"]}', '0'],
    ['{"x": "\\udc00\\ud800"}', 'x'],
  ])('%s holds what cannot be stored', (text, field) => {
    expect(refused(() => parseJsonBody(bytes(text)))).toMatchObject({
      code: 'REQUEST_INVALID',
      field,
    });
  });

  test('cannot change what objects are made of', () => {
    const text = '{"meta": {"data": {"__proto__": {"isAdmin": true}}}}';
    expect(refused(() => parseJsonBody(bytes(text)))?.code).toBe('REQUEST_INVALID');
  });
});

describe('metadata', () => {
  test('becomes text, whatever order and type it came in', () => {
    const data = { a: 'x', b: 1, c: true, d: '', constructor: 'y', '': 'z' };
    expect(readMetadata({ data }, 'meta')).toEqual({
      data: { a: 'x', b: '1', c: 'true', d: '', constructor: 'y', '': 'z' },
    });
  });

  test.each([undefined, {}, { data: {} }])('%j is empty', (meta) => {
    expect(readMetadata(meta, 'meta')).toEqual({ data: {} });
  });

  test.each([[{}], [[]], [null], [undefined]])('value %j is refused by name', (value) => {
    expect(refused(() => readMetadata({ data: { note: value } }, 'installMeta'))).toEqual({
      code: 'REQUEST_INVALID',
      message: 'installMeta.data.note must be a text, a number or a boolean',
      field: 'installMeta.data.note',
    });
  });

  test('has limits, and what is at the limit is taken', () => {
    const entries = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, index) => [`k${index}`, 'v']));
    const text = 'x'.repeat(LIMITS.metadataTextCharsMax);
    expect(
      refused(() => readMetadata({ data: entries(LIMITS.metadataEntriesMax) }, 'm')),
    ).toBeNull();
    expect(refused(() => readMetadata({ data: { [text]: text } }, 'm'))).toBeNull();
    expect(
      refused(() => readMetadata({ data: entries(LIMITS.metadataEntriesMax + 1) }, 'm'))?.field,
    ).toBe('m.data');
    expect(refused(() => readMetadata({ data: { a: `${text}x` } }, 'm'))?.field).toBe('m.data.a');
    expect(refused(() => readMetadata({ data: { [`${text}x`]: 'a' } }, 'm'))?.field).toBe('m.data');
  });
});

describe('a cursor', () => {
  test('comes back as it was written', () => {
    const key = fc.record({
      appUser: fc.stringMatching(/^[A-Za-z0-9_ -]{1,20}::[0-9a-f]{4,20}$/u),
      listNo: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
      id: fc.string({ minLength: 1, maxLength: 200 }).filter((id) => !id.includes('\0')),
    });
    fc.assert(
      fc.property(key, (written) => {
        expect(readCursor(writeCursor(written))).toEqual(written);
      }),
    );
  });

  test('that is made up is refused, never believed', () => {
    const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const bad = [
      'x',
      '////',
      made(null),
      made({}),
      made(['a/b', '1', 'b']),
      made([' ', '1', 'b']),
      made(['a::b', '9223372036854775808', 'c']),
      made(['a::b', '-1', 'c']),
      made(['a::b', 1, 'c']),
      made(['a::b', '1', 'c\0']),
      made(['a::b', '1']),
      made(['a::b', '1', 'c'.repeat(HTTP_LIMITS.pathIdCharsMax + 1)]),
    ];
    for (const cursor of bad) expect(refused(() => readCursor(cursor))?.field).toBe('cursor');
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(refused(() => readCursor(text))?.code).toBe('REQUEST_INVALID');
      }),
    );
  });
});

describe('the query of a list', () => {
  test('without anything asks for the complete list', () => {
    expect(readListFilters({}, 'license', NOW)).toEqual({ limit: null });
    expect(readListFilters({ limit: '', user: '', unknown: 'x' }, 'license', NOW)).toEqual({
      limit: null,
    });
  });

  test('names what it filters by', () => {
    const raw = {
      limit: '1000',
      user: 'user::12',
      provider: 'provider::34',
      state: 'expiring',
      expiresBefore: '2024-02-29T23:59:59.123456+02:00',
    };
    expect(readListFilters(raw, 'license', NOW)).toEqual({
      limit: 1_000,
      appUser: 'user::12',
      provider: 'provider::34',
      state: 'expiring',
      expiresBefore: raw.expiresBefore,
    });
    // Only licences have an expiry, so the filter is ignored for installs.
    expect(readListFilters({ expiresBefore: 'x' }, 'install', NOW)).toEqual({ limit: null });
  });

  test.each([
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '-1'],
    ['limit', '1e2'],
    ['limit', 'ten'],
    ['limit', '10 '],
    ['limit', ['1', '2']],
    ['user', 'no/party'],
    ['user', ' '],
    ['user', 'a::b\0'],
    ['provider', ['a::b', 'a::b']],
    ['state', 'unknown'],
    ['state', 'constructor'],
    ['cursor', 'x'],
    ['expiresBefore', 'tomorrow'],
    ['expiresBefore', '2025-02-30T00:00:00Z'],
    ['expiresBefore', '2025-02-29T00:00:00Z'],
    ['expiresBefore', '2025-13-01T00:00:00Z'],
    ['expiresBefore', '2025-01-01'],
    ['expiresBefore', '2025-01-01T00:00:00'],
    ['expiresBefore', '2025-01-01T24:00:00Z'],
    ['expiresBefore', '2025-01-01T00:00:60Z'],
    ['expiresBefore', '0000-01-01T00:00:00Z'],
  ])('%s=%j is refused by name', (name, value) => {
    expect(refused(() => readListFilters({ [name]: value }, 'license', NOW))).toMatchObject({
      code: 'REQUEST_INVALID',
      field: name,
    });
  });
});
