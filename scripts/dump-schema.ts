import type { Client, Pool } from 'pg';

/*
 * Writes the schema of a database as SQL text, which it reads from the catalogue. The text is always the same for the
 * same schema. It is meant for review: it shows the result of all migrations, one object after another, ordered by
 * name. `pg_dump` is not used, because it is not among the embedded binaries, and its output differs between minor
 * versions.
 */

type Queryable = Pick<Client, 'query'> | Pick<Pool, 'query'>;

/**
 * Writes types, sequences, tables (with constraints, indexes, triggers), views and functions of one schema, with
 * comments.
 *
 * @throws Error for an object of a kind that it cannot write, because an incomplete text would hide changes
 */
export async function dumpSchema(database: Queryable, schema = 'public'): Promise<string> {
  await assertNothingElse(database, schema);
  const sections: string[] = [];
  for (const section of SECTIONS) {
    const { rows } = await database.query<{ text: string }>(section, [schema]);
    sections.push(...rows.map((row) => row.text.trimEnd()));
  }
  return `${sections.map(withoutTrailingSpaces).join('\n\n')}\n`;
}

const HEADING = `-- What the migrations in this folder amount to. Made by scripts/write-schema.ts from a freshly migrated database, to be
-- read in reviews; a test fails when it does not match. Never edited, never executed.`;

/** Returns the text of migrations/schema.sql, for a database that has just been migrated. */
export async function freshSchema(database: Queryable): Promise<string> {
  return `${HEADING}\n\n${await dumpSchema(database)}`;
}

const withoutTrailingSpaces = (text: string): string => text.replaceAll(/[ \t]+$/gm, '');

/** SQL: excludes objects that belong to an extension. */
const notOfExtension = (catalogue: string, oid: string): string =>
  `not exists (select from pg_depend x
    where x.classid = '${catalogue}'::regclass and x.objid = ${oid} and x.deptype = 'e')`;

const comment = (kind: string, name: string, description: string): string =>
  `coalesce(E'\\ncomment on ${kind} ' || ${name} || ' is ' || quote_literal(${description}) || ';', '')`;

const EXTENSIONS = `
  select 'create extension ' || quote_ident(e.extname) || ';' as text
  from pg_extension e
  where e.extname <> 'plpgsql' and $1::text is not null
  order by e.extname`;

const ENUMS_AND_DOMAINS = `
  select case t.typtype
           when 'e' then 'create type ' || quote_ident(t.typname) || ' as enum (' || (
             select string_agg(quote_literal(l.enumlabel), ', ' order by l.enumsortorder)
             from pg_enum l where l.enumtypid = t.oid) || ');'
           else 'create domain ' || quote_ident(t.typname) || ' as ' || format_type(t.typbasetype, t.typtypmod)
             || coalesce(' default ' || t.typdefault, '')
             || case when t.typnotnull then ' not null' else '' end
             || coalesce((
                  select string_agg(' constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid, true),
                                    '' order by k.conname)
                  from pg_constraint k where k.contypid = t.oid and k.contype = 'c'), '') || ';'
         end || ${comment(`type`, 'quote_ident(t.typname)', "obj_description(t.oid, 'pg_type')")} as text
  from pg_type t
  where t.typnamespace = $1::regnamespace and t.typtype in ('e', 'd') and ${notOfExtension('pg_type', 't.oid')}
  order by t.typname`;

const COMPOSITE_TYPES = `
  select 'create type ' || quote_ident(c.relname) || E' as (\\n'
         || (select string_agg('  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod),
                               E',\\n' order by a.attnum)
             from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
         || E'\\n);' || ${comment('type', 'quote_ident(c.relname)', "obj_description(c.reltype, 'pg_type')")} as text
  from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'c' and ${notOfExtension('pg_class', 'c.oid')}
  order by c.relname`;

/** SQL: the sequences, without those of identity columns, which are written with their columns. */
const SEQUENCES = `
  select 'create sequence ' || quote_ident(c.relname) || ' as ' || format_type(s.seqtypid, null)
         || ' increment ' || s.seqincrement || ' minvalue ' || s.seqmin || ' maxvalue ' || s.seqmax
         || ' start ' || s.seqstart || ' cache ' || s.seqcache || case when s.seqcycle then ' cycle' else '' end
         || coalesce((
              select ' owned by ' || o.relname || '.' || a.attname
              from pg_depend d join pg_class o on o.oid = d.refobjid
                join pg_attribute a on a.attrelid = o.oid and a.attnum = d.refobjsubid
              where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'a'), '') || ';'
         || ${comment('sequence', 'quote_ident(c.relname)', "obj_description(c.oid, 'pg_class')")} as text
  from pg_class c join pg_sequence s on s.seqrelid = c.oid
  where c.relnamespace = $1::regnamespace and ${notOfExtension('pg_class', 'c.oid')}
    and not exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
  order by c.relname`;

const COLUMN = `
  '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
  || case when a.attcollation <> y.typcollation
          then ' collate ' || (select quote_ident(l.collname) from pg_collation l where l.oid = a.attcollation)
          else '' end
  || case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
          when a.attgenerated = 'v' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') virtual'
          when a.attidentity = 'a' then ' generated always as identity'
          when a.attidentity = 'd' then ' generated by default as identity'
          else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid, true), '') end
  || case when a.attnotnull then ' not null' else '' end`;

/**
 * SQL: one text for each table, so that everything about a table is in one place. Not-null constraints are written with
 * the columns.
 */
const TABLES = `
  select 'create' || case c.relpersistence when 'u' then ' unlogged' else '' end || ' table '
         || quote_ident(c.relname) || E' (\\n'
         || concat_ws(E',\\n', (
              select string_agg(${COLUMN}, E',\\n' order by a.attnum)
              from pg_attribute a
                join pg_type y on y.oid = a.atttypid
                left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            ), (
              select string_agg('  constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid, true),
                                E',\\n' order by position(k.contype::text in 'pufxc'), k.conname)
              from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'x', 'c')
            ))
         || E'\\n)' || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') || ';'
         || ${comment('table', 'quote_ident(c.relname)', "obj_description(c.oid, 'pg_class')")}
         || coalesce((
              select string_agg(E'\\ncomment on column ' || quote_ident(c.relname) || '.' || quote_ident(a.attname)
                                || ' is ' || quote_literal(col_description(c.oid, a.attnum)) || ';',
                                '' order by a.attnum)
              from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and col_description(c.oid, a.attnum) is not null), '')
         || coalesce((
              select E'\\n' || string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by n.relname)
              from pg_index i join pg_class n on n.oid = i.indexrelid
              where i.indrelid = c.oid
                and not exists (select from pg_constraint k
                                where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))), '')
         || coalesce((
              select E'\\n' || string_agg(pg_get_triggerdef(g.oid, true) || ';', E'\\n' order by g.tgname)
              from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal), '') as text
  from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and ${notOfExtension('pg_class', 'c.oid')}
  order by c.relname`;

const VIEWS = `
  select 'create view ' || quote_ident(c.relname)
         || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') || E' as\\n'
         || pg_get_viewdef(c.oid, true)
         || ${comment('view', 'quote_ident(c.relname)', "obj_description(c.oid, 'pg_class')")} as text
  from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'v' and ${notOfExtension('pg_class', 'c.oid')}
  order by c.relname`;

const FUNCTIONS = `
  select rtrim(pg_get_functiondef(p.oid), E'\\n') || ';'
         || ${comment(
           `function`,
           "quote_ident(p.proname) || '(' || pg_get_function_identity_arguments(p.oid) || ')'",
           "obj_description(p.oid, 'pg_proc')",
         )} as text
  from pg_proc p
  where p.pronamespace = $1::regnamespace and p.prokind in ('f', 'p') and ${notOfExtension('pg_proc', 'p.oid')}
  order by p.proname, pg_get_function_identity_arguments(p.oid)`;

const SECTIONS: readonly string[] = [
  EXTENSIONS,
  ENUMS_AND_DOMAINS,
  COMPOSITE_TYPES,
  SEQUENCES,
  TABLES,
  VIEWS,
  FUNCTIONS,
];

/** SQL: the names of objects that are not written above. */
const UNWRITTEN = `
  select 'relation ' || c.relname || ' of kind ' || c.relkind::text as what
  from pg_class c
  where c.relnamespace = $1::regnamespace and ${notOfExtension('pg_class', 'c.oid')}
    and (c.relkind not in ('r', 'v', 'c', 'i', 'S', 't') or c.relispartition or c.relrowsecurity
         or exists (select from pg_inherits h where h.inhrelid = c.oid))
  union all
  select 'routine ' || p.proname || ' of kind ' || p.prokind::text
  from pg_proc p
  where p.pronamespace = $1::regnamespace and p.prokind not in ('f', 'p') and ${notOfExtension('pg_proc', 'p.oid')}
  union all
  select 'type ' || t.typname || ' of kind ' || t.typtype::text
  from pg_type t
  where t.typnamespace = $1::regnamespace and t.typtype in ('r', 'b') and t.typcategory <> 'A'
    and ${notOfExtension('pg_type', 't.oid')}
  union all
  select 'rule ' || r.rulename
  from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where c.relnamespace = $1::regnamespace and r.rulename <> '_RETURN'
  union all
  select 'statistics ' || s.stxname from pg_statistic_ext s where s.stxnamespace = $1::regnamespace
  union all
  select 'operator ' || o.oprname from pg_operator o
  where o.oprnamespace = $1::regnamespace and ${notOfExtension('pg_operator', 'o.oid')}
  union all
  select 'collation ' || l.collname from pg_collation l where l.collnamespace = $1::regnamespace
  order by 1`;

async function assertNothingElse(database: Queryable, schema: string): Promise<void> {
  const { rows } = await database.query<{ what: string }>(UNWRITTEN, [schema]);
  if (rows.length === 0) return;
  throw new Error(`the schema dump cannot write: ${rows.map((row) => row.what).join(', ')}`);
}
