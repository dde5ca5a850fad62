import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BANNED_FILE_NAMES, violations } from './bans.ts';
import { sourceFiles, textFiles } from './files.ts';

test('nothing banned is written anywhere', () => {
  expect(textFiles().flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('file names say what is in the file', () => {
  // Tests may be named after the ledger's own services.
  const named = sourceFiles().filter((file) => !/^(proto\/gen|test)\//u.test(file));
  expect(named.filter((file) => BANNED_FILE_NAMES.test(file))).toEqual([]);
});

test.each([
  ['test/unit/a.test.ts', `vi.mock('x')`],
  ['src/app/a.ts', '// TODO later'],
  ['src/http/a.ts', 'const pool = new Pool({})'],
  ['src/queue/a.ts', 'removeOnComplete: { count: 5 }'],
  ['src/app/a.ts', 'createActor(machine)'],
  ['src/http/a.ts', 'if (e instanceof ClientError) {}'],
  ['test/unit/a.test.ts', `test.only('x', () => {})`],
  ['test/e2e/a.test.ts', 'await page.waitForTimeout(5)'],
])('the ban bites: %s', (file, source) => {
  expect(violations(file, source)).toHaveLength(1);
});

test.each(['src/app/date-utils.ts', 'src/queue-helper.ts', 'src/store/manager.ts'])(
  'the name is banned: %s',
  (file) => {
    expect(BANNED_FILE_NAMES.test(file)).toBe(true);
  },
);
