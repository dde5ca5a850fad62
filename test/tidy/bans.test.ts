import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BANNED_FILE_NAMES, DANGEROUS, usersOf, violations } from './bans.ts';
import { sourceFiles, textFiles } from './files.ts';

test('nothing banned is written anywhere', () => {
  expect(textFiles().flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('file names say what is in the file', () => {
  // Files of tests may be named after services of the ledger, so their names are not checked.
  const named = sourceFiles().filter((file) => !/^(proto\/gen|test)\//u.test(file));
  expect(named.filter((file) => BANNED_FILE_NAMES.test(file))).toEqual([]);
});

test.each([
  ['test/unit/a.test.ts', `vi.mock('x')`],
  ['src/app/a.ts', '// TODO later'],
  ['src/http/a.ts', 'const pool = new Pool({})'],
  ['src/queue/a.ts', 'removeOnComplete: { count: 5 }'],
  ['src/app/a.ts', 'createActor(machine)'],
  ['src/projector/a.ts', `import { setTimeout } from 'node:timers/promises'`],
  ['src/http/a.ts', 'if (e instanceof ClientError) {}'],
  ['test/unit/a.test.ts', `test.only('x', () => {})`],
  ['test/e2e/a.test.ts', 'await page.waitForTimeout(5)'],
  ['src/http/a.ts', 'export function handle(request: Request) {}'],
  ['src/ledger/a.ts', 'const domainId = one.synchronizerId'],
  ['docs/A.md', 'the sync domain of a participant'],
])('the ban bites: %s', (file, source) => {
  expect(violations(file, source)).toHaveLength(1);
});

test.each([
  'src/app/date-utils.ts',
  'src/queue-helper.ts',
  'src/store/manager.ts',
  'src/app/info.ts',
])('the name is banned: %s', (file) => {
  expect(BANNED_FILE_NAMES.test(file)).toBe(true);
});

test('a dangerous switch is named by the files of its list, and no others', () => {
  const files = sourceFiles().filter((file) => !/^(proto\/gen|test)\//u.test(file));
  expect(usersOf(new Map(files.map((file) => [file, readFileSync(file, 'utf8')])))).toEqual(
    DANGEROUS,
  );
});

test('the list of switches bites', () => {
  const files = new Map([['src/http/a.ts', 'connect({ [allowPlaintext]: true })']]);
  expect(usersOf(files)).toMatchObject({ allowPlaintext: ['src/http/a.ts'], trustPartyClaim: [] });
});
