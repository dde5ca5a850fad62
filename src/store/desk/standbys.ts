import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';

/**
 * Base backups, logical replication and `pg_receivewal` also stream the log, but cannot be promoted in a failover, so
 * they are not counted. PostgreSQL shows the reason for which a session waits only to roles with the right to see it.
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

/**
 * Returns the setting of synchronous standbys, the number of standbys that follow, and the number of commits that wait
 * now.
 */
export async function readStandbys(session: Session) {
  const [row] = await session.run(STANDBYS);
  return {
    wanted: row?.wanted ?? '',
    following: Number(row?.following ?? 0),
    waiting: Number(row?.waiting ?? 0),
    waitedMs: row?.waited_ms ?? 0,
  };
}
