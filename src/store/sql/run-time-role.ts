import { escapeIdentifier } from 'pg';
import type { Client, Pool } from 'pg';

/*
 * Two roles of one database: the owner migrates, and the run-time role of the processes reads and writes rows. The
 * queue's tables are in schemas of their own, which the run-time role makes and owns.
 */

/** Whether the role of a connection may change Tenure's tables, or add objects beside them. */
export async function mayChangeSchema(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    `select has_schema_privilege(current_schema(), 'create') or exists (
       select from pg_class
       where relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
     ) as may`,
  );
  return rows[0]?.may !== false;
}

/** Grants a role the rights that processes need on the schema that the client has migrated. */
export async function grantRunTime(client: Client, role: string): Promise<void> {
  const { rows } = await client.query<{ schema: string; database: string }>(
    'select current_schema() as schema, current_database() as database',
  );
  const [where] = rows;
  if (where === undefined) return;
  const [schema, database, to] = [where.schema, where.database, role].map(escapeIdentifier);
  await client.query(`
    grant usage on schema ${schema} to ${to};
    grant select, insert, update, delete on all tables in schema ${schema} to ${to};
    revoke insert, update, delete on migration from ${to};
    revoke update on audit from ${to};
    grant create on database ${database} to ${to};
  `);
}
