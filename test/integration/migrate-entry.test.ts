import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryOnce } from '../kit/postgres-query.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';

/* The program of the migration job, as a container runs it. */

async function runs(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly out: string; readonly error: string }> {
  const child = spawn(process.execPath, ['src/main/migrate.ts'], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, error] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, error };
}

describe('src/main/migrate.ts', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase('empty');
  });
  afterAll(() => database.drop());

  test('migrates with no setting but the database, and again does nothing', async () => {
    const first = await runs({ DATABASE_URL: database.url });
    expect(first).toMatchObject({ code: 0, error: '' });
    const rows = await queryOnce<{ count: bigint }>(
      database.url,
      'select count(*) as count from migration',
    );
    const applied = (JSON.parse(first.out) as { applied: string[] }).applied;
    expect(applied).toHaveLength(Number(rows[0]?.count));

    const again = await runs({ DATABASE_URL: database.url });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({ applied: [] });
  });

  test('refuses in one line, with a code that makes the job fail', async () => {
    expect(await runs({})).toEqual({
      code: 1,
      out: '',
      error: 'tenure: DATABASE_URL is missing: the PostgreSQL server of the store\n',
    });
    const refused = await runs({ DATABASE_URL: 'postgresql://127.0.0.1:1/tenure' });
    expect(refused.code).toBe(1);
    expect(refused.error).toMatch(/^tenure: [^\n]+\n$/u);
  });
});
