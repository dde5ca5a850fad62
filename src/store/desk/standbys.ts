import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';

/**
 * Base backups, logical replication and `pg_receivewal` stream the log too, and no failover promotes them. Sessions of
 * other roles show the reason of their wait only to roles that may see it.
 */
const STANDBYS = plannedAnew<{
  wanted: string;
  following: bigint;
  waiting: bigint;
  waited_ms: number | null;
}>(
  'server-standbys',
  `select current_setting('synchronous_standby_names') as wanted,
          (select count(*) from pg_stat_replication r
           where r.state is distinct from 'backup' and r.application_name is distinct from 'pg_receivewal'
             and not exists (select from pg_replication_slots s
                             where s.active_pid = r.pid and s.slot_type = 'logical')) as following,
          count(*) as waiting,
          (extract(epoch from clock_timestamp() - min(query_start)) * 1000)::float8 as waited_ms
   from pg_stat_activity where wait_event = 'SyncRep'`,
);

/** The synchronous standbys that commits wait for, the standbys that follow, and the commits that wait now. */
export async function readStandbys(session: Session) {
  const [row] = await session.run(STANDBYS);
  return {
    wanted: row?.wanted ?? '',
    following: Number(row?.following ?? 0),
    waiting: Number(row?.waiting ?? 0),
    waitedMs: row?.waited_ms ?? 0,
  };
}
