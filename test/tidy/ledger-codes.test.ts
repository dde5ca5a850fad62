import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LEDGER_CODES } from '../../src/domain/ledger-code-table.ts';
import { CODES, TYPES_NOT_KNOWN, meaningOf } from '../../src/domain/ledger-codes.ts';
import { PROBLEMS } from '../../src/domain/problems.ts';

/** Matches lines with examples for people who read the API's document. */
const SHOWN = /examples?: \[?'/u;

/** Returns whether Tenure itself also answers with this code of the ledger, as with `UNAUTHENTICATED`. */
const isOurs = (code: string): boolean => Object.hasOwn(PROBLEMS, code);

const mentionsIn = (source: string): string[] =>
  source
    .split('\n')
    .filter((line) => !SHOWN.test(line))
    .flatMap((line) => [...line.matchAll(/'([A-Z][A-Z0-9_:]+)'/gu)].map(([, code]) => code ?? ''))
    .filter((code) => LEDGER_CODES.has(code) && !isOurs(code));

test('the table of codes, and the names beside it, are the only places that know a code of the ledger', () => {
  const found = globSync('{src,workers}/**/*.ts')
    .filter((file) => !file.startsWith('src/domain/ledger-code'))
    .flatMap((file) => mentionsIn(readFileSync(file, 'utf8')).map((code) => `${file}: ${code}`));
  expect(found).toEqual([]);
  expect(mentionsIn("if (code === 'DUPLICATE_COMMAND') return;")).toEqual(['DUPLICATE_COMMAND']);
});

test('every code that has a name is one of the table', () => {
  const named = [...Object.values(CODES), ...TYPES_NOT_KNOWN];
  expect(named.filter((code) => meaningOf(code) === undefined)).toEqual([]);
});
