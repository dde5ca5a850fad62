import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/* Tests that docs/COMPATIBILITY.md names, in the form `project/file` “title”, must exist. */

const SHOWN = /`((?:tidy|unit|model|contract|integration|e2e)\/[\w/-]+)` “([^”]+)”/gu;

const missingIn = (document: string): string[] =>
  [...document.matchAll(SHOWN)].flatMap(([shown, file = '', title = '']) => {
    const path = `test/${file}.test.ts`;
    return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}`) ? [] : [shown];
  });

test('every test that the table names exists', () => {
  const document = readFileSync('docs/COMPATIBILITY.md', 'utf8');
  expect(document.match(SHOWN)?.length).toBeGreaterThan(30);
  expect(missingIn(document)).toEqual([]);
});

test('bites on a test that is not there', () => {
  const planted = '`e2e/nowhere` “title”, `unit/http/problem` “no such title”';
  expect(missingIn(planted)).toHaveLength(2);
});
