import type { Client } from 'pg';

/** Thrown if a role with fewer rights than the current one owns the first schema of the search path. */
export class UntrustedSchemaError extends Error {
  override readonly name = 'UntrustedSchemaError';
}

/** SQL: whether the role of the connection has rights that the run-time role lacks. */
const IS_OWNER = `(
  r.rolsuper or r.rolcreaterole or r.oid = d.datdba
  or exists (select from pg_class c where c.relname = 'migration' and c.relkind = 'r' and c.relowner = r.oid))`;

/**
 * Limits the search path to its first schema. The run-time role may create schemas: a schema named like the owner would
 * come before `public`, and its triggers, functions and defaults would run with the owner's rights.
 *
 * @param lasts until the end of the transaction, or for the whole session
 * @throws UntrustedSchemaError if a role with fewer rights than the current one owns the schema
 */
export async function enterSchema(
  client: Client,
  lasts: 'transaction' | 'session' = 'transaction',
): Promise<void> {
  const isLocal = lasts === 'transaction';
  const { rows } = await client.query<{ schema: string; owner: string; is_trusted: boolean }>(
    `select n.nspname as schema, o.rolname as owner,
       n.nspname = 'public' or o.oid = r.oid or o.rolsuper or o.rolcreaterole or o.oid = d.datdba
         ${isLocal ? '' : `or not ${IS_OWNER}`} as is_trusted,
       set_config('search_path', quote_ident(n.nspname), ${isLocal})
     from pg_namespace n join pg_roles o on o.oid = n.nspowner, pg_database d, pg_roles r
     where n.nspname = current_schema() and d.datname = current_database() and r.rolname = current_user`,
  );
  const [found] = rows;
  if (found === undefined || found.is_trusted) return;
  throw new UntrustedSchemaError(
    `schema ${found.schema} belongs to ${found.owner} and is first in the search path: drop the schema, or make the owner of the tables its owner`,
  );
}
