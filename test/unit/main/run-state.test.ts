import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunState } from '../../../src/main/run-state.ts';
import { readRunState, settingsOf, writeRunState } from '../../../src/main/run-state.ts';

const STATE: RunState = {
  pid: 17,
  startedAt: '2026-01-01T00:00:00.000Z',
  apiUrl: 'http://127.0.0.1:8080',
  databaseUrl: 'postgresql://u:p@127.0.0.1/tenure',
  providerParty: 'p::1220',
  environment: {},
  processes: [],
  addresses: [],
  localnet: null,
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-run-state-'));
});
afterEach(() => rm(folder, { recursive: true }));

const file = () => join(folder, 'run', 'tenure.json');

test('what was written is read, by its owner alone, and nothing is left beside it', async () => {
  expect(await readRunState(folder)).toBeNull();
  await writeRunState(folder, STATE);
  await writeRunState(folder, { ...STATE, pid: 18 });
  expect(await readRunState(folder)).toEqual({ ...STATE, pid: 18 });
  expect((await stat(file())).mode & 0o077).toBe(0);
  expect(await readdir(join(folder, 'run'))).toEqual(['tenure.json']);
});

test.each([
  ['is empty', ''],
  ['was cut off', '{"pid": 1'],
  ['says something else', 'null'],
  ['names no process', '{"pid": "x"}'],
])('a file that %s is named, with what to do', async (_, text) => {
  await mkdir(join(folder, 'run'));
  await writeFile(file(), text);
  const read = readRunState(folder);
  await expect(read).rejects.toThrow(`${file()} is damaged`);
  await expect(read).rejects.toThrow('delete the file, and start again');
  expect(await readFile(file(), 'utf8')).toBe(text);
});

test('a command has the settings of the start, below its own, and those of what was started along', () => {
  const state = {
    given: { DATABASE_URL: 'postgresql://given', REDIS_URL: 'redis://given' },
    environment: { LEDGER_HOST: 'along' },
  };
  const own = { REDIS_URL: 'redis://own', LEDGER_HOST: 'own' };
  expect(settingsOf(own, state)).toEqual({
    DATABASE_URL: 'postgresql://given',
    REDIS_URL: 'redis://own',
    LEDGER_HOST: 'along',
  });
  expect(settingsOf(own, null)).toEqual(own);
});
