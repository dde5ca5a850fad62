import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, test, expect } from 'vitest';
import { testDatabase } from '../kit/postgres.ts';

test('the database password is no argument of psql, whose session has one schema', async () => {
  const database = await testDatabase('empty');
  onTestFinished(() => database.drop());
  const url = new URL(database.url);
  const { password } = url;
  const folder = await mkdtemp(join(tmpdir(), 'tenure-shell-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const psql = join(folder, 'psql');
  await writeFile(psql, '#!/bin/sh\necho "$@" "$PGPASSWORD" "$PGOPTIONS"\n');
  await chmod(psql, 0o755);
  const { stdout } = await promisify(execFile)(process.execPath, ['cli/main.ts', 'shell'], {
    env: {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      DATABASE_URL: url.href,
    },
  });
  url.password = '';
  expect(stdout.trim()).toBe(`${url.href} ${decodeURIComponent(password)}  -c search_path=public`);
});
