import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Runs all tests. The last line that it prints has the numbers of passed and failed tests: `N passed, N failed`. The
 * names of skipped tests are printed, and in CI they count as failures.
 */

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'tenure-test-'));
const file = join(folder, 'report.json');
const run = spawnSync(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: process.env },
);
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
rmSync(folder, { recursive: true });

const skipped = report.testResults.flatMap((result) =>
  result.assertionResults
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName),
);
// If a file could not be loaded, it contains no failed test.
const broken = report.testResults.filter(
  (result) =>
    result.status === 'failed' &&
    result.assertionResults.every(({ status }) => status !== 'failed'),
);
for (const name of skipped) console.error(`SKIPPED: ${name}`);
for (const { name } of broken) console.error(`BROKEN: ${name}`);
const isCi = process.env['CI'] === 'true';
const failed = report.numFailedTests + broken.length + (isCi ? skipped.length : 0);
const ok = run.status === 0 && failed === 0;
process.exitCode = ok ? 0 : 1;
console.log(`${report.numPassedTests} passed, ${ok ? 0 : Math.max(1, failed)} failed`);
