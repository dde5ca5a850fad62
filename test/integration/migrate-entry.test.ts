import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/main/config.ts';
import { openDatabase } from '../../src/main/database.ts';
import { createLog } from '../../src/main/log.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';

/* The program of the migration job, as a container runs it. */

const PRODUCTION = {
  TENURE_ENVIRONMENT: 'production',
  LEDGER_HOST: 'localhost',
  REGISTRY_BASE_URI: 'https://registry.example.com',
  AUTH_APP_PROVIDER_ISSUER_URL: 'https://login.example.com',
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 's3cret-of-ours',
  APP_USER_TENANT: 'off',
  TENURE_RATE_LIMIT: '6000',
  TENURE_RATE_LIMIT_ANONYMOUS: '6000',
};

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

  test('migrates as the owner, for processes whose role may not change the schema', async () => {
    await using two = await testDatabase('empty');
    const dataDir = await mkdtemp(join(tmpdir(), 'tenure-roles-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const [owner, runTime] = ['owner', 'run'].map(
      (kind) => `tenure_${kind}_${two.name.slice(-12)}`,
    );
    const as = (role: string | undefined): string => {
      const url = new URL(two.url);
      [url.username, url.password] = [role ?? '', 'two-roles'];
      return url.href;
    };
    await queryOnce(
      two.url,
      `create role ${owner} login password 'two-roles'; create role ${runTime} login password 'two-roles';
       alter database ${two.name} owner to ${owner}; alter schema public owner to ${owner}`,
    );
    const open = (settings: object) =>
      openDatabase(
        { ...loadConfig({ ...PRODUCTION, DATABASE_URL: as(runTime), ...settings }), dataDir },
        createLog('silent'),
        AbortSignal.timeout(PATIENCE_MS),
      );
    try {
      const waiting = open({});
      const urls = { DATABASE_URL: as(runTime), DATABASE_MIGRATION_URL: as(owner) };
      expect(await runs(urls)).toMatchObject({ code: 0, error: '' });
      const pool = await waiting;
      await pool.query('lock table lifecycle in access exclusive mode; delete from lifecycle');
      await pool.query('create schema of_the_queue; drop schema of_the_queue');
      for (const statement of [
        'drop table audit',
        'alter table change add column n integer',
        'create table mine ()',
        'delete from migration',
      ]) {
        await expect(pool.query(statement), statement).rejects.toThrow(
          /permission denied|must be owner/u,
        );
      }

      await expect(open({ DATABASE_URL: as(owner) })).rejects.toThrow(
        /may change the schema: .* lists schema-owner$/u,
      );
      const lifted = { DATABASE_URL: as(owner), TENURE_EXCEPTIONS: 'schema-owner' };
      await (await open(lifted)).end();
      await pool.end();
    } finally {
      await two.drop();
      await queryOnce(database.url, `drop role ${owner}; drop role ${runTime}`);
    }
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
