import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Leases } from '../../app/ports/leases.ts';
import { SERVER_START } from './cursors.ts';
import { endedLife } from '../sql/life.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/*
 * Leases of roles that only one process at a time may have. All times are the database's, so the clocks of competing
 * processes need not agree. The row of a lease is never deleted, so that its epoch never decreases.
 *
 * A holder is known to be alive while one of its sessions holds the lock of its name; see `sql/life.ts`. When the
 * process ends, the server ends its session at once, and with it the lease. If a process is frozen or has lost its
 * network, the lease ends when it expires. Only the epoch decides which process may write.
 */

/** SQL: whether the holder had a session that has since ended. */
const isGone = (row: string): string =>
  `${row}.session_of = ${row}.holder and ${endedLife(`${row}.holder`)}`;

/**
 * SQL: the next epoch. A database that was restored to an earlier state would grant epochs again that processes still
 * hold from the lost state. So the first epoch after a start of the server is the current time.
 */
const NEXT_EPOCH = `case when lease.granted_on = ${SERVER_START} then lease.epoch + 1
  else greatest(lease.epoch + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) end`;

/**
 * The present holder also gets a new epoch, because work begun under the old one must not be finished. Standby
 * processes ask several times a second, so a lease that is held is only read: an upsert would lock its row.
 */
const ACQUIRE = statement<{ epoch: bigint }>(
  'acquire-lease',
  `insert into lease (name, holder, epoch, expires_at, session_of, granted_on)
   select $1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond', case when $4 then $2 end, ${SERVER_START}
   where not exists (
     select from lease l where l.name = $1 and l.expires_at > clock_timestamp() and l.holder <> $2
       and (${isGone('l')}) is not true)
   on conflict (name) do update
   set holder = excluded.holder, epoch = ${NEXT_EPOCH}, session_of = excluded.session_of,
       granted_on = excluded.granted_on,
       expires_at = clock_timestamp() + $3 * interval '1 millisecond'
   where lease.expires_at <= clock_timestamp() or lease.holder = excluded.holder or ${isGone('lease')}
   returning epoch`,
);

/** An expired lease still belongs to its holder until another process takes it. */
const RENEW = statement<{ epoch: bigint }>(
  'renew-lease',
  `update lease set expires_at = clock_timestamp() + $4 * interval '1 millisecond',
     session_of = case when $5 then $2 end
   where name = $1 and holder = $2 and epoch = $3
   returning epoch`,
);

const RELEASE = statement<never>(
  'release-lease',
  `update lease set expires_at = clock_timestamp() where name = $1 and holder = $2 and epoch = $3`,
);

/** The row lock keeps other processes from taking the lease until the transaction ends. */
const HOLD = statement<object>(
  'hold-lease',
  'select 1 from lease where name = $1 and epoch = $2 for share',
);

/** See `Tx.holdsLease`. */
export const holdLease = async (session: Session, name: string, epoch: bigint): Promise<boolean> =>
  (await session.run(HOLD, [name, epoch])).length === 1;

/**
 * @param pool the caller closes it
 * @param hasSession returns whether a session of this process holds the lock of its name now
 */
export function createLeases(pool: Pool, hasSession: () => boolean = () => false): Leases {
  return {
    async acquire(name: string, holder: string, ttlMs: number, io: Io): Promise<bigint | null> {
      const [row] = await onConnection(
        pool,
        io,
        (session) => session.run(ACQUIRE, [name, holder, ttlMs, hasSession()]),
        'by-key',
      );
      return row?.epoch ?? null;
    },
    async renew(name, holder, epoch, ttlMs, io): Promise<boolean> {
      const rows = await onConnection(
        pool,
        io,
        (session) => session.run(RENEW, [name, holder, epoch, ttlMs, hasSession()]),
        'by-key',
      );
      return rows.length === 1;
    },
    async release(name, holder, epoch, io): Promise<void> {
      await onConnection(pool, io, (session) => session.run(RELEASE, [name, holder, epoch]));
    },
  };
}
