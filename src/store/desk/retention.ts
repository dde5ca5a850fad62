import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { Retention } from '../../app/ports/retention.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { sumsOf } from './costs.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/** Locks the lease. A process that no longer holds the scheduler's lease gets no row; see `createAlarms`. */
const OWNER = `owner as materialized (
  select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = $1 for share
)`;

interface Pruned {
  readonly pruned: number;
}

/**
 * Deletes the attempts and effects of old changes, and most of their bodies. The body of a change without an effect is
 * kept, so that the change can be retried; of other bodies, only those members are kept by which the doctor judges
 * repeated effects. Results, errors, fingerprints and fixed members (such as the policy) are kept for all changes, so
 * that the same command ID always gets the same answer and its caller stays known. The sums of the attempts' costs are
 * kept, too. A change that ended without an effect is kept as a whole if one of its attempts may have had an effect, or
 * was later found to have had one, because nothing else would prevent a retry.
 */
const CHANGES = statement<Pruned>(
  'prune-changes',
  `with ${OWNER}, old as materialized (
     select c.id from change c, owner
     where c.finished_at < now() - make_interval(secs => $2) and c.pruned_at is null
       and (c.state = 'succeeded' or not exists (
         select from attempt a where a.change_id = c.id and a.verdict is distinct from 'refused'))
     order by c.finished_at limit $3 for update of c skip locked
   ), attempts as (
     delete from attempt a using old o where a.change_id = o.id
     returning a.*
   ), sums as (
     select a.change_id, ${sumsOf('a')} from attempts a group by a.change_id
   ), effects as (
     delete from effect e using old o where e.change_id = o.id
   ), stripped as (
     update change c
     set pruned_at = now(),
         paid_cost = (select s.bytes from sums s where s.change_id = c.id),
         unpriced_attempts = (select s.unknown from sums s where s.change_id = c.id),
         body = case when c.state <> 'succeeded' then c.body
                     when c.body ->> 'allowConcurrent' = 'true' then '{"allowConcurrent":true}'::json
                     else '{}'::json end
     from old o where c.id = o.id
     returning c.id
   )
   select (select count(*)::integer from stripped) as pruned from owner`,
);

/**
 * Deletes old events from the smallest number up to the first event that is not old, because the numbers of the kept
 * events must have no gaps. An event whose deliveries have not been created yet is kept at any age; that happens if
 * Tenure was stopped for longer than events are kept. The events of one transaction are deleted together.
 */
const EVENTS = statement<Pruned>(
  'prune-events',
  `with ${OWNER}, first as materialized (
     select b.last, b.at < now() - make_interval(secs => $2) as is_old
     from event_batch b order by b.last limit $3
   ), gone as (
     delete from event_batch b using first f, owner
     where b.last = f.last and f.last < coalesce((select min(last) from first where not is_old), f.last + 1)
       and f.last <= (select c.last from webhook_cursor c)
     returning b.last - b.first + 1 as count
   )
   select (select coalesce(sum(count), 0)::integer from gone) as pruned from owner`,
);

const DELIVERIES = statement<Pruned>(
  'prune-deliveries',
  `with ${OWNER}, old as materialized (
     select d.id from delivery d
     where d.finished_at < now() - make_interval(secs => $2)
     order by d.finished_at limit $3
   ), gone as (
     -- One that was asked for again meanwhile is not finished any more.
     delete from delivery d using old o, owner where d.id = o.id and d.finished_at is not null
     returning 1
   )
   select (select count(*)::integer from gone) as pruned from owner`,
);

/** Deletes a limited number of items; a bulk act is deleted together with its last item. */
const ACTS = statement<Pruned>(
  'prune-acts',
  `with ${OWNER}, old as materialized (
     select a.id, a.finished_at from bulk_act a
     where a.finished_at < now() - make_interval(secs => $2)
     order by a.finished_at limit $3
   ), taken as materialized (
     select i.act_id, i.n from old o join bulk_item i on i.act_id = o.id
     order by o.finished_at, i.act_id, i.n limit $3
   ), items as (
     delete from bulk_item i using taken t, owner where i.act_id = t.act_id and i.n = t.n
     returning 1
   ), acts as (
     delete from bulk_act a using old o, owner
     where a.id = o.id and not exists (
       select from bulk_item i where i.act_id = o.id
         and not exists (select from taken t where t.act_id = i.act_id and t.n = i.n))
     returning 1
   )
   select (select count(*) from items)::integer + (select count(*) from acts)::integer as pruned from owner`,
);

/**
 * Returns the offset up to which updates may be deleted. This is the offset of the newest update that is old by the
 * ledger's time, or an earlier offset from which an open change may still have to be searched for. Offsets of different
 * participants cannot be compared, so while a change of another participant is open, nothing may be deleted. Open
 * changes are few, and have indexes of their own.
 */
const CUT = statement<{ cut: bigint }>(
  'retention-cut',
  `with aged as (
     select u."offset" from ledger_update u, query_store_offset s
     where s.stream = '${UPDATES_STREAM}' and u.effective_at < s.record_time - make_interval(secs => $1)
     order by u.effective_at desc limit 1
   ), open as (
     select c.participant, c.deduplication_offset from change c
     where c.state in ('submitting', 'retrying', 'in-doubt')
     union all
     select c.participant, c.deduplication_offset from change c where c.state = 'queued'
   )
   select least(a."offset", (select min(deduplication_offset) from open)) as cut
   from aged a, query_store_offset s
   where s.stream = '${UPDATES_STREAM}' and not exists (select from open where participant <> $2)
     and least(a."offset", (select min(deduplication_offset) from open)) > s.oldest_offset`,
);

/** Before anything is deleted, advances the offset from which the store says that it is complete. */
const BEGIN_AT = statement<Pruned>(
  'retention-begin',
  `with ${OWNER}
   update query_store_offset s set oldest_offset = $2::bigint from owner
   where s.stream = '${UPDATES_STREAM}' and s.oldest_offset < $2::bigint
   returning 1 as pruned`,
);

/**
 * Deletes archived contracts up to the cut, in order of their offsets. `$3` is the offset that earlier calls have
 * reached. The last contract of an ended lifecycle is kept, because it is shown with the lifecycle.
 */
const CONTRACTS = statement<Pruned & { at: bigint | null }>(
  'prune-contracts',
  `with ${OWNER}, old as materialized (
     select k.contract_id, k.template_fqn, k.archived_at_offset as at from contract k
     where k.archived_at_offset > $3 and k.archived_at_offset <= coalesce(
       (select n.archived_at_offset from contract n
        where n.archived_at_offset > $3 and n.archived_at_offset <= $2
        order by n.archived_at_offset offset $4 limit 1), $2)
   ), gone as (
     delete from contract k using old o, owner
     where k.contract_id = o.contract_id and k.template_fqn = o.template_fqn
       and not exists (
         select from lineage n join lifecycle l on l.id = n.lifecycle_id
         where n.contract_id = k.contract_id and l.contract_id = k.contract_id)
     returning 1
   )
   select (select count(*)::integer from gone) as pruned, (select max(at) from old) as at from owner`,
);

const EXERCISES = statement<Pruned & { at: bigint | null }>(
  'prune-exercises',
  `with ${OWNER}, old as materialized (
     select e."offset", e.node_id from exercise e
     where e."offset" > $3 and e."offset" <= $2 order by e."offset", e.node_id limit $4
   ), gone as (
     delete from exercise e using old o, owner
     where e."offset" = o."offset" and e.node_id = o.node_id
     returning 1
   )
   -- The last offset may have more: it is looked at again.
   select (select count(*)::integer from gone) as pruned, (select max("offset") - 1 from old) as at from owner`,
);

const UPDATES = statement<Pruned & { at: bigint | null }>(
  'prune-updates',
  `with ${OWNER}, old as materialized (
     select u."offset" from ledger_update u
     where u."offset" > $3 and u."offset" <= $2 order by u."offset" limit $4
   ), gone as (
     delete from ledger_update u using old o, owner
     where u."offset" = o."offset"
       and not exists (select from contract k where k.created_at_offset = u."offset")
       and not exists (select from contract k where k.archived_at_offset = u."offset")
     returning 1
   )
   select (select count(*)::integer from gone) as pruned, (select max("offset") from old) as at from owner`,
);

/**
 * Advances the beginning of the chain past old rows, up to the first row that is not old, and keeps the hash of the
 * last old row. The database allows no deletion of rows that are still part of the chain.
 */
const BEGIN_AUDIT = statement<{ upto: bigint }>(
  'begin-audit',
  `with ${OWNER}, head as materialized (
     select c.deleted_seq from audit_chain c, owner for update of c
   ), first as materialized (
     select l.seq, l.hash, a.at, coalesce(a.at < now() - make_interval(secs => $2), true) as is_old
     from head h join audit_link l on l.seq > h.deleted_seq and l.seq <= h.deleted_seq + $3
       left join audit a on a.id = l.audit_id
   ), gone as materialized (
     select f.seq, f.hash, f.at from first f
     where f.seq < coalesce((select min(seq) from first where not is_old), f.seq + 1)
   ), moved as (
     update audit_chain c set deleted_seq = g.seq, deleted_hash = g.hash,
       deleted_until = greatest(c.deleted_until, (select max(at) from gone))
     from (select seq, hash from gone order by seq desc limit 1) g
     returning c.deleted_seq
   )
   select coalesce((select m.deleted_seq from moved m), h.deleted_seq) as upto from head h`,
);

const DELETE_AUDIT = statement<never>(
  'delete-audit',
  `delete from audit a using audit_link l where l.audit_id = a.id and l.seq <= $1`,
);

const DELETE_LINKS = statement<{ seq: bigint }>(
  'delete-audit-links',
  `delete from audit_link where seq <= $1 returning seq`,
);

const seconds = (ms: number): number => ms / 1_000;

/** @param pool the caller closes it */
export function createRetention(pool: Pool, projected: ParticipantName): Retention {
  const batch =
    (sql: Statement<Pruned>) =>
    async (
      query: { readonly olderThanMs: number; readonly limit: number },
      epoch: bigint,
      io: Io,
    ) => {
      const values = [epoch, seconds(query.olderThanMs), query.limit];
      const [row] = await onConnection(pool, io, (session) => session.run(sql, values));
      return row?.pruned ?? null;
    };
  return {
    changes: batch(CHANGES),
    events: batch(EVENTS),
    deliveries: batch(DELIVERIES),
    acts: batch(ACTS),
    audit: ({ olderThanMs, limit }, epoch, io) =>
      transact(pool, io, async (session) => {
        const values = [epoch, seconds(olderThanMs), limit];
        const [row] = await session.run(BEGIN_AUDIT, values);
        if (row === undefined) return null;
        session.send(DELETE_AUDIT, [row.upto]);
        return (await session.run(DELETE_LINKS, [row.upto])).length;
      }),
    async cut(olderThanMs, io) {
      const values = [seconds(olderThanMs), projected];
      const [row] = await onConnection(pool, io, (session) => session.run(CUT, values));
      return row?.cut ?? null;
    },
    async beginAt(cut, epoch, io) {
      const rows = await onConnection(pool, io, (session) => session.run(BEGIN_AT, [epoch, cut]));
      return rows.length > 0;
    },
    async archived(what, { cut, after, limit }, epoch, io) {
      const sql = { contracts: CONTRACTS, exercises: EXERCISES, updates: UPDATES }[what];
      const values = [epoch, cut, after, limit];
      const [row] = await onConnection(pool, io, (session) => session.run(sql, values));
      return row === undefined ? null : { pruned: row.pruned, at: row.at };
    },
  };
}
