import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';

/** The work of a database between two moments. */
export interface DatabaseWork {
  readonly commits: number;
  /**
   * Bytes of the write-ahead log without full-page images, whose number depends on the time since the last checkpoint.
   */
  readonly walBytes: number;
  readonly fullPageBytes: number;
  readonly tables: readonly TableWork[];
  /** The bytes that were logged for each table and index, the largest number first; empty unless requested. */
  readonly log: readonly RelationLog[];
}

/** The records of the write-ahead log for one table or index, without full-page images. */
interface RelationLog {
  readonly name: string;
  readonly bytes: number;
  readonly records: number;
}

/** The rows and scans of one table. */
interface TableWork {
  readonly name: string;
  readonly inserted: number;
  readonly updated: number;
  /** Updates that changed no index (heap-only tuples). */
  readonly hot: number;
  readonly deleted: number;
  readonly scans: number;
}

const COUNTS = ['inserted', 'updated', 'hot', 'deleted', 'scans'] as const;

const COMMITS = `
  select xact_commit::float8 as "commits"
  from pg_stat_database where datname = current_database()`;

const TABLES = `
  select relname as "name", n_tup_ins::float8 as "inserted", n_tup_upd::float8 as "updated",
         n_tup_hot_upd::float8 as "hot", n_tup_del::float8 as "deleted", coalesce(idx_scan, 0)::float8 as "scans"
  from pg_stat_user_tables order by schemaname, relname`;

const WAL = `
  select coalesce(sum(record_size), 0)::float8 as "walBytes", coalesce(sum(fpi_size), 0)::float8 as "fullPageBytes"
  from pg_get_wal_stats($1::pg_lsn, $2::pg_lsn)`;

/**
 * SQL: the log records by table and index. If a record concerns several blocks, it is counted for the first one; if it
 * concerns none, for its resource manager.
 */
const LOG = `
  select coalesce(c.relname, 'others of ' || w.resource_manager) as "name",
         sum(w.record_length - w.block_fpi_length)::float8 as "bytes", count(*)::float8 as "records"
  from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false) w
    left join pg_class c on pg_relation_filenode(c.oid) = w.relfilenode
  where w.block_id = 0 group by 1 order by 2 desc`;

/** Tables and indexes with fewer bytes per operation are not shown. */
const LOGGED_BYTES_MIN = 20;

/**
 * The time after which a connection that has become idle has reported its statistics. It does so within ten seconds.
 */
const TOLD_AFTER_MS = 11_000;

/**
 * Makes the server keep the log while it is counted, and creates the extension with which it is counted. Needs a
 * superuser's connection.
 */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await rowsOf(databaseUrl, 'create extension if not exists pg_walinspect');
  await rowsOf(databaseUrl, "alter system set wal_keep_size = '4GB'");
  await rowsOf(databaseUrl, 'select pg_reload_conf()');
  await rowsOf(databaseUrl, 'checkpoint');
}

/** Returns the current position of the write-ahead log. */
export async function logMark(databaseUrl: string): Promise<string> {
  const [now] = await rowsOf<{ lsn: string }>(
    databaseUrl,
    'select pg_current_wal_lsn()::text as "lsn"',
  );
  if (now === undefined) throw new Error('the database does not tell where its log is');
  return now.lsn;
}

/** Returns what was logged between two positions of the write-ahead log. */
export async function loggedBetween(
  databaseUrl: string,
  from: string,
  to: string,
): Promise<Pick<DatabaseWork, 'walBytes' | 'fullPageBytes'>> {
  // If the range contains no record, the server would report an error.
  if (from === to) return { walBytes: 0, fullPageBytes: 0 };
  const [wal] = await rowsOf<Pick<DatabaseWork, 'walBytes' | 'fullPageBytes'>>(databaseUrl, WAL, [
    from,
    to,
  ]);
  if (wal === undefined) throw new Error('the log could not be counted');
  return wal;
}

async function look(databaseUrl: string) {
  await sleep(TOLD_AFTER_MS);
  const [now] = await rowsOf<{ commits: number }>(databaseUrl, COMMITS);
  if (now === undefined) throw new Error('the database tells nothing of itself');
  const lsn = await logMark(databaseUrl);
  return { ...now, lsn, tables: await rowsOf<TableWork>(databaseUrl, TABLES) };
}

/**
 * Measures what the database does during `work` and during the idle seconds before and after it.
 * @param byRelation whether to count the log by table and index, which takes long
 */
export async function databaseWork<T>(
  databaseUrl: string,
  work: () => Promise<T>,
  byRelation = false,
): Promise<{ readonly found: T; readonly did: DatabaseWork }> {
  const before = await look(databaseUrl);
  const found = await work();
  const after = await look(databaseUrl);
  const wal = await loggedBetween(databaseUrl, before.lsn, after.lsn);
  const tables = after.tables.map((now, n): TableWork => {
    const then = before.tables[n];
    const counts = COUNTS.map((key) => [key, now[key] - (then?.[key] ?? 0)] as const);
    return { name: now.name, ...Object.fromEntries(counts) } as TableWork;
  });
  const log = byRelation
    ? await rowsOf<RelationLog>(databaseUrl, LOG, [before.lsn, after.lsn])
    : [];
  return { found, did: { commits: after.commits - before.commits, ...wal, tables, log } };
}

/** Returns a table with the rows and index scans of each operation. Tables that had none are omitted. */
export function tablesTable({ tables }: DatabaseWork, operations: number): string {
  const each = (value: number): string => (value / operations).toFixed(2);
  const rows = tables
    .filter((one) => COUNTS.some((key) => one[key] / operations >= 0.01))
    .map(({ name, inserted, updated, hot, deleted, scans }) => [
      name,
      each(inserted),
      `${each(updated)} (${each(hot)})`,
      each(deleted),
      each(scans),
    ]);
  return table(['table', 'inserted', 'updated (HOT)', 'deleted', 'index scans'], rows);
}

/** Returns a table with the bytes of the log for each operation, by table and index. */
export function logTable({ log }: DatabaseWork, operations: number): string {
  const rows = log
    .filter(({ bytes }) => bytes / operations >= LOGGED_BYTES_MIN)
    .map(({ name, bytes, records }) => [
      name,
      (bytes / operations).toFixed(0),
      (records / operations).toFixed(2),
    ]);
  return table(['of the log, without whole pages', 'bytes', 'records'], rows);
}
