import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf } from '../chaos/rows.ts';

/** What a database has done since it was made, or between two moments. */
export interface DatabaseWork {
  readonly commits: number;
  readonly walBytes: number;
  /** Pages that were written whole into it, because they were changed for the first time since a checkpoint. */
  readonly fullPages: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

const KEYS = ['commits', 'walBytes', 'fullPages', 'inserted', 'updated', 'deleted'] as const;

const WORK = `
  select (select xact_commit from pg_stat_database where datname = current_database())::float8 as "commits",
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes",
         (select wal_fpi from pg_stat_wal)::float8 as "fullPages",
         sum(n_tup_ins)::float8 as "inserted", sum(n_tup_upd)::float8 as "updated", sum(n_tup_del)::float8 as "deleted"
  from pg_stat_user_tables`;

/** Connections tell what they have done ten seconds after they have become idle, at the latest. */
const TOLD_AFTER_MS = 11_000;

/** What the database did while `work` went on, and the seconds around it in which nothing was asked. */
export async function databaseWork<T>(
  databaseUrl: string,
  work: () => Promise<T>,
): Promise<{ readonly found: T; readonly did: DatabaseWork }> {
  const look = async (): Promise<DatabaseWork> => {
    await sleep(TOLD_AFTER_MS);
    const [row] = await rowsOf<DatabaseWork>(databaseUrl, WORK);
    if (row === undefined) throw new Error('the database tells nothing of itself');
    return row;
  };
  const before = await look();
  const found = await work();
  const after = await look();
  const did = Object.fromEntries(KEYS.map((key) => [key, after[key] - before[key]]));
  return { found, did: did as unknown as DatabaseWork };
}

/** In words, for each of so many operations. */
export function perOperation(did: DatabaseWork, operations: number): string {
  const each = (key: keyof DatabaseWork): number => did[key] / operations;
  const rows = (key: 'inserted' | 'updated' | 'deleted'): string =>
    `${each(key).toFixed(1)} ${key}`;
  return (
    `${each('commits').toFixed(1)} commits, ${(each('walBytes') / 1024).toFixed(0)} KiB of WAL with ${each('fullPages').toFixed(1)} whole pages, ` +
    `rows: ${rows('inserted')}, ${rows('updated')}, ${rows('deleted')}`
  );
}
