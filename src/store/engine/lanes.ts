import type { Pool } from 'pg';
import type { Lanes } from '../../app/ports/lanes.ts';
import { STORE_LIMITS } from '../limits.ts';
import { DatabaseOutageError } from '../sql/database-outage.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { EARLIER_PROCESS_RUNS } from './clock-reports.ts';

/*
 * Gives lifecycles that share a lane a lane each. Version 0.2.0 computes a lane from a licence's number and parties,
 * so those of two installs share a lane with all their renewals. This version reads a lane from the lifecycle's row.
 */

/**
 * Adds the origin to renewals that version 0.2.0 recorded without one: the first line of their history names
 * it.
 */
const FIND_ORIGINS = statement<never>(
  'find-origins',
  `update lifecycle r set origin_id = f.origin
   from (
     select o.id, l.id as origin
     from lifecycle o join history h on h.lifecycle_id = o.id and h.seq = 1 and h.kind = 'ledger.created'
       join lifecycle l on l.id = h.detail ->> 'through' and l.kind = 'license'
     where o.kind = 'renewal' and o.origin_id is null and o.ended_at is null
     limit ${STORE_LIMITS.lanesApartMax}) f
   where r.id = f.id and r.origin_id is null`,
);

/**
 * SQL: the lifecycles that need another lane, with their new lane. If several licences share a lane, the oldest one
 * keeps it.
 */
const MOVES = `with licenses as materialized (
     select l.id, l.lane, row_number() over (partition by l.lane order by l.created_at, l.id) as place
     from lifecycle l where l.kind = 'license' and l.ended_at is null
   ), wanted as (
     select l.id, l.lane as "from", l.id as "to" from licenses l where l.place > 1
     union all
     select r.id, r.lane, case when coalesce(o.place, 1) > 1 then o.id else l.lane end
     from lifecycle r join lifecycle l on l.id = r.origin_id left join licenses o on o.id = l.id
     where r.kind = 'renewal' and r.ended_at is null
       and r.lane <> case when coalesce(o.place, 1) > 1 then o.id else l.lane end
   ), moves as materialized (
     select w.id, w."from", w."to" from wanted w
     where not ${EARLIER_PROCESS_RUNS} and not exists (
       select from mailbox m where m.lane in (w."from", w."to") and (m.head is not null or m.waiting > 0))
     order by w.id limit ${STORE_LIMITS.lanesApartMax}
   )`;

const COUNT_MOVES = statement<{ count: bigint }>(
  'count-lane-moves',
  `${MOVES} select count(*) as count from moves`,
);

const LIMIT_WAIT = statement<never>(
  'limit-lane-wait',
  `select set_config('lock_timeout', '${STORE_LIMITS.lanesApartWaitMs}ms', true)`,
);

/**
 * A transaction that has read the lane of a lifecycle keeps a lock on the table until it ends. This lock waits for such
 * transactions, so that none of them locks the old lane after the lifecycle has moved to another one.
 */
const LOCK_LIFECYCLES = statement<never>(
  'lock-all-lifecycles',
  'lock table lifecycle in access exclusive mode',
);

const MOVE = statement<{ id: string }>(
  'move-lanes',
  `${MOVES}, made as (
     insert into mailbox (lane) select distinct v."to" from moves v on conflict (lane) do nothing
   )
   update lifecycle l set lane = v."to" from moves v where l.id = v.id returning l.id`,
);

/** @param pool the caller closes it */
export const createLanes = (pool: Pool): Lanes => ({
  async part(io) {
    const [found] = await onConnection(pool, io, async (session) => {
      await session.run(FIND_ORIGINS);
      return session.run(COUNT_MOVES);
    });
    if (found === undefined || found.count === 0n) return 0;
    try {
      return await transact(pool, io, async (session) => {
        await session.run(LIMIT_WAIT);
        await session.run(LOCK_LIFECYCLES);
        return (await session.run(MOVE)).length;
      });
    } catch (error) {
      // A long transaction is reading the table. The move is given up for now, because the transactions that queue
      // behind its lock must not wait for the long one.
      if (error instanceof DatabaseOutageError && error.reason === 'locked') return 0;
      throw error;
    }
  },
});
