import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { plannedAnew } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/* Counts the server's connections, including sessions whose details this database user may not see. */

/** How many connections the server allows Tenure's database user, and which programs use them. */
export interface ConnectionState {
  /** All connections except those that are reserved for other database roles. */
  readonly usable: number;
  /** The number of sessions of other programs. */
  readonly others: number;
  readonly ours: number;
}

/**
 * Connections of Tenure have application names that begin with `tenure`; the rest of a name says what the pool is for.
 */
const CONNECTIONS = plannedAnew<ConnectionState>(
  'server-connections',
  `select current_setting('max_connections')::int
            - case when r.rolsuper then 0
                   else current_setting('superuser_reserved_connections')::int
                      + coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0)
              end as usable,
          (select count(*)::int from pg_stat_activity
           where backend_type = 'client backend' and application_name not like 'tenure%') as others,
          (select count(*)::int from pg_stat_activity
           where backend_type = 'client backend' and application_name like 'tenure%') as ours
   from pg_roles r where r.rolname = current_user`,
);

export const readConnections = (pool: Pool, io: Io): Promise<ConnectionState> =>
  onConnection(pool, io, async (session) => {
    const [row] = await session.run(CONNECTIONS);
    if (row === undefined) throw new Error('the server does not report its connections');
    return row;
  });
