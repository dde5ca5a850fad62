import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { EventLog } from '../../app/ports/event-log.ts';
import { EVENTS_LEASE } from '../../app/ports/leases.ts';
import { EVENTS_CHANNEL } from '../sql/channels.ts';
import { eventFromRow } from '../rows/event-row.ts';
import type { Row } from '../sql/schema.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/**
 * One statement, so that all of it happens under the lease or none. The row of the last number is locked until the
 * commit, so that numbers become visible in their order whoever gives them.
 */
const NUMBER = statement<{ numbered: number }>(
  'number-events',
  `with owner as materialized (
     select 1 from lease where name = '${EVENTS_LEASE}' and epoch = $2 for share
   ), next as materialized (
     select a.place from event_arrival a, owner order by a.place limit $1
   ), taken as materialized (
     delete from event_arrival a using next n where a.place = n.place
     returning a.place, a.at, a.type, a.subject, a.lifecycle_id, a.parties, a.data
   ), total as materialized (
     select count(*)::integer as count from taken
   ), reserved as (
     update event_sequence s set last = s.last + t.count from total t where t.count > 0
     returning s.last - t.count as before
   ), numbered as (
     insert into event (seq, at, type, subject, lifecycle_id, parties, data)
     select r.before + row_number() over (order by t.place), t.at, t.type, t.subject, t.lifecycle_id, t.parties, t.data
     from taken t, reserved r
   )
   select t.count as numbered from total t, owner`,
);

/** After one number, up to another, for one party or for all. */
export const READ_EVENTS = statement<Row<'event'>>(
  'read-events',
  `select seq, at, type, subject, lifecycle_id, parties, data from event
   where seq > $1 and seq <= $2 and ($3::text is null or $3 = any(parties)) order by seq`,
);

const SPAN = statement<{ oldest: bigint; last: bigint }>(
  'event-span',
  `select s.last, coalesce((select min(seq) from event), s.last + 1) as oldest from event_sequence s`,
);

/** @param pool opened with `pipelined`; stays the caller's */
export function createEventLog(pool: Pool): EventLog {
  return {
    number: (limit, leaseEpoch, io: Io) =>
      transact(pool, io, async (session) => {
        const [row] = await session.run(NUMBER, [limit, leaseEpoch]);
        if (row !== undefined && row.numbered > 0) session.announce(EVENTS_CHANNEL, '');
        return row?.numbered ?? null;
      }),
    async read({ after, upTo, party }, io) {
      const rows = await onConnection(pool, io, (session) =>
        session.run(READ_EVENTS, [after, upTo, party]),
      );
      return rows.map(eventFromRow);
    },
    async span(io) {
      const [row] = await onConnection(pool, io, (session) => session.run(SPAN));
      return row ?? { oldest: 1n, last: 0n };
    },
  };
}
