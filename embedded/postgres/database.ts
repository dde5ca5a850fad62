import { Client } from 'pg';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { DATABASE } from './settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Checks that the server accepts connections, and creates Tenure's database if it is missing.
 *
 * @param url the address of this database on the embedded server
 * @throws EmbeddedPostgresError `START_FAILED`
 */
export async function ensureDatabase(url: string, signal: AbortSignal): Promise<void> {
  // The database's existence is queried through `postgres`: an attempt to connect would make the server log an error at
  // every first start.
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  try {
    const known = `select from pg_database where datname = '${DATABASE}'`;
    if ((await query(maintenance.href, known, signal)) > 0) return;
    await query(maintenance.href, `create database ${DATABASE}`, signal);
  } catch (error) {
    // Another session has dropped the database `postgres`. Only Tenure's database is required.
    if (!hasSqlState(error, '3D000')) throw refused(error);
    await query(url, 'select 1', signal).catch((cause: unknown) => {
      throw refused(cause);
    });
  }
}

/** Runs one statement on a connection of its own. @returns the number of rows */
async function query(url: string, sql: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'tenure launcher',
  });
  // A connection that breaks between queries needs no report; the next query fails.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end().catch(() => {});
  }
}

function refused(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const changed = hasSqlState(error, '28P01') ? '; the password of the database was changed' : '';
  return new EmbeddedPostgresError(
    'START_FAILED',
    `the embedded PostgreSQL refuses the connection of Tenure: ${error.message}${changed}`,
    { cause: error },
  );
}

function hasSqlState(error: unknown, state: string): boolean {
  return error instanceof Error && 'code' in error && error.code === state;
}
