import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { databaseOfRun } from './kit/parts.ts';

/* Compares the list in docs/ARCHITECTURE.md, "An expire, function by function", with what a whole Tenure executes. */

const section = /### An expire, function by function\n(.*?)\n##/su.exec(
  readFileSync('docs/ARCHITECTURE.md', 'utf8'),
)?.[1];
const steps = [...(section ?? '').matchAll(/^\d+\. `([^`]+)`, `([^`]+)`/gmu)].map(
  ([, file, name]) => `${file} ${name}`,
);

/** Returns the first step of the list that is missing or out of order, or `null`. */
function firstMissing(entered: readonly string[]): string | null {
  let from = 0;
  for (const step of steps) {
    const at = entered.indexOf(step, from);
    if (at === -1) return step;
    from = at + 1;
  }
  return null;
}

/**
 * The maximum number of files of `src` in which an expiry and its consequences enter a function, without those that an
 * idle Tenure also enters. If the number falls, lower it here and in the document.
 */
const FILES_MAX = 99;

test('an expire enters the functions of the list, in its order, and no more files than it did', async () => {
  expect(steps.length).toBeGreaterThan(25);
  await using servers = await databaseOfRun();
  const given = [steps, servers.environment].map((each) => JSON.stringify(each));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['test/e2e/kit/path-recorder.fixture.ts', ...given],
    { maxBuffer: 64 * 1_024 * 1_024, timeout: 120_000 },
  );
  const entered = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as {
    readonly expires: readonly (readonly string[])[];
    readonly files: readonly string[];
  };
  // One complete run is enough: the update and the completion come from two streams, and either can arrive first.
  expect(entered.expires.map(firstMissing)).toContain(null);
  expect(entered.files).toContain('src/app/engine/requests/request-change.ts');
  expect(entered.files.length, entered.files.join('\n')).toBeLessThanOrEqual(FILES_MAX);
  expect(section).toContain(`${FILES_MAX} files`);
});
