import type { Pool } from 'pg';
import type { AuditChain } from '../../app/ports/audit-chain.ts';
import { EVENTS_LEASE } from '../../app/ports/leases.ts';
import { STORE_LIMITS } from '../limits.ts';
import { AUDIT_BYTES } from '../rows/audit-row.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/**
 * This is one statement, so that either everything happens under the lease or nothing. A row that was committed late
 * can have a smaller ID than rows that are in the chain already, so `settled_id` advances only to IDs of rows that were
 * chained long ago.
 */
const CHAIN = statement<{ count: number; seq: bigint; hash: string }>(
  'chain-audit',
  `with recursive owner as materialized (
     select 1 from lease where name = '${EVENTS_LEASE}' and epoch = $2 for share
   ), head as materialized (
     select c.last_seq, c.last_hash, c.settled_id from audit_chain c, owner
   ), waiting as materialized (
     select a.id, ${AUDIT_BYTES} as bytes, row_number() over (order by a.id) as n
     from audit a, head h
     where a.id > h.settled_id and not exists (select from audit_link l where l.audit_id = a.id)
     order by a.id limit $1
   ), chained (n, id, hash) as (
     select 0::bigint, null::bigint, h.last_hash from head h
     union all
     select w.n, w.id, sha256(c.hash || w.bytes) from chained c join waiting w on w.n = c.n + 1
   ), newest as materialized (
     select c.n, c.hash from chained c order by c.n desc limit 1
   ), linked as (
     insert into audit_link (seq, audit_id, hash)
     select h.last_seq + c.n, c.id, c.hash from chained c, head h where c.n > 0
   ), settled as materialized (
     select greatest(h.settled_id, (
       select l.audit_id from audit_link l
       where l.chained_at < now() - $3 * interval '1 millisecond' order by l.seq desc limit 1)) as id
     from head h
   ), moved as (
     update audit_chain c set last_seq = h.last_seq + e.n, last_hash = e.hash, settled_id = s.id
     from head h, newest e, settled s where e.n > 0 or s.id > h.settled_id
   )
   select e.n::integer as count, h.last_seq + e.n as seq, encode(e.hash, 'hex') as hash from newest e, head h`,
);

/** @param settledMs the sequencer sees every row before the row has this age, because no transaction takes longer */
export const createAuditChain = (
  pool: Pool,
  settledMs: number = STORE_LIMITS.auditSettledMs,
): AuditChain => ({
  async chain(limit, leaseEpoch, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(CHAIN, [limit, leaseEpoch, settledMs]),
    );
    return row ?? null;
  },
});
