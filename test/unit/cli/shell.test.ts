import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, test, expect } from 'vitest';

test('the database password is no argument of psql', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-shell-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const psql = join(folder, 'psql');
  await writeFile(psql, '#!/bin/sh\necho "$@" "$PGPASSWORD"\n');
  await chmod(psql, 0o755);
  const { stdout } = await promisify(execFile)(process.execPath, ['cli/main.ts', 'shell'], {
    env: {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      DATABASE_URL: 'postgresql://tenure:p%40ss@db:1/tenure?sslmode=require',
    },
  });
  expect(stdout.trim()).toBe('postgresql://tenure@db:1/tenure?sslmode=require p@ss');
});
