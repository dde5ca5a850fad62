import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { sleep } from '../../app/ports/wakeup.ts';
import { asOutage } from './database-outage.ts';
import { asUnreachable, assertDatabaseUrl } from './database-unreachable.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ServerClient } from './server-client.ts';
import { UntrustedSchemaError, enterSchema } from './trusted-schema.ts';

/** A numbered SQL file. Numbers start at 1 and have no gaps. */
export interface Migration {
  readonly number: number;
  /** For example `query_store` for the file `0001_query_store.sql`. */
  readonly name: string;
  readonly fileName: string;
  /** Hash of the text with Unix line ends, so that a checkout with other line ends has the same hash. */
  readonly sha256: string;
  readonly sql: string;
}

type MigrationRefusal =
  /** A file was changed after it had been applied to this database. */
  | 'CHANGED'
  /** The database has a migration that this version does not know: a newer Tenure has used it. */
  | 'FUTURE'
  /** The database belongs to another application. */
  | 'FOREIGN'
  /** The record of applied migrations has a gap. */
  | 'DAMAGED'
  /** The version of the server is too old. */
  | 'SERVER_TOO_OLD'
  /** The database user may not create tables. */
  | 'DENIED'
  /** Another session holds a lock that the migration needs. */
  | 'BUSY'
  /** The SQL of a file failed; no part of any file was applied. */
  | 'FAILED';

/** Thrown if the database was not changed. `message` is one line for a person. */
export class MigrationRefusedError extends Error {
  override readonly name = 'MigrationRefusedError';
  readonly code: MigrationRefusal;

  constructor(code: MigrationRefusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface MigrateOptions {
  readonly url: string;
  /** @default the project's own folder */
  readonly folder?: string;
  /** How long to wait for another process that migrates, and for tables that are in use. */
  readonly lockTimeoutMs?: number;
  readonly signal: AbortSignal;
}

/** The folder of the project's own migrations. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** Files in that folder that are not migrations: the resulting schema, for reviews and for the compiler. */
const RESULT_FILES = ['schema.sql', 'schema.ts'];
const SERVER_VERSION_MIN = 140_000;
/** "tenure" in ASCII. All programs that use advisory locks in a database share one number space. */
const LOCK_KEY = 0x74_65_6e_75_72_65n;

/**
 * Applies the missing migrations to a database. Every role may call this when it starts, repeatedly and at the same
 * time as others.
 *
 * All files are applied in one transaction. Processes of an earlier version may keep running: each of their statements
 * sees either the old schema or the new one. The transaction first takes a lock and then reads which migrations are
 * missing, so that each of several processes continues where the previous one stopped. The lock ends with the
 * transaction, so it cannot be left behind and works through a connection pooler.
 *
 * @returns the file names applied by this call, in order
 * @throws MigrationRefusedError
 * @throws DatabaseUnreachableError
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const known = await readMigrations(options.folder ?? MIGRATIONS_FOLDER);
  options.signal.throwIfAborted();
  assertDatabaseUrl(options.url);
  const client = new ServerClient({
    connectionString: options.url,
    application_name: 'tenure migrate',
    connectionTimeoutMillis: STORE_LIMITS.connectMs,
    keepAlive: true,
  });
  // Ending the connection rolls back uncommitted work.
  const onAbort = () => void client.end();
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    await client.connect();
    await assertServerVersion(client);
    const lockTimeoutMs = options.lockTimeoutMs ?? STORE_LIMITS.migrationLockMs;
    return await applyWithin(client, known, lockTimeoutMs, options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    throw asUnreachable(error, options.url) ?? asOutage(error, options.url) ?? error;
  } finally {
    options.signal.removeEventListener('abort', onAbort);
    await client.end();
  }
}

/**
 * Returns the migrations of a folder, in order.
 *
 * @throws Error if a number is missing or used twice, or if a file name has another form: such a file would silently
 * not be applied
 */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => !RESULT_FILES.includes(name)).sort();
  return Promise.all(
    names.map(async (fileName, index) => {
      const [, number = '', name = ''] = FILE_NAME.exec(fileName) ?? [];
      if (Number(number) !== index + 1) {
        const expected = String(index + 1).padStart(4, '0');
        throw new Error(`migrations/${fileName}: expected a file named ${expected}_words.sql here`);
      }
      const sql = (await readFile(join(folder, fileName), 'utf8')).replaceAll('\r\n', '\n');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { number: index + 1, name, fileName, sha256, sql };
    }),
  );
}

/**
 * Retries if other sessions held a table for too long, or waited for a table that was locked here. They can proceed
 * between two tries.
 */
async function applyWithin(
  client: Client,
  known: readonly Migration[],
  lockTimeoutMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const untilMs = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return await applyAll(client, known, lockTimeoutMs);
    } catch (error) {
      if (!(error instanceof TablesInUseError)) throw asRefusal(error) ?? error;
      if (performance.now() > untilMs) throw asRefusal(error.cause) ?? error.cause;
      await sleep(STORE_LIMITS.migrationAgainMs, signal);
    }
  }
}

async function applyAll(
  client: Client,
  known: readonly Migration[],
  lockTimeoutMs: number,
): Promise<readonly string[]> {
  const waitFor = (ms: number) =>
    client.query(`select set_config('lock_timeout', $1, true)`, [`${ms}ms`]);
  await client.query('begin');
  try {
    await waitFor(lockTimeoutMs);
    // If this process or its connection freezes, its lock ends before the timeout of the other processes.
    await client.query(`select set_config('idle_in_transaction_session_timeout', $1, true)`, [
      `${Math.ceil(lockTimeoutMs / 2)}ms`,
    ]);
    await enterSchema(client);
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const before = await appliedMigrations(client);
    const left = leftOf(before, known);
    await waitFor(Math.min(lockTimeoutMs, STORE_LIMITS.migrationTableLockMs));
    if (before.length > 0 && left.length > 0) await lockTables(client);
    for (const migration of left) await apply(client, migration);
    await client.query('commit');
    return left.map(({ fileName }) => fileName);
  } catch (error) {
    // The connection itself may have failed; the original error says more than an error of this rollback.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Thrown if another session holds a lock on a table, or if there was a deadlock. */
class TablesInUseError extends Error {
  override readonly name = 'TablesInUseError';
}

const NOT_OWNER = 'the database user may not migrate, because another role owns the tables';

/**
 * Locks all tables before anything is changed, so that transactions that use them run either before or after the
 * migration. If the locks were taken one by one, a transaction that waits for one of them could hold a lock that is
 * needed later.
 */
async function lockTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c
     where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
       and pg_has_role(c.relowner, 'usage')
     order by c.relname`,
  );
  if (rows.length === 0) throw new MigrationRefusedError('DENIED', NOT_OWNER);
  const names = rows.map(({ name }) => name).join(', ');
  try {
    await client.query(`lock table ${names} in access exclusive mode`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== '55P03' && code !== '40P01') throw error;
    throw new TablesInUseError('a table is in use', { cause: error });
  }
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
}

/** Returns the applied migrations in order. Creates the table in which they are recorded, if it is missing. */
async function appliedMigrations(client: Client): Promise<readonly Applied[]> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select a.attname as name
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relname = 'migration' and c.relnamespace = current_schema()::regnamespace
       and a.attnum > 0 and not a.attisdropped
     order by a.attnum`,
  );
  const shape = columns.map((column) => column.name).join(' ');
  if (shape === '') {
    await client.query(
      `create table migration (
         number      integer     primary key,
         name        text        not null,
         sha256      text        not null,
         applied_at  timestamptz not null default now()
       )`,
    );
    return [];
  }
  if (shape !== 'number name sha256 applied_at') {
    throw new MigrationRefusedError(
      'FOREIGN',
      'the database already has a table "migration" that is not Tenure\'s; give Tenure a database of its own',
    );
  }
  const { rows } = await client.query<Applied>(
    'select number, name, sha256 from migration order by number',
  );
  return rows;
}

/** Returns the migrations that still have to be applied, in order. */
function leftOf(applied: readonly Applied[], known: readonly Migration[]): readonly Migration[] {
  for (const [index, row] of applied.entries()) {
    if (row.number !== index + 1) {
      throw new MigrationRefusedError(
        'DAMAGED',
        `the database has migration ${row.number} but not ${index + 1}: restore table "migration" from a backup`,
      );
    }
    const migration = known[index];
    if (migration === undefined) {
      const newest = applied.at(-1)?.number ?? row.number;
      throw new MigrationRefusedError(
        'FUTURE',
        `the database has migration ${newest}, but this version of Tenure knows only ${known.length}: start a newer version`,
      );
    }
    if (row.sha256 !== migration.sha256) {
      throw new MigrationRefusedError(
        'CHANGED',
        `${migration.fileName} was changed after it was applied to this database: ` +
          'restore the file, and write a new migration for the change',
      );
    }
  }
  return known.slice(applied.length);
}

async function apply(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    throw asRefusal(error, migration) ?? error;
  }
  await client.query('insert into migration (number, name, sha256) values ($1, $2, $3)', [
    migration.number,
    migration.name,
    migration.sha256,
  ]);
}

/** SQLSTATEs that mean "already exists": of tables, of types and similar objects, of functions, and of schemas. */
const ALREADY_EXISTS: readonly string[] = ['42P07', '42710', '42723', '42P06'];

function asRefusal(error: unknown, migration?: Migration): MigrationRefusedError | null {
  if (error instanceof MigrationRefusedError) return error;
  if (error instanceof UntrustedSchemaError)
    return new MigrationRefusedError('FOREIGN', error.message, { cause: error });
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return null;
  const code = String(error.code);
  const options = { cause: error };
  if (ALREADY_EXISTS.includes(code)) {
    const words = `${error.message}, and it is not Tenure's; give Tenure a database of its own`;
    return new MigrationRefusedError('FOREIGN', words, options);
  }
  if (code === '42501') {
    const words = `the database user may not migrate: ${error.message}`;
    return new MigrationRefusedError('DENIED', words, options);
  }
  if (code === '55P03' || code === '40P01') {
    const words =
      'another process is migrating the database or using a table that must change: try again';
    return new MigrationRefusedError('BUSY', words, options);
  }
  if (migration === undefined) return null;
  const position = 'position' in error ? Number(error.position) : Number.NaN;
  const line = Number.isNaN(position)
    ? ''
    : ` line ${migration.sql.slice(0, position).split('\n').length}`;
  return new MigrationRefusedError(
    'FAILED',
    `${migration.fileName}${line}: ${error.message}`,
    options,
  );
}

async function assertServerVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; words: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as words`,
  );
  const [version] = rows;
  if (version === undefined || Number(version.number) >= SERVER_VERSION_MIN) return;
  throw new MigrationRefusedError(
    'SERVER_TOO_OLD',
    `the server runs PostgreSQL ${version.words}, but Tenure needs PostgreSQL 14 or newer`,
  );
}
