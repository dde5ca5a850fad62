import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';

/* Code that is shipped must not use the instruments that tests put around the ports of a system. */

const shipped = sourceFiles().filter((file) => !/^(test|bench|scripts)\//u.test(file));

/** Returns the calls of `startSystem` with their arguments. */
const startsIn = (source: string): string[][] =>
  [...source.matchAll(/(?<!function )\bstartSystem\(([^()]*)\)/gu)].map(([, list = '']) =>
    list.split(',').filter((argument) => argument.trim() !== ''),
  );

test('no composition root that ships hands instruments to its system', () => {
  const starts = shipped.flatMap((file) => startsIn(readFileSync(file, 'utf8')));
  expect(starts.length).toBeGreaterThanOrEqual(2);
  expect(starts.filter((list) => list.length !== 3)).toEqual([]);
});

test('only system.ts knows that there are any', () => {
  const knowing = shipped.filter((file) => /\binstruments\b/iu.test(readFileSync(file, 'utf8')));
  const ours = knowing.filter((file) => file.startsWith('src/main/') || file.startsWith('cli/'));
  expect(ours).toEqual(['src/main/system.ts']);
});

test('nothing that ships can reach a crash point', () => {
  const reaching = shipped.filter((file) => /crash-?points?/iu.test(readFileSync(file, 'utf8')));
  expect(reaching).toEqual([]);
});

test('the check bites', () => {
  expect(startsIn('await startSystem(config, log, signal, crashInstruments)')[0]).toHaveLength(4);
});
