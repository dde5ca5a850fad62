import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { deadLinks, missingCommands } from './documents.ts';
import { textFiles } from './files.ts';

/* Names in documents must exist in the repository. */

const read = (file: string): string => readFileSync(file, 'utf8');
const documents = textFiles().filter((file) => file.endsWith('.md') && existsSync(file));

/** All documents except the changelog, because its older entries keep names that have changed since. */
const lived = documents.filter((file) => file !== 'CHANGELOG.md');

/** Returns the text of a section, from its heading to the next heading of the same level. */
function section(file: string, heading: string): string {
  const [, text = ''] = read(file).split(`\n## ${heading}\n`);
  return text.split('\n## ', 1)[0] ?? '';
}

const foldersIn = (folder: string): string[] =>
  [...new Set(textFiles().filter((file) => file.startsWith(folder)))]
    .map((file) => file.slice(folder.length).split('/'))
    .flatMap(([name = '', ...rest]) => (rest.length > 0 ? [`${folder}${name}`] : []))
    .filter((name, index, all) => all.indexOf(name) === index);

/**
 * Returns the names in the first column of tables. A name after a comma means a file in the same folder as the name
 * before it.
 */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/^\| ([^|]+) \|/gmu)].flatMap(([, cell = '']) => {
    const names = [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name);
    return names.flatMap((name) => [name, join(dirname(names[0] ?? ''), name)]);
  });

test.each(documents)('%s: its links lead to a file and a heading', (file) => {
  expect(deadLinks(file, read)).toEqual([]);
});

test('a link to no file, or to no heading, is found', () => {
  const texts: Readonly<Record<string, string>> = {
    'docs/A.md':
      '# A\n[b](B.md#two-words) [c](B.md#none) [d](no/where.md) [e](#a) [f](#b)\n```\n[g](h)\n```\n',
    'docs/B.md': '# B\n## Two `words`\n',
  };
  const found = deadLinks('docs/A.md', (file) => texts[file] ?? read(file));
  expect(found).toEqual(['B.md#none', 'no/where.md', '#b']);
});

test('commands and their options in the documents are those of `tenure`', () => {
  const found = lived.flatMap((file) => missingCommands(read(file)).map((each) => [file, each]));
  expect(found).toEqual([]);
});

test('a command or an option that is not there is found', () => {
  const planted = 'See `tenure ops nothing`, `cli/tenure status --jason` and `tenure ops retry x`.';
  expect(missingCommands(planted)).toEqual(['ops nothing', 'status --jason']);
});

test('CONTRIBUTING.md names each folder of the root, and each project of the tests', () => {
  expect(namesIn(section('CONTRIBUTING.md', 'Where things are'))).toEqual(
    expect.arrayContaining(foldersIn('')),
  );
  const text = section('CONTRIBUTING.md', 'Check and test');
  for (const name of projects) expect(text).toContain(`\`${name}\``);
});

const projects = (config.test?.projects ?? []).map((project) =>
  String((project as { test?: { name?: string } }).test?.name),
);

test('ARCHITECTURE.md names each folder of the sources', () => {
  const named = namesIn(section('docs/ARCHITECTURE.md', 'Folders'));
  const folders = ['src/', 'src/app/', 'src/store/'].flatMap(foldersIn);
  const besides = foldersIn('').filter(
    (name) => !/^(\.|bench|docs|examples|scripts|src|test)/u.test(name),
  );
  expect(folders.length).toBeGreaterThan(20);
  const missing = [...folders, ...besides].filter((name) => !named.includes(name));
  // A folder that contains only folders is listed through their names.
  expect(missing).toEqual(['src/app']);
});

test('ARCHITECTURE.md names each project of the tests, in the order of the configuration', () => {
  expect(projects.length).toBeGreaterThan(5);
  const named = namesIn(section('docs/ARCHITECTURE.md', 'Tests'));
  expect([...new Set(named)]).toEqual(projects);
});

test('ARCHITECTURE.md names each table of the database', () => {
  const text = section('docs/ARCHITECTURE.md', 'Data');
  const tables = [...read('migrations/schema.sql').matchAll(/^create table (\w+)/gmu)];
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.map(([, name]) => name).filter((name) => !text.includes(`\`${name}\``))).toEqual(
    [],
  );
});

/** Returns the numbers of requirements in the first column of tables. Ranges are expanded. */
const requirementsIn = (text: string): string[] =>
  [...text.matchAll(/^\| (\d+\.\d[^|]*) \|/gmu)].flatMap(([, cell = '']) =>
    cell.split(', ').flatMap((part) => {
      const [, section, from, to = from] =
        /^(\d+\.\d+)\.(\d+)(?: to \1\.(\d+))?$/u.exec(part) ?? [];
      const length = Number(to) - Number(from) + 1;
      return Array.from({ length }, (_none, at) => `${section}.${Number(from) + at}`);
    }),
  );

test('SECURITY-REVIEW.md judges each requirement once, and names places that are there', () => {
  const text = read('docs/SECURITY-REVIEW.md');
  const requirements = requirementsIn(text);
  // There are 253 requirements in levels 1 and 2 of ASVS 5.0.
  expect([requirements.length, new Set(requirements).size]).toEqual([253, 253]);
  const places = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/gu)].map(([, place = '']) => place);
  expect(places.length).toBeGreaterThan(100);
  expect(places.filter((place) => !existsSync(place))).toEqual([]);
});

test('metrics that documents name are there', () => {
  const sources = readdirSync('src/ops').map((name) => read(`src/ops/${name}`));
  const names = lived.flatMap((file) => read(file).match(/(?<=`)tenure_[a-z_]+[a-z](?=`)/gu) ?? []);
  expect(names.length).toBeGreaterThan(20);
  const missing = names.filter((name) => !sources.join('\n').includes(`'${name}'`));
  // The only name that is missing is the schema of the queue's own tables.
  expect([...new Set(missing)]).toEqual(['tenure_queue']);
});
