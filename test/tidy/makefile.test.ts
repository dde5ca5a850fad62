import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textFiles } from './files.ts';

/** Returns the names of targets, without targets that are files, because their names are variables. */
const targetsIn = (makefile: string): string[] => [
  ...new Set([...makefile.matchAll(/^([a-z][a-z-]*):(?!=)/gmu)].map(([, name = '']) => name)),
];

const phonyIn = (makefile: string): string[] =>
  [...makefile.replaceAll('\\\n', ' ').matchAll(/^\.PHONY:(.*)$/gmu)].flatMap(([, names = '']) =>
    names.trim().split(/\s+/u),
  );

const makefile = readFileSync('Makefile', 'utf8');

// A target that is not phony, such as `profile`, does nothing if a file or folder has its name.
test('every target is phony, and nothing else is', () => {
  const targets = targetsIn(makefile);
  expect(targets.length).toBeGreaterThan(40);
  expect(phonyIn(makefile).sort()).toEqual(targets.sort());
});

test('targets and phony ones are read from the text', () => {
  const planted = 'a := b\n.PHONY: one \\\n  two\none: x ## does\n\t@false\ntwo:\n$(FILE): one\n';
  expect(targetsIn(planted)).toEqual(['one', 'two']);
  expect(phonyIn(planted)).toEqual(['one', 'two']);
});

/** Returns the targets of all `make …` in a text that are written as code, or as a command in a block. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/(?:`|^)(?:[A-Z_]+=\S+ )*make ([a-z][a-z-]*)/gmu)].map(([, name = '']) => name);

test('documents name targets that there are', () => {
  const targets = new Set(targetsIn(makefile));
  // The changelog is left out, because it keeps names as they were in a version.
  const documents = textFiles().filter(
    (file) => /\.(md|yaml)$/u.test(file) && file !== 'CHANGELOG.md',
  );
  const named = documents.flatMap((file) =>
    namedIn(readFileSync(file, 'utf8')).map((name) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter(({ name }) => !targets.has(name))).toEqual([]);
});

test('a target that is named in a sentence or a block is seen', () => {
  expect(namedIn('run `make one`\n```sh\nMINUTES=1 make two  # then\n```\nto make three')).toEqual([
    'one',
    'two',
  ]);
});
