import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { EventLog } from '../../app/ports/event-log.ts';
import { EVENTS_LEASE } from '../../app/ports/leases.ts';
import { EVENTS_CHANNEL } from '../sql/channels.ts';
import type { EventRow } from '../rows/event-row.ts';
import { eventFromRow } from '../rows/event-row.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/**
 * This is one statement, so that either everything happens under the lease or nothing. It runs without a transaction
 * around it. The row with the last number is locked until its end, so that numbers become visible in order, whichever
 * process assigns them. The events of one transaction are numbered together, even beyond the limit.
 *
 * If no webhook is enabled and none was added since the number before, the webhooks' cursor is moved to the last
 * number. `pass_webhooks` also sees a webhook that was added while the statement waited for the row with that number.
 */
const NUMBER = statement<{ numbered: number; is_for_webhooks: boolean }>(
  'number-events',
  `with owner as materialized (
     select 1 from lease where name = '${EVENTS_LEASE}' and epoch = $2 for share
   ), first as materialized (
     select a.place, jsonb_array_length(a.events) as count from arrival a, owner order by a.place limit $1
   ), next as materialized (
     select w.place from (
       select f.place, sum(f.count) over (order by f.place) - f.count as before from first f
     ) w where w.before < $1
   ), taken as materialized (
     delete from arrival a using next n where a.place = n.place
     returning a.place, a.at, a.events, jsonb_array_length(a.events) as count
   ), placed as materialized (
     select t.at, t.events, t.count, sum(t.count) over (order by t.place) as upto from taken t
   ), total as materialized (
     select coalesce(sum(count), 0)::integer as count from taken
   ), reserved as (
     update event_sequence s set last = s.last + t.count from total t where t.count > 0
     returning s.last - t.count as before
   ), numbered as (
     insert into event_batch (last, first, at, events)
     select r.before + p.upto, r.before + p.upto - p.count + 1, p.at, p.events
     from placed p, reserved r
   )
   select t.count as numbered, r.before is not null and not pass_webhooks(r.before, r.before + t.count) as is_for_webhooks
   from owner cross join total t left join reserved r on true`,
);

/**
 * Reads the events between two numbers (the first excluded, the second included), for one party or for all. Batches
 * beyond the second number are not read.
 */
export const READ_EVENTS = statement<EventRow>(
  'read-events',
  `select b.first + e.n - 1 as seq, b.at, e.type, e.subject, e.lifecycle_id, e.parties, e.data
   from event_batch b cross join lateral rows from (jsonb_to_recordset(b.events) as (
     type text, subject text, lifecycle_id text, parties text[], data jsonb)) with ordinality
     as e(type, subject, lifecycle_id, parties, data, n)
   where b.last > $1 and b.last <= coalesce((select min(x.last) from event_batch x where x.last >= $2), $2)
     and b.first + e.n - 1 > $1 and b.first + e.n - 1 <= $2
     and ($3::text is null or $3 = any(e.parties))
   order by b.last, e.n`,
);

const SPAN = statement<{ oldest: bigint; last: bigint }>(
  'event-span',
  `select s.last,
          coalesce((select b.first from event_batch b order by b.last limit 1), s.last + 1) as oldest
   from event_sequence s`,
);

/** @param pool opened with `pipelined`; the caller closes it */
export function createEventLog(pool: Pool): EventLog {
  return {
    number: (limit, leaseEpoch, io: Io) =>
      onConnection(
        pool,
        io,
        async (session) => {
          const [row] = await session.run(NUMBER, [limit, leaseEpoch]);
          if (row === undefined) return null;
          if (row.numbered > 0) session.announce(EVENTS_CHANNEL, '');
          return { count: row.numbered, isForWebhooks: row.is_for_webhooks };
        },
        'by-key',
      ),
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
