import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironmentFile } from '../../../src/main/environment-file.ts';

function read(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-environment-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '.env'), text);
  return readEnvironmentFile(join(folder, '.env'));
}

// Public reports: https://github.com/theskumar/python-dotenv/issues/637, https://github.com/denoland/deno/issues/36701
test('the first line of a file counts also behind a byte order mark', () => {
  const { settings, mistakes } = read('\uFEFFPARTY_HINT=shop-1\r\nexport AUTH_MODE="oauth2"\r\n');
  expect([settings, mistakes]).toEqual([{ PARTY_HINT: 'shop-1', AUTH_MODE: 'oauth2' }, []]);
});

test('a line that is no setting is named by its number', () => {
  expect(read('A=1\n\nnot a setting\n').mistakes).toEqual(['line 3 is no setting']);
});
