import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { patternsIn, proseOf, tooWide, tooWideComments, unplainByArea } from './prose.ts';

/* These numbers may only become smaller. If you rewrite texts, reduce the number of their folder here. */

test('texts with unplain expressions get fewer', () => {
  expect(unplainByArea()).toMatchInlineSnapshot(`
    {
      ". comments": 1,
      ". documents": 9,
      "bench comments": 2,
      "bench documents": 2,
      "chaos comments": 2,
      "cli comments": 3,
      "cli messages": 3,
      "client comments": 1,
      "docs documents": 22,
      "docs/decisions documents": 11,
      "docs/operations documents": 7,
      "embedded comments": 5,
      "embedded messages": 2,
      "kit comments": 2,
      "localnet comments": 14,
      "migrations comments": 1,
      "scripts comments": 2,
      "src/app comments": 7,
      "src/app messages": 5,
      "src/auth messages": 2,
      "src/domain comments": 2,
      "src/domain messages": 5,
      "src/http comments": 2,
      "src/http messages": 14,
      "src/ledger messages": 2,
      "src/main comments": 2,
      "src/ops comments": 1,
      "src/projector comments": 1,
      "src/queue comments": 5,
      "src/store comments": 2,
      "src/store messages": 4,
      "test/contract comments": 4,
      "test/e2e comments": 3,
      "test/fixtures documents": 1,
      "test/integration comments": 14,
      "test/kit comments": 6,
      "test/model comments": 6,
      "test/mutations comments": 1,
      "test/sim comments": 5,
      "test/tidy comments": 5,
      "test/unit comments": 4,
      "test/web comments": 2,
      "web comments": 2,
      "web messages": 24,
    }
  `);
});

test('the count distinguishes comments and messages', () => {
  const source = [
    '/** Whoever asks. */',
    "const a = 'nobody is here';",
    '// Of those that',
    '// somebody reads.',
    "const b = 'https://nobody';",
  ].join('\n');
  const { comments, messages } = proseOf('a.ts', source);
  expect(comments.map(patternsIn)).toEqual([
    ['a headless clause', 'somebody'],
    ['a bare preposition', 'somebody'],
  ]);
  expect(messages).toEqual(['nobody is here']);
  expect(patternsIn('The relay dispatches due effects.')).toEqual([]);
});

const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'docs/decisions', 'docs/operations'].flatMap((folder) =>
    readdirSync(folder).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
];

test.each(documents)('%s keeps to 120 columns', (file) => {
  expect(tooWide(readFileSync(file, 'utf8'), 120)).toEqual([]);
});

test('the check of columns bites, and leaves tables and code alone', () => {
  const wide = 'word '.repeat(30);
  expect(tooWide(wide, 120)).toEqual([wide]);
  expect(tooWide(`| ${wide} |\n\`\`\`\n${wide}\n\`\`\``, 120)).toEqual([]);
});

test('comments keep to 120 columns', () => {
  const wide = sourceFiles().flatMap((file) =>
    tooWideComments(readFileSync(file, 'utf8'), 120).map((line) => `${file}: ${line.trim()}`),
  );
  expect(wide).toEqual([]);
  const long = `  // ${'word '.repeat(30)}`;
  expect(tooWideComments(`${long}\nconst text = '${'x'.repeat(130)}';`, 120)).toEqual([long]);
});
