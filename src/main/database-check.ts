import type { Pool } from 'pg';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import type { DatabaseOutageError, OutageReason } from '../store/sql/database-outage.ts';
import { OUTAGE_EVENT } from '../store/sql/database-outage.ts';
import { STANDBY_EVENT } from '../store/sql/silence.ts';
import { onConnection } from '../store/sql/transact.ts';
import { plannedAnew } from '../store/sql/statement.ts';
import { MAIN_LIMITS } from './limits.ts';

/** Outages that affect every call, and last until a person acts. */
const OF_ALL: ReadonlySet<OutageReason> = new Set<OutageReason>([
  'read-only',
  'disk-full',
  'out-of-memory',
  'limit-reached',
  'notify-full',
  'storage-failing',
]);

/**
 * Reads a row of Tenure with a time, because every call does so: no call works on a session that formats times
 * differently. Reading the usage of the NOTIFY queue also frees the part that every listener has read.
 */
const TAKES_WRITES = plannedAnew<{
  takes: boolean;
  notify_usage: number;
  migrated_at: string | null;
}>(
  'takes-writes',
  `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes,
          pg_notification_queue_usage() as notify_usage,
          (select max(applied_at) from migration) as migrated_at`,
);

const WAITS =
  'commits wait for a synchronous standby that does not answer: start the standby, or remove its name from synchronous_standby_names';

/**
 * Checks whether the database answers and accepts writes. A read does not show that a disk is full, so recent outages
 * that transactions of this process had count too. Commits that wait for a standby are reported first, because they may
 * use up all connections of the pool.
 */
export function databaseCheck(pool: Pool): ReadinessCheck {
  let last: { readonly outage: DatabaseOutageError; readonly atMs: number } | null = null;
  pool.addListener(OUTAGE_EVENT, (outage: DatabaseOutageError) => {
    if (OF_ALL.has(outage.reason)) last = { outage, atMs: performance.now() };
  });
  let waitedAtMs = -Infinity;
  pool.addListener(STANDBY_EVENT, () => {
    waitedAtMs = performance.now();
  });
  return {
    name: 'database',
    check: async (io) => {
      if (performance.now() - waitedAtMs < MAIN_LIMITS.standbyRecentMs) throw new Error(WAITS);
      const [row] = await onConnection(pool, io, (session) => session.run(TAKES_WRITES));
      if (row?.takes !== true) throw new Error('the database is read-only');
      if (row.migrated_at === null)
        throw new Error(
          'the database does not contain the tables of Tenure: run the migration job',
        );
      if (row.notify_usage >= 1) throw new Error('the NOTIFY queue of the database is full');
      if (last !== null && performance.now() - last.atMs < MAIN_LIMITS.outageRecentMs)
        throw last.outage;
    },
  };
}
