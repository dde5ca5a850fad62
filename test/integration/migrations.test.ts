import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { openTcpProxy } from '../../chaos/tcp-proxy.ts';
import { schemaTypes } from '../../scripts/schema-types.ts';
import { dumpSchema, freshSchema } from '../../scripts/dump-schema.ts';
import {
  migrate,
  MigrationRefusedError,
  MIGRATIONS_FOLDER,
  readMigrations,
} from '../../src/store/sql/migrate.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { testDatabase, type TestDatabase } from '../kit/postgres.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

const FIRST = 'create table first_thing (id integer primary key);\n';
const SECOND = 'alter table first_thing add column name text;\n';
const signal = () => AbortSignal.timeout(PATIENCE_MS);

interface Folder extends AsyncDisposable {
  readonly path: string;
  write(fileName: string, sql: string): Promise<void>;
}

async function folderOf(files: Readonly<Record<string, string>>): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'tenure-migrations-'));
  const write = (fileName: string, sql: string) => writeFile(join(path, fileName), sql);
  for (const [fileName, sql] of Object.entries(files)) await write(fileName, sql);
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const tables = async (database: TestDatabase): Promise<unknown[]> =>
  (
    await queryOnce(
      database.url,
      `select tablename from pg_tables where schemaname = 'public' order by 1`,
    )
  ).map((row) => row['tablename']);

async function connected<T>(
  database: TestDatabase,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

describe('files', () => {
  test('are applied in order, once', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({ '0001_first.sql': FIRST });
    const run = () => migrate({ url: database.url, folder: folder.path, signal: signal() });
    expect(await run()).toEqual(['0001_first.sql']);
    expect(await run()).toEqual([]);
    await folder.write('0002_second.sql', SECOND);
    expect(await run()).toEqual(['0002_second.sql']);
    expect(await run()).toEqual([]);
    const known = await readMigrations(folder.path);
    const recorded = await queryOnce(
      database.url,
      'select number, name, sha256 from migration order by 1',
    );
    expect(recorded).toEqual(known.map(({ number, name, sha256 }) => ({ number, name, sha256 })));
    await queryOnce(database.url, `insert into first_thing values (1, 'one')`);
  });

  test('may have the line ends of another system', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({ '0001_first.sql': FIRST });
    await migrate({ url: database.url, folder: folder.path, signal: signal() });
    await folder.write('0001_first.sql', FIRST.replaceAll('\n', '\r\n'));
    expect(await migrate({ url: database.url, folder: folder.path, signal: signal() })).toEqual([]);
  });

  test('that fail leave nothing of any, and say where', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({
      '0001_first.sql': FIRST,
      '0002_second.sql': `create table half (id integer);\n\nalter table nowhere add column x text;\n`,
    });
    const run = () => migrate({ url: database.url, folder: folder.path, signal: signal() });
    await expect(run()).rejects.toMatchObject({
      code: 'FAILED',
      message: '0002_second.sql: relation "nowhere" does not exist',
    });
    expect(await tables(database)).toEqual([]);
    await folder.write('0002_second.sql', `create table half (id integr);\n`);
    await expect(run()).rejects.toMatchObject({
      code: 'FAILED',
      message: '0002_second.sql line 1: type "integr" does not exist',
    });
    await folder.write('0002_second.sql', SECOND);
    expect(await run()).toEqual(['0001_first.sql', '0002_second.sql']);
  });

  test.each([
    [
      { '0001_first.sql': '', '0003_third.sql': '' },
      '0003_third.sql: expected a file named 0002_words.sql',
    ],
    [
      { '0001_first.sql': '', '0001_other.sql': '' },
      '0001_other.sql: expected a file named 0002_words.sql',
    ],
    [{ '0002_second.sql': '' }, '0002_second.sql: expected a file named 0001_words.sql'],
    [
      { '0001_first.sql': '', '0002-second.sql': '' },
      '0002-second.sql: expected a file named 0002_words.sql',
    ],
    [{ '0001_First.sql': '' }, '0001_First.sql: expected a file named 0001_words.sql'],
  ])('%o are not taken', async (files, message) => {
    await using folder = await folderOf(files);
    await expect(readMigrations(folder.path)).rejects.toThrow(message);
  });
});

describe('several at once', () => {
  test('apply each file once', async () => {
    await using database = await testDatabase('empty');
    const runs = await Promise.all(
      Array.from({ length: 8 }, () => migrate({ url: database.url, signal: signal() })),
    );
    const files = (await readMigrations(MIGRATIONS_FOLDER)).map((migration) => migration.fileName);
    expect(runs.flat().sort((a, b) => a.localeCompare(b))).toEqual(files);
    expect(await queryOnce(database.url, 'select count(*) from migration')).toEqual([
      { count: BigInt(files.length) },
    ]);
  });

  test('wait for each other no longer than they are told', async () => {
    await using database = await testDatabase('empty');
    await connected(database, async (other) => {
      await other.query('begin');
      await migrateHolding(other);
      const run = migrate({ url: database.url, lockTimeoutMs: 100, signal: signal() });
      await expect(run).rejects.toMatchObject({ code: 'BUSY' });
      await other.query('rollback');
    });
    expect(await migrate({ url: database.url, signal: signal() })).not.toEqual([]);
  });

  test('one whose connection freezes lets the next one go on', async () => {
    await using database = await testDatabase('empty');
    const url = new URL(database.url);
    await using proxy = await openTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    await using folder = await folderOf({ '0001_slow.sql': `${FIRST} select pg_sleep(0.5);` });
    const options = { folder: folder.path, lockTimeoutMs: 2_000 };
    const calledOff = new AbortController();
    const frozen = migrate({ ...options, url: url.href, signal: calledOff.signal }).catch(() => []);
    await expect
      .poll(() =>
        queryOnce(
          database.url,
          `select 1 from pg_stat_activity where query like '%pg_sleep(0.5)%' and pid <> pg_backend_pid()`,
        ),
      )
      .toHaveLength(1);
    proxy.swallow();
    expect(await migrate({ ...options, url: database.url, signal: signal() })).toEqual([
      '0001_slow.sql',
    ]);
    calledOff.abort(new Error('enough'));
    expect(await frozen).toEqual([]);
  });

  test('one that is called off breaks its connection and leaves nothing', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({
      '0001_first.sql': FIRST,
      '0002_slow.sql': 'create table slow (id integer); select pg_sleep(60);',
    });
    const calledOff = new AbortController();
    const run = migrate({
      url: database.url,
      folder: folder.path,
      signal: calledOff.signal,
    }).catch((error: unknown) => error);
    await expect
      .poll(() =>
        queryOnce(
          database.url,
          `select 1 from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
        ),
      )
      .toHaveLength(1);
    calledOff.abort(new Error('enough'));
    expect(await run).toEqual(new Error('enough'));
    expect(await tables(database)).toEqual([]);
  });
});

/** Takes the lock that a running migration holds. */
async function migrateHolding(client: Client): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [0x74_65_6e_75_72_65n]);
}

describe('a database is left alone', () => {
  test('when a file has been changed since', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({ '0001_first.sql': FIRST });
    await migrate({ url: database.url, folder: folder.path, signal: signal() });
    await folder.write('0001_first.sql', `${FIRST}-- and more\n`);
    await expect(
      migrate({ url: database.url, folder: folder.path, signal: signal() }),
    ).rejects.toMatchObject({
      code: 'CHANGED',
      message: expect.stringMatching(/^0001_first\.sql was changed after it was applied/),
    });
  });

  test('when it comes from the future', async () => {
    await using database = await testDatabase('empty');
    await using newer = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': SECOND });
    await using older = await folderOf({ '0001_first.sql': FIRST });
    await migrate({ url: database.url, folder: newer.path, signal: signal() });
    await expect(
      migrate({ url: database.url, folder: older.path, signal: signal() }),
    ).rejects.toMatchObject({
      code: 'FUTURE',
      message:
        'the database has migration 2, but this version of Tenure knows only 1: start a newer version',
    });
  });

  test('when its record has a hole', async () => {
    await using database = await testDatabase('empty');
    await using folder = await folderOf({ '0001_first.sql': FIRST, '0002_second.sql': SECOND });
    await migrate({ url: database.url, folder: folder.path, signal: signal() });
    await queryOnce(database.url, 'delete from migration where number = 1');
    const run = migrate({ url: database.url, folder: folder.path, signal: signal() });
    await expect(run).rejects.toThrow(MigrationRefusedError);
    await expect(run).rejects.toMatchObject({ code: 'DAMAGED' });
  });

  test.each([
    [
      'has a table of ours',
      'create table contract (id integer)',
      'relation "contract" already exists',
    ],
    [
      'has a function of ours',
      'create function latest_offset() returns bigint language sql as $$ select 1::bigint $$',
      'function "latest_offset" already exists',
    ],
    [
      'is migrated by another tool',
      'create table migration (id serial, run_on timestamp)',
      'already has a table "migration"',
    ],
  ])('when it %s', async (_what, sql, message) => {
    await using database = await testDatabase('empty');
    await queryOnce(database.url, sql);
    const before = await tables(database);
    await expect(migrate({ url: database.url, signal: signal() })).rejects.toMatchObject({
      code: 'FOREIGN',
      message: expect.stringContaining(message),
    });
    expect(await tables(database)).toEqual(before);
  });

  test('but not for tables of another name', async () => {
    await using database = await testDatabase('empty');
    await queryOnce(database.url, 'create table unrelated (id integer)');
    expect(await migrate({ url: database.url, signal: signal() })).not.toEqual([]);
  });

  test('when our user may not create tables in it', async () => {
    await using database = await testDatabase('empty');
    const role = `${database.name}_reader`;
    await queryOnce(database.url, `create role ${role} login password 'reader'`);
    try {
      await queryOnce(database.url, 'revoke create on schema public from public');
      const url = new URL(database.url);
      url.username = role;
      url.password = 'reader';
      await expect(migrate({ url: url.href, signal: signal() })).rejects.toMatchObject({
        code: 'DENIED',
        message: 'the database user may not migrate: permission denied for schema public',
      });
    } finally {
      await queryOnce(inject('postgres').adminUrl, `drop role ${role}`);
    }
  });
});

test('schema.ts has the types of the tables (else: node scripts/write-schema.ts)', async () => {
  await using database = await testDatabase();
  const reviewed = await readFile('migrations/schema.ts', 'utf8');
  expect(await connected(database, schemaTypes)).toBe(reviewed);
  await connected(database, async (client) => {
    await client.query('alter table webhook add column note jsonb');
    await expect(schemaTypes(client)).rejects.toThrow('webhook.note is jsonb: say');
    await client.query('alter table webhook drop column note, drop column url cascade');
    expect(await schemaTypes(client)).not.toBe(reviewed);
    await client.query('drop table standstill');
    await expect(schemaTypes(client)).rejects.toThrow('there is no column standstill.kind');
  });
});

describe('schema.sql', () => {
  test('is what the migrations amount to (else: node scripts/write-schema.ts)', async (context) => {
    await using database = await testDatabase();
    const [server] = await queryOnce(
      database.url,
      `select current_setting('server_version_num')::integer / 10000 as major`,
    );
    // Other versions of PostgreSQL print views and check constraints differently.
    if (server?.['major'] !== 18) context.skip('TEST_DATABASE_URL is not PostgreSQL 18');
    const reviewed = await readFile(join(MIGRATIONS_FOLDER, 'schema.sql'), 'utf8');
    expect(await connected(database, freshSchema)).toBe(reviewed);
  });

  test.each([
    ['a column', 'alter table ledger_update add column note text'],
    ['a default', `alter table contract alter column payload set default '{}'`],
    ['a not null', 'alter table ledger_update alter column effective_at set not null'],
    ['an index', 'create index extra on contract (package_id)'],
    ['a dropped index', 'drop index contract_created'],
    ['a check', 'alter table contract add check (created_at_offset > 0)'],
    ['a dropped check', 'alter table query_store_offset drop constraint query_store_offset_check'],
    ['a reference', 'alter table ledger_update add foreign key (update_id) references template'],
    ['a function', 'create function extra() returns integer language sql as $$ select 1 $$'],
    [
      'another body',
      `create or replace function nearest_offset(ago interval) returns bigint language sql as $$ select 1::bigint $$`,
    ],
    ['another volatility', 'alter function latest_offset() volatile'],
    ['a view', 'create view extra as select 1 as one'],
    [
      'a trigger',
      'alter table exercise disable trigger all; drop trigger exercise_teaches_choices on exercise',
    ],
    ['a comment', `comment on table contract is 'changed'`],
    ['a type', `create type extra as enum ('a', 'b')`],
    ['a domain', 'create domain extra as integer check (value > 0)'],
    ['a composite type', 'create type extra as (a integer)'],
    ['a sequence', 'create sequence extra'],
    [
      'an identity column',
      'alter table ledger_update add column extra bigint generated always as identity',
    ],
    [
      'a generated column',
      'alter table ledger_update add column extra bigint generated always as ("offset" + 1) stored',
    ],
    ['a storage option', 'alter table contract set (fillfactor = 50)'],
    ['persistence', 'alter table ledger_update set unlogged'],
  ])('%s shows in the dump', async (_what, sql) => {
    await using database = await testDatabase('pristine');
    await connected(database, async (client) => {
      const before = await dumpSchema(client);
      expect(await dumpSchema(client)).toBe(before);
      await client.query(sql);
      expect(await dumpSchema(client)).not.toBe(before);
    });
  });

  test.each([
    ['a materialised view', 'create materialized view extra as select 1 as one'],
    ['a partitioned table', 'create table extra (id integer) partition by list (id)'],
    [
      'a table with row security',
      'create table extra (id integer); alter table extra enable row level security',
    ],
    ['an inherited table', 'create table extra () inherits (template)'],
    ['an aggregate', 'create aggregate extra (integer) (sfunc = int4pl, stype = integer)'],
    ['a rule', 'create rule extra as on delete to template do instead nothing'],
  ])('%s, which the dump cannot write, is an error', async (_what, sql) => {
    await using database = await testDatabase('pristine');
    await connected(database, async (client) => {
      await client.query(sql);
      await expect(dumpSchema(client)).rejects.toThrow(/^the schema dump cannot write: .*extra/);
    });
  });
});
