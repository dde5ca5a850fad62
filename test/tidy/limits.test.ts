import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { FACTS, strayBounds } from './limits.ts';

test('bounds are in the limits of their area', () => {
  expect(sourceFiles().flatMap((file) => strayBounds(file, readFileSync(file, 'utf8')))).toEqual(
    [],
  );
});

test('the list of facts names what there is', () => {
  for (const [file, names] of Object.entries(FACTS)) {
    for (const name of names) expect(readFileSync(file, 'utf8')).toContain(`const ${name}`);
  }
});

test.each([
  ['src/ops/a.ts', 'const LOOK_MS = 100;'],
  ['src/store/desk/a.ts', 'export const PAGE: number = 5 * 1_000;'],
  ['src/http/kit/a.ts', 'const ID_MAX = 2n ** 63n - 1n;'],
])('the check bites: %s', (file, source) => {
  expect(strayBounds(file, source)).toHaveLength(1);
});
