import { quoteSchemaName, runMigrations } from 'bullmq';
import type { Client } from 'pg';
import { errorCode } from './queue-error.ts';
import type { Anew } from '../app/ports/queue-probe.ts';

/*
 * The tables of BullMQ, whole or made anew. What they are like when they are whole is written down beside them by
 * whoever made them, so that versions that would make them differently leave each other's alone.
 */

/** Kept as the comment of the schema. */
interface Made {
  /** What they are like; see `LIKENESS`. */
  readonly likeness: string;
  /** When and why they had to be made anew, the last time. */
  readonly anew?: Anew;
}

/** How the schema is, and how it was made. */
export interface SchemaState {
  /** Null where there is no such schema. */
  readonly likeness: string | null;
  readonly made: Made | null;
}

/**
 * Everything of a schema but rows, in one text: tables, columns, types, functions, indexes, constraints and triggers.
 * Sequences that BullMQ makes as it goes are left out.
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

/** What a schema without its own list of migrations would be taken for: one of which nothing is there. */
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
    return null; // somebody else's words
  }
}

export async function lookAtSchema(client: Client, schema: string): Promise<SchemaState> {
  // Definitions name a schema or not, as the search path has it.
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

/** What is wrong with it, or `null`. */
export function wrongWith({ likeness, made }: SchemaState): string | null {
  if (likeness === null) return 'its schema was gone';
  if (made === null) return 'its schema was made by somebody else, or by an earlier version';
  return likeness === made.likeness ? null : 'its tables were not as they had been made';
}

/** "tenq" in ASCII. The lock of whoever looks and makes; BullMQ's own migrations take another within it. */
const LOCK_KEY = 0x74_65_6e_71;

/** Why whoever asks takes it for broken. */
export interface Suspicion {
  readonly because: string;
  /** It is to be made anew although it looks whole. */
  readonly isSure: boolean;
}

function whyAnew(before: SchemaState, suspicion: Suspicion | null): string | null {
  // One that was never there is simply made.
  if (before.likeness === null) return suspicion?.because ?? null;
  return wrongWith(before) ?? (suspicion?.isSure === true ? suspicion.because : null);
}

/**
 * Makes the schema what it should be: migrated where it is whole, anew where it is not. Of several that do so at once
 * one works, and the others find its work done.
 *
 * @returns why it was made anew, or `null`
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
    // Where the connection is gone, so is the lock.
    await client
      .query('select pg_advisory_unlock($1, hashtext($2))', [LOCK_KEY, schema])
      .catch(() => undefined);
  }
}
