import { quoteSchemaName, runMigrations } from 'bullmq';
import type { Client } from 'pg';
import { errorCode } from './queue-error.ts';
import type { Anew } from '../app/ports/queue-probe.ts';

/*
 * Creates BullMQ's tables, and replaces them if they are damaged. The process that creates them stores their
 * description as the comment of the schema. So versions that would create different tables do not replace each other's.
 */

/** The comment of the schema, as JSON. */
interface Made {
  /** Description of the tables after their creation; see `LIKENESS`. */
  readonly likeness: string;
  /** When and why the tables were last replaced. */
  readonly anew?: Anew;
}

/** The schema's current tables, and how they were created. */
export interface SchemaState {
  /** `null` if the schema does not exist. */
  readonly likeness: string | null;
  readonly made: Made | null;
}

/**
 * Computes a digest of everything in a schema except rows: tables, columns, types, functions, indexes, constraints and
 * triggers. Sequences that BullMQ creates during operation are omitted.
 */
const LIKENESS = `
  with place as (select oid from pg_namespace where nspname = $1),
  kept as (
    select oid, relname, relkind, relpersistence from pg_class
    where relnamespace = (select oid from place) and relname not like 'bullmq_jid_%'
  ),
  parts as (
    select format('%s %s %s', relkind, relname, relpersistence) as part from kept
    union all
    select format('column %s.%s %s %s %s', kept.relname, attname, format_type(atttypid, atttypmod), attnotnull,
                  coalesce(pg_get_expr(adbin, adrelid), ''))
    from pg_attribute join kept on kept.oid = attrelid and relkind in ('r', 'p', 'v', 'm')
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select format('index %s %s', pg_get_indexdef(indexrelid), indisvalid)
    from pg_index join kept on kept.oid = indrelid
    union all
    select format('constraint %s %s', conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = (select oid from place)
    union all
    select format('trigger %s %s', pg_get_triggerdef(t.oid), tgenabled)
    from pg_trigger t join kept on kept.oid = tgrelid where not tgisinternal
    union all
    select format('type %s %s %s', typname, typtype,
                  (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = pg_type.oid))
    from pg_type where typnamespace = (select oid from place) and typtype <> 'b'
    union all
    select format('function %s(%s) %s', proname, pg_get_function_identity_arguments(oid), md5(prosrc))
    from pg_proc where pronamespace = (select oid from place)
  )
  select (select obj_description(oid, 'pg_namespace') from place) as comment,
         (select md5(string_agg(part, e'\\n' order by part collate "C")) from parts) as likeness
  where exists (select from place)`;

/**
 * Returns the versions in the schema's list of migrations. BullMQ would take a schema without this list for an empty
 * one, so a missing list counts as a difference.
 */
async function migrationsOf(client: Client, schema: string): Promise<string> {
  try {
    const { rows } = await client.query<{ versions: string | null }>(
      `select string_agg(version::text, ',' order by version) as versions
       from ${quoteSchemaName(schema)}.migration`,
    );
    return rows[0]?.versions ?? 'none';
  } catch (error) {
    if (!errorCode(error)?.startsWith('42')) throw error;
    return 'not to be read';
  }
}

function madeOf(comment: string | null): Made | null {
  try {
    const read: unknown = JSON.parse(comment ?? 'null');
    return typeof read === 'object' && read !== null && 'likeness' in read ? (read as Made) : null;
  } catch {
    return null; // The comment was written by another program.
  }
}

export async function lookAtSchema(client: Client, schema: string): Promise<SchemaState> {
  // With an empty search path, definitions always contain the schema's name.
  await client.query(`select set_config('search_path', '', false)`);
  const { rows } = await client.query<{ comment: string | null; likeness: string | null }>(
    LIKENESS,
    [schema],
  );
  const [row] = rows;
  if (row === undefined) return { likeness: null, made: null };
  const migrations = await migrationsOf(client, schema);
  return { likeness: `${row.likeness} ${migrations}`, made: madeOf(row.comment) };
}

/** Returns what is wrong with the schema, or `null`. */
export function wrongWith({ likeness, made }: SchemaState): string | null {
  if (likeness === null) return 'its schema was missing';
  if (made === null) return 'its schema was created by another program or an earlier version';
  return likeness === made.likeness ? null : 'its tables had been changed';
}

/**
 * "tenq" in ASCII. A process holds this lock while it checks and creates the schema. BullMQ's own migrations take
 * another lock meanwhile.
 */
const LOCK_KEY = 0x74_65_6e_71;

/** Why a caller suspects that the schema is damaged. */
export interface Suspicion {
  readonly because: string;
  /** Whether to replace the schema although it looks undamaged. */
  readonly isSure: boolean;
}

function whyAnew(before: SchemaState, suspicion: Suspicion | null): string | null {
  // A schema that never existed is created without a reason.
  if (before.likeness === null) return suspicion?.because ?? null;
  return wrongWith(before) ?? (suspicion?.isSure === true ? suspicion.because : null);
}

/**
 * Migrates an undamaged schema, and replaces a damaged one. If several processes do this at once, one does the work and
 * the others find it done.
 *
 * @returns why the schema was replaced, or `null`
 */
export async function makeWhole(
  client: Client,
  schema: string,
  suspicion: Suspicion | null,
): Promise<string | null> {
  await client.query('select pg_advisory_lock($1, hashtext($2))', [LOCK_KEY, schema]);
  try {
    const before = await lookAtSchema(client, schema);
    const why = whyAnew(before, suspicion);
    if (why !== null) {
      await client.query(`drop schema if exists ${quoteSchemaName(schema)} cascade`);
    }
    await runMigrations(client, schema);
    const { likeness } = await lookAtSchema(client, schema);
    const anew = why === null ? before.made?.anew : { at: new Date().toISOString(), because: why };
    const made: Made = { likeness: likeness ?? '', ...(anew === undefined ? {} : { anew }) };
    const text = JSON.stringify(made);
    if (text !== JSON.stringify(before.made)) {
      await client.query(
        `comment on schema ${quoteSchemaName(schema)} is ${client.escapeLiteral(text)}`,
      );
    }
    return why;
  } finally {
    // If the connection is lost, the server has released the lock.
    await client
      .query('select pg_advisory_unlock($1, hashtext($2))', [LOCK_KEY, schema])
      .catch(() => undefined);
  }
}
