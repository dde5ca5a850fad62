import { expect, test } from 'vitest';
import { UnexpectedJson, valueOfJson } from '../../../localnet/http/json/daml-values.ts';
import { readBody } from '../../../localnet/http/json/routes.ts';
import { bytes, list, record, text } from '../../../localnet/http/json/shape.ts';
import { Unreadable } from '../../../localnet/http/json/unreadable.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';

/* Malicious bodies of the largest permitted size. Each must be refused with a short message. */

const LONG = 8_000_000;
const body = record<{ names: string[]; file: Uint8Array }>('Body', {
  names: list(text),
  file: bytes,
});
const DEEP = JSON.parse(`${'['.repeat(LONG / 2)}${']'.repeat(LONG / 2)}`) as Json;

const refusalOf = (json: Json): string => {
  try {
    readBody(body, json);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
  throw new Error('it was read');
};

test('a body that is wrong in a million places is not answered with all of them', () => {
  const names = Array.from({ length: 1_000_000 }, () => 0);
  const refusal = refusalOf({ names, file: '' });
  expect(refusal).toContain("Got value '0' with wrong type, expecting string at 'names[0]'");
  expect(refusal.length).toBeLessThan(100_000);
});

test('JSON that is nested too deeply to be shown is refused all the same', () => {
  expect(refusalOf({ names: [DEEP], file: '' })).toContain('with wrong type, expecting string');
  expect(() => valueOfJson({ kind: 'text' }, DEEP)).toThrow(UnexpectedJson);
});

test('a file fills a body', () => {
  const file = 'A'.repeat(LONG);
  expect(readBody(body, { names: [], file })).toMatchObject({ names: [] });
  const refusal = refusalOf({ names: [], file: `${file}!` });
  expect(refusal).toContain('The string is not a valid Base64');
  expect(refusal.length).toBeLessThan(1_000);
});

test.each([
  ['', ''],
  ['AA', '00'],
  ['AA==', '00'],
  ['AAA', '0000'],
  ['AAA=', '0000'],
  ['AAAA', '000000'],
])('%o is base64', (file, hex) => {
  const read = readBody(body, { names: [], file }) as { file: Uint8Array };
  expect(Buffer.from(read.file).toString('hex')).toBe(hex);
});

test.each(['A', 'AA=', 'AAA==', 'AAAA=', '=', 'A A=', 'AA==AA=='])('%o is not base64', (file) => {
  expect(refusalOf({ names: [], file })).toContain('is not a valid Base64');
});
