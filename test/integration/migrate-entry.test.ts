import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { newSealingKey } from '../../src/domain/sealing.ts';
import type { Config } from '../../src/main/config.ts';
import { loadConfig } from '../../src/main/config.ts';
import { onCell } from '../../cli/cells/cell.ts';
import { connectToDatabase, openDatabase, openRetentionPool } from '../../src/main/database.ts';
import { readPersonalData } from '../../src/main/privacy.ts';
import { queueShards } from '../../src/main/queue-shards.ts';
import { rotateSecrets } from '../../src/main/secret-keys.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
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
  TENURE_SECRET_KEYS: newSealingKey(),
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

const io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };

/** Creates an empty database with three roles, whose URLs `as` returns, and a data folder. */
async function separateRoles() {
  const two = await testDatabase('empty');
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-roles-'));
  const kinds = ['owner', 'run', 'keep'] as const;
  const nameOf = (kind: string): string => `tenure_${kind}_${two.name.slice(-12)}`;
  const create = kinds.map((kind) => `create role ${nameOf(kind)} login password 'two-roles'`);
  const owner = nameOf('owner');
  const asAdministrator = (sql: string) => queryOnce(two.url, sql);
  await asAdministrator(
    `${create.join('; ')};
     alter database ${two.name} owner to ${owner}; alter schema public owner to ${owner}`,
  );
  return {
    dataDir,
    nameOf,
    asAdministrator,
    as: (kind: string): string => {
      const url = new URL(two.url);
      [url.username, url.password] = [nameOf(kind), 'two-roles'];
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      await rm(dataDir, { recursive: true });
      await using server = await testDatabase('empty');
      await two.drop();
      await queryOnce(server.url, kinds.map((kind) => `drop role ${nameOf(kind)}`).join('; '));
    },
  };
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
    const { applied, message } = JSON.parse(first.out) as { applied: string[]; message: string };
    expect(applied).toHaveLength(Number(rows[0]?.count));
    expect(message).toBe('the database now has the schema of this version');

    const again = await runs({ DATABASE_URL: database.url });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({
      applied: [],
      message: 'the database already has the schema of this version',
    });
  });

  test('migrates as the owner, for processes whose role may not change the schema', async () => {
    await using roles = await separateRoles();
    const { dataDir, nameOf, as, asAdministrator } = roles;
    const [runTime, owner] = ['run', 'owner'].map(as) as [string, string];
    const open = (settings: object) =>
      openDatabase(
        { ...loadConfig({ ...PRODUCTION, DATABASE_URL: runTime, ...settings }), dataDir },
        createLog('silent'),
        AbortSignal.timeout(PATIENCE_MS),
      );
    const waiting = open({});
    const urls = { DATABASE_URL: runTime, DATABASE_MIGRATION_URL: owner };
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

    await expect(open({ DATABASE_URL: owner })).rejects.toThrow(
      /may change the schema: .* lists schema-owner$/u,
    );
    const lifted = { DATABASE_URL: owner, TENURE_EXCEPTIONS: 'schema-owner' };
    await (await open(lifted)).end();

    await asAdministrator(
      `alter role ${nameOf('run')} noinherit; grant ${nameOf('owner')} to ${nameOf('run')}`,
    );
    await expect(open({})).rejects.toThrow(/DATABASE_URL may change the schema/u);
    await asAdministrator(`revoke ${nameOf('owner')} from ${nameOf('run')}`);

    const first = nameOf('owner');
    await pool.query(`create schema ${first}; grant all on schema ${first} to ${first}`);
    const words = `schema ${first} belongs to ${nameOf('run')} and is first in the search path`;
    await expect(migrate({ url: owner, signal: io.signal })).rejects.toThrow(words);
    const keys = newSealingKey();
    const person = { subject: 'anna', party: null };
    const commands = (url: string): readonly (() => Promise<unknown>)[] => [
      () => readPersonalData({ databaseUrl: url, ...person }),
      () => rotateSecrets({ databaseUrl: url, keys }),
      () => queueShards(url, null),
      () => onCell(url, async (client) => client.query('select 1')),
      () => connectToDatabase({ connectionString: url }).then((client) => client.end()),
    ];
    for (const command of commands(owner)) await expect(command()).rejects.toThrow(words);
    for (const command of commands(as('run'))) await command();
    await pool.end();
  });

  test('lets only the role of retention delete old rows, and that role nothing else', async () => {
    await using roles = await separateRoles();
    const { dataDir, nameOf, as } = roles;
    const urls = {
      DATABASE_URL: as('run'),
      DATABASE_MIGRATION_URL: as('owner'),
      DATABASE_RETENTION_URL: as('keep'),
    };
    expect(await runs(urls)).toMatchObject({ code: 0, error: '' });
    await using stack = new AsyncDisposableStack();
    const { signal } = io;
    const open = (settings: object) =>
      ({ ...loadConfig({ ...PRODUCTION, ...urls, ...settings }), dataDir }) as Config;
    const pool = await openDatabase(open({}), createLog('silent'), signal);
    stack.defer(() => pool.end());
    // Neither a temporary table of the session nor a schema with the name of a role may receive the pseudonym.
    await pool.query(`
      create schema ${nameOf('keep')}; grant all on schema ${nameOf('keep')} to ${nameOf('keep')};
      create temporary table person (like public.person);
      insert into audit (at, by_party, by_subject, act, subject, reason, detail)
      values (now() - interval '9 days', 'p::1', 's', 'paused', 'pause:1', 'why', '{}');
      insert into audit_link (seq, audit_id, hash) select 1, id, sha256('1') from audit;
      update audit_chain set last_seq = 1, last_hash = sha256('1');
      drop table pg_temp.person`);
    expect((await pool.query('select from person')).rowCount).toBe(1);
    const oldRows = await openRetentionPool(open({}), pool, stack, signal);
    const epoch = (await createLeases(pool).acquire(SCHEDULER_LEASE, 'test', 600_000, io)) ?? 0n;
    expect((await oldRows.query('select current_schema() as it')).rows).toEqual([{ it: 'public' }]);
    const retention = createRetention(oldRows, trusted<ParticipantName>('app-provider'));
    const old = { olderThanMs: 86_400_000, limit: 10 };
    for (const what of ['changes', 'events', 'deliveries', 'acts'] as const) {
      expect(await retention[what](old, epoch, io), what).toBe(0);
    }
    const batch = { cut: 5n, after: -1n, limit: 10 };
    for (const what of ['contracts', 'exercises', 'updates'] as const) {
      expect(await retention.archived(what, batch, epoch, io), what).toMatchObject({ pruned: 0 });
    }
    expect([await retention.cut(1, io), await retention.beginAt(5n, epoch, io)]).toEqual([
      null,
      false,
    ]);

    const denied = async (by: Pool, statements: readonly string[]) => {
      for (const statement of statements) {
        await expect(by.query(statement), statement).rejects.toThrow(/permission denied/u);
      }
    };
    await denied(pool, [
      'delete from audit',
      'delete from audit_link',
      'update audit set reason = 1',
    ]);
    await denied(pool, ['truncate audit', 'truncate audit_link']);
    await denied(pool, [
      `update person set subject = 'another'`,
      `insert into person (pseudonym, subject, party) values ('person:1', 's', 'p')`,
      'update audit_chain set deleted_seq = 1',
      'update audit_chain set deleted_hash = last_hash',
      'delete from audit_chain',
      `create table ${nameOf('keep')}.mine (by_subject text, by_party text);
       create trigger mine before insert on ${nameOf('keep')}.mine for each row execute function audit_by_pseudonym()`,
    ]);
    await pool.query('delete from person');
    await denied(oldRows, ['select from session', 'select from webhook', 'select from person']);
    await denied(oldRows, ['delete from change', 'delete from lifecycle', 'delete from lease']);
    await denied(oldRows, ['insert into audit (at) values (now())', 'update lease set epoch = 9']);
    await denied(oldRows, ['update audit_chain set last_seq = 9', 'create table mine ()']);
    expect(await retention.audit(old, epoch, io)).toBe(1);
    expect((await pool.query('select from audit')).rowCount).toBe(0);

    const refused = async (settings: object) =>
      openRetentionPool(open(settings), pool, stack, signal);
    await expect(refused({ DATABASE_RETENTION_URL: as('owner') })).rejects.toThrow(
      /DATABASE_RETENTION_URL may change the schema/u,
    );
    const elsewhere = { DATABASE_RETENTION_URL: database.url, TENURE_EXCEPTIONS: 'schema-owner' };
    await expect(refused(elsewhere)).rejects.toThrow(/name different databases/u);
  });

  test('refuses in one line, with a code that makes the job fail', async () => {
    expect(await runs({})).toEqual({
      code: 1,
      out: '',
      error: 'tenure: DATABASE_URL is missing: set it to the address of the PostgreSQL server\n',
    });
    const production = {
      TENURE_ENVIRONMENT: 'production',
      DATABASE_URL: 'postgresql://127.0.0.1:1/tenure',
      DATABASE_MIGRATION_URL: 'postgresql://migrator:postgres@db.invalid/tenure?sslmode=disable',
    };
    expect((await runs(production)).error.split('\n')).toEqual([
      expect.stringMatching(
        /DATABASE_MIGRATION_URL contains a published demo password.* lists demo-credentials$/u,
      ),
      expect.stringMatching(/DATABASE_MIGRATION_URL .* lists database-without-tls$/u),
      '',
    ]);
    const refused = await runs({ DATABASE_URL: 'postgresql://127.0.0.1:1/tenure' });
    expect(refused.code).toBe(1);
    expect(refused.error).toMatch(/^tenure: [^\n]+\n$/u);
  });
});
