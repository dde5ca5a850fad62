import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';

/* This number may only become smaller. A change that adds lines to the product must delete others. */

const LINES_MAX = 84_104;
const PRODUCT = /^(?:src|machines|workers)\//u;

const linesOf = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 1;

test('the product has no more lines than before', () => {
  const product = sourceFiles().filter((file) => PRODUCT.test(file));
  expect(product).toContain('src/domain/ids.ts');
  const lines = product.reduce((sum, file) => sum + linesOf(file), 0);
  expect(lines).toBeLessThanOrEqual(LINES_MAX);
  expect(lines, 'lower LINES_MAX').toBeGreaterThan(LINES_MAX - 100);
});
