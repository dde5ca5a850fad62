import type { Pool } from 'pg';
import type { BulkItem } from '../../app/desk/bulk-acts.ts';
import type { Io } from '../../app/ports/io.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';
import { STORE_LIMITS } from '../limits.ts';

/* Determines the order in which items of bulk acts are processed. */

interface ItemRow {
  readonly act_id: string;
  readonly n: number;
  readonly change_id: string;
  readonly action: BulkItem['action'];
  readonly decision: BulkItem['decision'];
  readonly reason: string;
  readonly by_party: string;
  readonly by_subject: string;
  readonly by_name: string;
  readonly tenant_id: string;
}

/**
 * SQL: whether an item must be passed over for now. The item would cancel the head of a lane, and that would start the
 * next change of the lane, which another act is about to cancel. Passing the item over breaks no order, because within
 * an act the head of a lane is the last item of that lane.
 *
 * There is always progress. All acts process lanes in the same order. In the first lane with waiting items, these items
 * are the first ones of their acts. If one of them is passed over, another act has an item in that lane whose change is
 * queued. That act's first item is also for a queued change, or for one that has ended, so it is not passed over.
 *
 * The subquery compares the item's state as a value, so that PostgreSQL finds the item by its key even right after the
 * act was written, when there are no statistics about its items.
 */
const IS_EARLY = `exists (
  select from change c
    join change q on q.lane = c.lane and q.state = 'queued'
    join bulk_act o on o.state = 'running' and o.action = 'cancel' and o.id <> a.id
  where c.id = b.change_id and c.state in ('submitting', 'retrying', 'in-doubt')
    and (select w.state from bulk_item w where w.act_id = o.id and w.change_id = q.id) = 'waiting')`;

/** If there is not room for one item of each act, the act that has waited longest comes first. */
const NEXT = statement<ItemRow>(
  'next-bulk-items',
  `select i.act_id, i.n, i.change_id, a.action, a.decision, a.reason, a.by_party, a.by_subject, a.by_name, a.tenant_id
   from bulk_act a cross join lateral (
     select t.act_id, t.n, t.change_id, row_number() over (order by t.n) as turn
     from (
       select b.act_id, b.n, b.change_id
       from (
         select w.act_id, w.n, w.change_id from bulk_item w
         where w.act_id = a.id and w.state = 'waiting' order by w.n limit $1 + ${STORE_LIMITS.bulkPassedOverMax}) b
       where a.action <> 'cancel' or not ${IS_EARLY}
       order by b.n
       limit greatest(1, $1 / (select count(*) from bulk_act r where r.state = 'running' and r.id <> all($2::uuid[])))) t) i
   where a.state = 'running' and a.id <> all($2::uuid[])
   order by i.turn, a.worked_at nulls first, a.applied_at, a.id limit $1`,
);

const itemOf = (row: ItemRow): BulkItem => ({
  actId: row.act_id,
  n: row.n,
  changeId: trusted<ChangeId>(row.change_id),
  action: row.action,
  decision: row.decision,
  reason: row.reason,
  by: {
    party: trusted<Party>(row.by_party),
    roles: new Set(['operator']),
    via: 'bearer',
    tenantId: row.tenant_id,
    subject: row.by_subject,
    name: row.by_name,
  },
});

/** See `BulkActs.next`. Runs in a transaction, because transactions have the settings that this plan needs. */
export async function nextItems(
  pool: Pool,
  limit: number,
  resting: readonly string[],
  io: Io,
): Promise<readonly BulkItem[]> {
  const rows = await transact(pool, io, (session) => session.run(NEXT, [limit, [...resting]]));
  return rows.map(itemOf);
}
