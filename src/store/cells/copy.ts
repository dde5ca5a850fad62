import type { ClientBase } from 'pg';
import { STORE_LIMITS } from '../limits.ts';
import { quoted } from './freeze.ts';

/** What two cells must have in common for a row of one to be a row of the other. */
export interface TableSum {
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
    `select count(*)::text as rows,
       coalesce(sum(('x' || left(md5(the_row::text), 16))::bit(64)::bigint::numeric), 0)::text as checksum
     from ${quoted(table)} the_row`,
  );
  const [sum] = rows;
  if (sum === undefined) throw new Error(`${table} cannot be counted`);
  return sum;
}

/** Every row of a table as PostgreSQL writes it, in the transaction of {@link beginReading}. */
export async function* rowsOf(client: ClientBase, table: string): AsyncGenerator<string[]> {
  await client.query(
    `declare copied no scroll cursor for select the_row::text as text from ${quoted(table)} the_row`,
  );
  for (;;) {
    const { rows } = await client.query<{ text: string }>(
      `fetch ${STORE_LIMITS.cellFetched} from copied`,
    );
    if (rows.length === 0) break;
    yield rows.map(({ text }) => text);
  }
  await client.query('close copied');
}

/** Inserts rows that {@link rowsOf} has told; columns that follow from others follow again. */
export async function insertRows(
  client: ClientBase,
  table: string,
  rows: readonly string[],
): Promise<void> {
  if (rows.length === 0) return;
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [quoted(table)],
  );
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  await client.query(
    `insert into ${quoted(table)} (${names}) overriding system value
     select ${names} from unnest($1::${quoted(table)}[])`,
    [rows],
  );
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

/** Tables that have a row from the start, `cell` from one that was refused or a claim. What is loaded replaces it. */
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
