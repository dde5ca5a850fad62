import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { quoted } from './freeze.ts';

/** The number of rows and the checksum of a table. A copy of the table in another cell must have the same ones. */
export interface TableSum {
  readonly table: string;
  readonly rows: string;
  /** Does not depend on the order of the rows. */
  readonly checksum: string;
}

/** Settings with which every server writes the same text for the same row, and reads it alike. */
const TEXT_SETTINGS = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'`;

/**
 * Begins a transaction that sees one snapshot of all tables, and that writes rows in the form that every server can
 * read.
 */
export async function beginReading(client: ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read, read only');
  await client.query(TEXT_SETTINGS);
}

/** Sets the same text form for a transaction that loads rows. */
export const setText = (client: ClientBase): Promise<unknown> => client.query(TEXT_SETTINGS);

/** Returns a digest of the applied migrations: two databases with the same digest have the same tables. */
export async function schemaDigest(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `select max(number) || ':' || md5(string_agg(sha256, ' ' order by number)) as digest from migration`,
  );
  return rows[0]?.digest ?? '';
}

/** Adds up hashes of the rows, so that the order of the rows does not matter and nothing has to be sorted. */
export async function sumOf(client: ClientBase, table: string): Promise<TableSum> {
  const { rows } = await client.query<TableSum>(
    `select $1::text as table, count(*)::text as rows,
       coalesce(sum(('x' || left(md5(the_row::text), 16))::bit(64)::bigint::numeric), 0)::text as checksum
     from ${quoted(table)} the_row`,
    [table],
  );
  const [sum] = rows;
  if (sum === undefined) throw new Error(`${table} cannot be counted`);
  return sum;
}

/** Reads every row of a table in the format of `COPY`. Needs the transaction of {@link beginReading}. */
export const readRows = (client: ClientBase, table: string): Readable =>
  client.query(copyTo(`copy ${quoted(table)} to stdout`));

/**
 * Adds the rows of {@link readRows} unchanged. The table's triggers are disabled during the copy, because they would
 * number rows and replace pseudonyms a second time.
 */
export async function addRows(
  client: ClientBase,
  table: string,
  rows: Readable,
  signal: AbortSignal,
): Promise<void> {
  await client.query(`alter table ${quoted(table)} disable trigger user`);
  await pipeline(rows, client.query(copyFrom(`copy ${quoted(table)} from stdin`)), { signal });
  await client.query(`alter table ${quoted(table)} enable trigger user`);
}

/** Returns the last value of each sequence. */
export async function readSequences(client: ClientBase): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `select sequencename::text as name, last_value::text as last from pg_sequences
     where schemaname = current_schema() order by 1`,
  );
  return Object.fromEntries(
    rows.flatMap(({ name, last }) => (last === null ? [] : [[name, last]])),
  );
}

export async function setSequences(
  client: ClientBase,
  sequences: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), last]);
  }
}

/**
 * Tables that contain a row from the start (`cell` only after a refused start or a claim). The import replaces that
 * row.
 */
const SEEDED: readonly string[] = [
  'audit_chain',
  'book_cursor',
  'cell',
  'event_sequence',
  'webhook_cursor',
];

/**
 * Empties the tables that have rows from the start, unless other tables have rows. @returns the tables that have rows;
 * if there are any, nothing was deleted
 */
export async function makeRoom(
  client: ClientBase,
  tables: readonly string[],
): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const table of tables) {
    if (SEEDED.includes(table)) continue;
    const { rows } = await client.query<{ is: boolean }>(
      `select exists (select from ${quoted(table)}) as is`,
    );
    if (rows[0]?.is === true) taken.push(table);
  }
  if (taken.length > 0) return taken;
  for (const table of SEEDED) await client.query(`delete from ${quoted(table)}`);
  return [];
}
