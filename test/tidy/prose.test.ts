import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { commentsOf, countWorn, tooWide, tooWideComments, wornByArea } from './prose.ts';

/* These numbers may only become smaller. If you rewrite comments, reduce the number of their folder here. */

test('worn words and openings of comments get fewer', () => {
  expect(wornByArea()).toMatchInlineSnapshot(`
    {
      "embedded": {
        "a comment that begins with "Of"": 0,
        "somebody, nobody, anybody": 10,
        "whoever": 0,
      },
      "proto": {
        "a comment that begins with "Of"": 2,
        "somebody, nobody, anybody": 1,
        "whoever": 0,
      },
      "src/app": {
        "a comment that begins with "Of"": 0,
        "somebody, nobody, anybody": 1,
        "whoever": 0,
      },
      "test/tidy": {
        "a comment that begins with "Of"": 1,
        "somebody, nobody, anybody": 2,
        "whoever": 1,
      },
    }
  `);
});

test('the count sees comments, and only them', () => {
  const source = `/** Whoever asks. */\nconst a = 'nobody'; // Of those, somebody\nconst b = 'https://nobody';`;
  expect(countWorn(commentsOf(source))).toEqual({
    whoever: 1,
    'somebody, nobody, anybody': 1,
    'a comment that begins with "Of"': 1,
  });
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
