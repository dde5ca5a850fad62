import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  FOLDER,
  decisionOf,
  faultsOf,
  filesNamedIn,
  numbersNamedIn,
  rowsOf,
  type Decision,
} from './decisions.ts';
import { textFiles } from './files.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const names = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const decisions = names.map((name) => decisionOf(name, read(`${FOLDER}/${name}`)));
const index = rowsOf(read(`${FOLDER}/README.md`));

/**
 * The number of the last decision on the former page, on which decisions had numbers. Branches that were begun before
 * may still add numbers up to this one.
 */
const NUMBERED = 218;

const byName = (all: readonly Decision[]): Decision[] =>
  all.toSorted((a, b) => a.name.localeCompare(b.name));

test.each(names)('docs/decisions/%s has the form of a decision', (name) => {
  expect(faultsOf(read(`${FOLDER}/${name}`))).toEqual([]);
});

test('a decision without its form is found', () => {
  const good = `# A rule\n\n*2026-11-28. Replaces decision 7.*\n\n## Rule\n\n- One.\n\n## Why\n\nIt is.\n\n## Not taken\n\n- Two.\n`;
  expect(faultsOf(good)).toEqual([]);
  expect(faultsOf(good.replace('2026-11-28', 'Today'))).toEqual(['a date']);
  expect(faultsOf(good.replace('A rule', 'long '.repeat(30)))).toEqual(['a title']);
  expect(faultsOf(good.replace('## Why\n\nIt is.\n\n', ''))).toContain('Rule, Why, Not taken');
  expect(faultsOf(good.replace('It is.\n', ''))).toEqual(['a reason']);
  expect(faultsOf(good.replace('- One', 'One'))).toEqual(['a rule in bullet points']);
  expect(faultsOf(good.replace('- Two', 'Two'))).toEqual(['alternatives in bullet points']);
  expect(faultsOf(good + '- More.\n'.repeat(40))).toEqual(['45 lines']);
});

test('there are few files, one for each subject, and no page of numbers', () => {
  expect(existsSync('docs/DECISIONS.md')).toBe(false);
  expect(names.every((name) => /^[a-z-]+\.md$/u.test(name))).toBe(true);
  expect(names.length).toBeGreaterThan(35);
  // Before you add a file, check whether its rule belongs to an existing file.
  expect(names.length).toBeLessThanOrEqual(55);
});

test('the index has each decision once, with its title, date and old numbers', () => {
  expect(byName(index)).toEqual(byName(decisions));
});

test('a row of the index is read as its file', () => {
  const text = '# A [b] `c`\n\n*2026-11-28. Replaces decisions 7, 8 and 9.*\n';
  const row = '| [A [b] `c`](a-b.md) | 2026-11-28 | 7, 8, 9 |\n| [D](d.md) | 2026-11-29 | |';
  const [first, second] = rowsOf(row);
  expect(first).toEqual(decisionOf('a-b.md', text));
  expect(second).toEqual(decisionOf('d.md', '# D\n\n*2026-11-29.*\n'));
});

test('each old number leads to one file', () => {
  const numbers = decisions.flatMap(({ oldNumbers }) => oldNumbers);
  expect(numbers.length).toBe(new Set(numbers).size);
  const missing = Array.from({ length: NUMBERED }, (_none, at) => at + 1).filter(
    (number) => !numbers.includes(number),
  );
  expect(missing).toEqual([]);
});

test('decisions are named by files that are there, and by no number', () => {
  const texts = textFiles()
    .filter((file) => existsSync(file) && !file.startsWith(`${FOLDER}/`))
    .filter((file) => !file.startsWith('test/tidy/decisions'))
    .map((file) => ({ file, text: read(file) }));
  const numbered = texts.flatMap(({ file, text }) =>
    numbersNamedIn(text).map((number) => ({ file, number })),
  );
  expect(numbered).toEqual([]);
  const named = texts.flatMap(({ file, text }) =>
    filesNamedIn(text).map((name) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ name }) => name !== 'README.md' && !names.includes(name))).toEqual([]);
});

test('numbers and files that name decisions are seen', () => {
  const text =
    '(DECISIONS 8, 14), decisions 1 and 2, decisions 4 to 5; see docs/decisions/one-a.md.';
  expect(numbersNamedIn(text)).toEqual([8, 14, 1, 2, 4, 5]);
  expect(filesNamedIn(text)).toEqual(['one-a.md']);
});
