import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { queryOnce, withDatabase } from './postgres-query.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  /** Drops the database, and ends all connections to it. */
  drop(): Promise<void>;
  /**
   * Restores the database to its first state, and ends the connections of applications other than `client`. Only for a
   * database that was made as `migrated`.
   *
   * @returns false if the database has changed so much that it must be dropped
   */
  empty(client: Client): Promise<boolean>;
}

/** A database of this worker that no test uses now, in the state of a new copy. */
interface Idle {
  readonly name: string;
  readonly fresh: Fresh;
}

/** The properties of a new copy of the template. */
interface Fresh {
  /** A value that changes if a test changes anything except rows. */
  readonly shape: string;
  readonly tables: readonly { readonly name: string; readonly rows: string }[];
}

/**
 * Databases that can be used again. Creating and dropping a copy would cost the server more than most tests that need
 * one.
 */
const idle: Idle[] = [];

/**
 * A database in which a test had more rows than this is not used again, because queries on tables that were large get
 * other plans.
 */
const ROWS_MAX = 5_000;

/**
 * Returns a database for the caller alone, on the server of this test run. At the end all remaining connections are
 * cut.
 *
 * @param contents `migrated` is in the state of a freshly migrated database, though it may have been used before;
 *   `pristine` has never been used, for tests of plans and sizes; `empty` has no tables
 */
export async function testDatabase(
  contents: 'migrated' | 'pristine' | 'empty' = 'migrated',
): Promise<TestDatabase> {
  const { adminUrl, prefix, template } = inject('postgres');
  const used = contents === 'migrated' ? idle.pop() : undefined;
  const name = used?.name ?? `${prefix}${randomBytes(8).toString('hex')}`;
  const url = withDatabase(adminUrl, name);
  if (used === undefined) {
    // Copying the template's files takes half the time of writing each page to the write-ahead log.
    await queryOnce(
      adminUrl,
      `create database ${name} template ${contents === 'empty' ? 'template0' : template} strategy file_copy`,
    );
  }
  const fresh = used?.fresh ?? (contents === 'migrated' ? await look(url) : null);
  let isOver = false;
  const drop = async (): Promise<void> => {
    isOver = true;
    await queryOnce(adminUrl, `drop database if exists ${name} with (force)`);
  };
  return {
    url,
    name,
    drop,
    empty: async (client) => fresh !== null && !isOver && isEmptiedBy(client, fresh),
    [Symbol.asyncDispose]: async () => {
      if (isOver) return;
      if (fresh === null || !(await isEmptied(url, fresh))) return drop();
      isOver = true;
      idle.push({ name, fresh });
    },
  };
}

/**
 * A query for everything in a schema that a test could change, by the object IDs that all copies of one template share.
 */
const SHAPE = `
  with ours as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  parts as (
    select ('class', oid, relname, relkind, relpersistence, reloptions, relacl, relrowsecurity)::text as part
    from pg_class where relnamespace in (select oid from ours)
    union all
    select ('column', attrelid, attnum, attname, atttypid, attnotnull, atthasdef, attisdropped)::text
    from pg_attribute join pg_class c on c.oid = attrelid where relnamespace in (select oid from ours)
    union all
    select ('constraint', oid, conname, convalidated)::text from pg_constraint where connamespace in (select oid from ours)
    union all
    select ('trigger', oid, tgname, tgenabled)::text from pg_trigger
    union all
    select ('function', oid, proname, md5(prosrc))::text from pg_proc where pronamespace in (select oid from ours)
    union all
    select ('type', oid, typname)::text from pg_type where typnamespace in (select oid from ours)
    union all
    select ('default', oid, adbin)::text from pg_attrdef
    union all
    select ('rule', oid, rulename)::text from pg_rewrite where oid >= 16384
    union all
    select ('schema', oid)::text from ours
    union all
    select ('setting', setrole, setconfig)::text from pg_db_role_setting
    where setdatabase in (0, (select oid from pg_database where datname = current_database()))
    union all
    select ('access', datacl, datallowconn, datconnlimit)::text from pg_database where datname = current_database()
  )
  select md5(string_agg(part, ' ' order by part)) as shape from parts`;

async function look(url: string): Promise<Fresh> {
  const [is] = await queryOnce<{ shape: string }>(url, SHAPE);
  const tables = await queryOnce<{ name: string }>(
    url,
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const select = tables.map(
    ({ name }) =>
      `select '${name}' as name, coalesce(jsonb_agg(to_jsonb(t))::text, '') as rows from ${name} t`,
  );
  const all = await queryOnce<Fresh['tables'][number]>(url, select.join(' union all '));
  return { shape: is!.shape, tables: all };
}

/** Empties the database if possible. Returns whether this succeeded. */
async function isEmptied(url: string, fresh: Fresh): Promise<boolean> {
  const client = new Client({ connectionString: url, application_name: 'tenure test cleaner' });
  client.on('error', () => {});
  try {
    await client.connect();
    return await isEmptiedBy(client, fresh);
  } catch {
    // The caller then drops the database.
    return false;
  } finally {
    await client.end();
  }
}

async function isEmptiedBy(client: Client, { shape, tables }: Fresh): Promise<boolean> {
  try {
    await client.query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
       where datname = current_database() and application_name <> current_setting('application_name')`,
    );
    const { rows } = await client.query<{ shape: string }>(SHAPE);
    if (rows[0]?.shape !== shape) return false;
    const sql = tables.map(({ name }) => `delete from ${name}`);
    const deleted: unknown = await client.query(
      // Triggers do not run, so the tables can be emptied in any order.
      `begin; set local session_replication_role = replica; ${sql.join('; ')}; ${sown(tables)} commit;
       select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) from pg_sequences`,
    );
    const counts = (deleted as readonly { readonly rowCount: number | null }[]).map(
      ({ rowCount }) => rowCount ?? 0,
    );
    return counts.reduce((sum, count) => sum + count, 0) < ROWS_MAX;
  } catch {
    // The caller then drops the database.
    return false;
  }
}

/** Statements that insert the rows that migrations have created. */
const sown = (tables: Fresh['tables']): string =>
  tables
    .filter(({ rows }) => rows !== '')
    .map(
      ({ name, rows }) =>
        `insert into ${name} overriding system value
         select * from jsonb_populate_recordset(null::${name}, '${rows.replaceAll("'", "''")}');`,
    )
    .join(' ');
