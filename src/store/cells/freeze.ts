import type { ClientBase } from 'pg';

/**
 * Tables that belong to the cell and not to its provider, so they are neither copied nor frozen. All other tables
 * belong to the provider.
 */
export const CELL_TABLES: readonly string[] = [
  'cell_claim',
  'cell_move',
  'circuit',
  'foreign_ledger',
  'lease',
  'migration',
  'other_cell',
  'participant_answer',
  'preview',
  'process_clock',
  'queue_shards',
  'rebuild',
  'session',
  'silence',
  'standstill',
];

const TRIGGER = 'cell_moves';

/** SQL: a name as a quoted identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the provider's tables, each one after the tables that it refers to. */
export async function providerTables(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `with recursive tables as (
       select oid, relname::text as name from pg_class
       where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> all($1)
     ), depths as (
       select oid, name, 0 as depth from tables
       union
       select t.oid, t.name, d.depth + 1
       from depths d
         join pg_constraint c on c.contype = 'f' and c.confrelid = d.oid and c.conrelid <> d.oid
         join tables t on t.oid = c.conrelid
     )
     select name from depths group by name order by max(depth), name`,
    [CELL_TABLES],
  );
  return rows.map(({ name }) => name);
}

/** Waits for transactions that write these tables, and blocks further ones until this transaction ends. */
export async function lockTables(client: ClientBase, tables: readonly string[]): Promise<void> {
  const names = tables.map(quoted).join(', ');
  await client.query(`lock table ${names} in share row exclusive mode`);
}

/** Freezes the tables: after the commit, the database itself refuses writes to them by any process. */
export async function freeze(client: ClientBase, tables: readonly string[]): Promise<void> {
  const triggers = tables.map(
    (table) =>
      `create trigger ${TRIGGER} before insert or update or delete on ${quoted(table)}
       for each row execute function refuse_cell_write()`,
  );
  await client.query(triggers.join('; '));
}

/** Reverses {@link freeze}. */
export async function thaw(client: ClientBase, tables: readonly string[]): Promise<void> {
  const drops = tables.map((table) => `drop trigger if exists ${TRIGGER} on ${quoted(table)}`);
  await client.query(drops.join('; '));
}
