import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { quoted } from './freeze.ts';

/** The row count and checksum that a table and its copy in another cell must share. */
export interface TableSum {
  readonly table: string;
  readonly rows: string;
  /** Does not depend on their order. */
  readonly checksum: string;
}

/** So that every server writes and reads the same text for the same row. */
const TEXT_SETTINGS = `
  set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'`;

/** Begins a transaction whose rows are all of one moment, and written as any server reads them. */
export async function beginReading(client: ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read, read only');
  await client.query(TEXT_SETTINGS);
}

/** For a transaction that loads. */
export const setText = (client: ClientBase): Promise<unknown> => client.query(TEXT_SETTINGS);

/** Which migrations a database has: two with the same digest have the same tables. */
export async function schemaDigest(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(
    `select max(number) || ':' || md5(string_agg(sha256, ' ' order by number)) as digest from migration`,
  );
  return rows[0]?.digest ?? '';
}

/** Adds hashes up, so that the order of rows does not count and nothing need be sorted. */
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

/** Every row of a table as `COPY` writes it. In the transaction of {@link beginReading}. */
export const readRows = (client: ClientBase, table: string): Readable =>
  client.query(copyTo(`copy ${quoted(table)} to stdout`));

/**
 * Adds the rows of {@link readRows} unchanged. The triggers of the table are disabled during the copy, because they
 * would number rows and replace pseudonyms a second time.
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

/** Where the numbers that the database gives out stand, by sequence. */
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

/** Tables that have a row from the start; `cell` has one after a refused start or a claim. The import replaces them. */
const SEEDED: readonly string[] = [
  'audit_chain',
  'book_cursor',
  'cell',
  'event_sequence',
  'webhook_cursor',
];

/** Makes room for what is loaded. @returns the tables that have rows, which stay */
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
