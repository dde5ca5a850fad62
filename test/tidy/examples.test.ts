import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examplesOf, wrongExamples } from './examples.ts';
import { sourceFiles } from './files.ts';

/* Examples in docstrings are code that people copy. So the compiler checks them like all other code. */

const files = new Map(
  sourceFiles()
    .filter((file) => /^(src|machines|workers|migrations)\//u.test(file))
    .map((file) => [file, readFileSync(file, 'utf8')] as const),
);
const examples = [...files].flatMap(([file, source]) => examplesOf(file, source));

/** The most important exports. Each of them must have an example. */
const MOST_USED = [
  'defineLifecycle',
  'defineTemplate',
  'defineOperation',
  'defineModel',
  'record',
  'requestChange',
  'begin',
  'leased',
  'Wakeup',
  'sleep',
  'transact',
  'statement',
  'ask',
  'fail',
  'backoffDelayMs',
];

test('what is used most has an example', () => {
  expect(examples.map(({ of }) => of)).toEqual(expect.arrayContaining(MOST_USED));
});

test('an example is found with its place and what it is of', () => {
  const source = [
    '/**',
    ' * Doubles.',
    ' *',
    ' * @example',
    ' * twice(2);',
    ' * twice(3);',
    ' *',
    ' * @throws never',
    ' */',
    'export async function twice(n: number) {}',
  ].join('\n');
  expect(examplesOf('src/a.ts', source)).toEqual([
    { file: 'src/a.ts', of: 'twice', line: 5, code: 'twice(2);\ntwice(3);' },
  ]);
});

test('every example compiles, and one that does not is told by its file, line and function', async () => {
  const file = 'src/domain/backoff.ts';
  const wrong = [
    { file, of: 'backoffDelayMs', line: 20, code: "const a = 1;\nbackoffDelayMs('often', a);" },
    { file, of: 'backoffDelayMs', line: 30, code: 'nothingOfThisName();' },
  ];
  expect(await wrongExamples([...examples, ...wrong], files)).toEqual([
    expect.stringMatching(/^src\/domain\/backoff\.ts:21, example of backoffDelayMs: TS2345 /u),
    expect.stringMatching(/^src\/domain\/backoff\.ts:30, example of backoffDelayMs: TS2304 /u),
  ]);
});
