import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { planTable } from '../../bench/plan.ts';

/** Returns the cells of a row in a table, without the spaces that a formatter adds. */
const cellsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim().replace(/^-+$/u, '---')));

test('the plan of docs/SCALING.md is what bench/plan.ts computes', () => {
  const page = readFileSync('docs/SCALING.md', 'utf8');
  const [plan = ''] = /(?<=<!-- plan -->\n).*?(?=<!-- \/plan -->)/su.exec(page) ?? [];
  expect(cellsOf(plan)).toEqual(cellsOf(planTable()));
});
