import { escapeIdentifier } from 'pg';
import type { Client, Pool } from 'pg';
import { enterSchema } from './trusted-schema.ts';

/*
 * The three roles of a database: the owner migrates, the run-time role of the processes reads and writes rows, and the
 * role of retention deletes old rows. The queue's tables are in schemas of their own, which the run-time role creates
 * and owns.
 */

/** Returns whether the role of a connection may change Tenure's tables or add objects to their schema. */
export async function mayChangeSchema(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    // A member that does not inherit the rights of a role can get them by `set role`.
    `select exists (
       select from pg_roles r
       where pg_has_role(r.oid, 'member') and (
         has_schema_privilege(r.oid, current_schema(), 'create')
         or exists (
           select from pg_class where relnamespace = current_schema()::regnamespace and relowner = r.oid))
     ) as may`,
  );
  return rows[0]?.may !== false;
}

/** Grants rights in one transaction, in the schema that was migrated. The passed names are quoted SQL identifiers. */
async function grant(
  client: Client,
  role: string,
  statements: (names: { schema: string; database: string; to: string }) => string,
): Promise<void> {
  await client.query('begin');
  await enterSchema(client);
  const { rows } = await client.query<{ schema: string; database: string }>(
    'select quote_ident(current_schema()) as schema, quote_ident(current_database()) as database',
  );
  const { schema = '', database = '' } = rows[0] ?? {};
  await client.query(statements({ schema, database, to: escapeIdentifier(role) }));
  await client.query('commit');
}

/**
 * Grants a role the rights that processes need in the schema that the client has migrated. In the audit log, the role
 * can only add rows. It cannot change to which person a pseudonym belongs, nor where the chain begins.
 */
export const grantRunTime = (client: Client, role: string): Promise<void> =>
  grant(
    client,
    role,
    ({ schema, database, to }) => `
      grant usage on schema ${schema} to ${to};
      grant select, insert, update, delete on all tables in schema ${schema} to ${to};
      revoke insert, update, delete on migration, audit_chain from ${to};
      revoke update, delete on audit, audit_link from ${to};
      revoke insert, update on person from ${to};
      grant update (last_seq, last_hash, settled_id) on audit_chain to ${to};
      grant create on database ${database} to ${to};
    `,
  );

/** The tables from which retention deletes rows. */
const PRUNED =
  'attempt, effect, event_batch, delivery, bulk_item, bulk_act, contract, exercise, ledger_update, audit, audit_link';

/** The columns that retention writes, by table. `for share` and `for update` also need the right to write a column. */
const WRITTEN = {
  audit_chain: ['deleted_seq', 'deleted_hash', 'deleted_until'],
  change: ['pruned_at', 'paid_cost', 'unpriced_attempts', 'body'],
  lease: ['holder'],
  query_store_offset: ['oldest_offset'],
} as const;

/** Grants a role the rights that retention needs, and no others. The role cannot add rows or read secrets. */
export const grantRetention = (client: Client, role: string): Promise<void> =>
  grant(client, role, ({ schema, to }) => {
    const writes = Object.entries(WRITTEN).map(
      ([table, columns]) => `grant update (${columns.join(', ')}) on ${table} to ${to};`,
    );
    return `
      grant usage on schema ${schema} to ${to};
      grant select on ${PRUNED}, ${Object.keys(WRITTEN).join(', ')} to ${to};
      grant select on lifecycle, lineage, webhook_cursor to ${to};
      grant delete on ${PRUNED} to ${to};
      ${writes.join('\n')}
    `;
  });

/** Returns whether two pools are connected to the same database. */
export async function isSameDatabase(one: Pool, other: Pool): Promise<boolean> {
  const identity = async (pool: Pool): Promise<string | undefined> => {
    const { rows } = await pool.query<{ id: string }>(
      `select concat_ws(' ', pg_postmaster_start_time(), oid) as id
       from pg_database where datname = current_database()`,
    );
    return rows[0]?.id;
  };
  return (await identity(one)) === (await identity(other));
}
