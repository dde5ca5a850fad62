import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lineOf } from '../../../cli/output.ts';

/* Errors of the operating system about a file are reported as a sentence that contains the file's path. */

const thrownBy = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

test('a data folder below a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-output-'));
  try {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const error = thrownBy(() => mkdirSync(join(file, 'logs'), { recursive: true }));
    expect(lineOf(error)).toBe(
      `${join(file, 'logs')} cannot be used: a part of the path is a file`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['EACCES', 'this user does not have the permission'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
])('%s', (code, words) => {
  const error = Object.assign(new Error(`${code}: mkdir '/data/logs'`), {
    code,
    path: '/data/logs',
  });
  expect(lineOf(error)).toBe(`/data/logs cannot be used: ${words}`);
});

test('a port that this user may not have is no file', () => {
  const error = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:80'), {
    code: 'EACCES',
  });
  expect(lineOf(error)).toBe('listen EACCES: permission denied 0.0.0.0:80');
});
