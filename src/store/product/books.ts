import type { Pool } from 'pg';
import type { Books } from '../../app/ports/books.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../domain/licensing.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Session } from '../sql/session.ts';
import type { Statement } from '../sql/statement.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { COUNT_BEGUN, COUNT_ENDED, COUNT_PAID } from './book-tallies.ts';
import { remind, REMINDERS_DUE } from './reminders.ts';

/*
 * Records the books: reads the projection in ledger order, by the offset indexes that retention and the query store
 * need anyway. No table of the engine has an index or a trigger for the books. Each part is read in one transaction
 * that locks the cursor's row, so that nothing is counted twice and receipts have a single order.
 */

const RENEWAL_FQN = templateFqn(LICENSE_RENEWAL_REQUEST);
const ALLOCATION_FQN = templateFqn(ALLOCATION);
const LICENSE_FQN = templateFqn(LICENSE);

/** SQL: when the projection was last rebuilt. */
const REBUILT = `(select max(r.answered_at) from rebuild r where r.report is not null and not r.is_dry_run)`;

const NEWS = statement<{ has_updates: boolean; has_reminders: boolean }>(
  'book-news',
  `select s."offset" > c.read_to or c.rebuilt_at is distinct from ${REBUILT} as has_updates,
          ${REMINDERS_DUE} as has_reminders
   from book_cursor c, query_store_offset s where s.stream = '${UPDATES_STREAM}'`,
);

/** Returns no row if the process no longer holds the lease, or if another process is reading. */
const TAKE = statement<{ read_to: bigint; ends: bigint; is_rebuilt: boolean }>(
  'take-books',
  `with owner as materialized (
     select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = $1 for share
   )
   select c.read_to, s."offset" as ends, c.rebuilt_at is distinct from ${REBUILT} as is_rebuilt
   from book_cursor c, query_store_offset s
   where s.stream = '${UPDATES_STREAM}' and exists (select from owner)
   for update of c skip locked`,
);

/**
 * Starts again from the beginning after a rebuild, because a rebuild may add and archive contracts before the cursor's
 * offset. Licences are counted again. Payments keep their receipts and are not changed.
 */
const BEGIN_ANEW = statement<never>(
  'begin-books-anew',
  `with gone as (delete from license_tally)
   update book_cursor set read_to = 0, rebuilt_at = ${REBUILT}`,
);

const bounded = (offset: string): string =>
  `(select max(o) from (select k.${offset} as o from contract k where k.${offset} > $1 order by 1 limit $3) x
    having count(*) = $3)`;

/** Returns the offset at which this part ends. All rows of one offset are in the same part. */
const PART = statement<{ upto: bigint }>(
  'book-part',
  `select least($2::bigint, ${bounded('created_at_offset')}, ${bounded('archived_at_offset')}) as upto`,
);

const REQUESTED = statement<never>(
  'book-requested',
  `insert into payment (renewal_id, contract_id, request_id, provider, app_user, license_id, license_num, plan_id,
     plan_version, amount, instrument_admin, instrument, extension_ms, description, state, requested_at,
     requested_offset, requested_node, request_update_id, settle_before)
   select l.id, k.contract_id, k.payload ->> 'requestId', l.provider, l.app_user, l.origin_id,
          coalesce(l.license_num, 0), coalesce(named.plan_id, r.plan_id),
          case when named.plan_id is null then r.plan_version else named.plan_version end,
          coalesce(k.payload ->> 'licenseFeeAmount', '0')::numeric,
          coalesce(k.payload #>> '{licenseFeeInstrumentId,admin}', ''),
          coalesce(k.payload #>> '{licenseFeeInstrumentId,id}', ''),
          coalesce(k.payload #>> '{licenseExtensionDuration,microseconds}', '0')::bigint / 1000,
          coalesce(k.payload ->> 'description', ''), 'requested', k.created_effective_at, k.created_at_offset,
          k.created_node_id, u.update_id, (k.payload ->> 'settleBefore')::timestamptz
   from contract k
     join lineage a on a.contract_id = k.contract_id
     join lifecycle l on l.id = a.lifecycle_id
     left join license_record r on r.lifecycle_id = l.origin_id
     left join ledger_update u on u."offset" = k.created_at_offset
     left join lateral (
       select p.plan_id, p.plan_version
       from regexp_match(k.payload ->> 'description', '\\[plan ([a-z0-9-]+) version ([0-9]+)\\]$') as words
         cross join lateral plan_in(words[1], words[2]) p) as named on true
   where k.created_at_offset > $1 and k.created_at_offset <= $2 and k.template_fqn = '${RENEWAL_FQN}'
     and not k.divulged_only
   on conflict do nothing`,
);

/** Records the end of payments. The paid period ends at the new end of the licence, and is as long as the extension. */
const ENDED = statement<never>(
  'book-ended',
  `update payment p
   set state = x.state, ended_at = x.ended_at, ended_offset = x.ended_offset, ended_node = x.ended_node,
       update_id = x.update_id,
       valid_until = case when x.state = 'settled' then x.valid_until end,
       valid_from = case when x.state = 'settled' then x.valid_until - make_interval(secs => x.extension_ms / 1000.0) end
   from (
     select k.contract_id, b.extension_ms, u.update_id,
            case l.state when 'renewed' then 'settled' when 'rejected' then 'rejected' else 'withdrawn' end as state,
            k.archived_effective_at as ended_at, k.archived_at_offset as ended_offset, k.archived_node_id as ended_node,
            coalesce(
              (select (n.payload ->> 'expiresAt')::timestamptz
               from lineage i join contract n on n.contract_id = i.contract_id
               where i.lifecycle_id = b.license_id and n.template_fqn = '${LICENSE_FQN}'
                 and n.created_at_offset = k.archived_at_offset limit 1),
              k.archived_effective_at + make_interval(secs => b.extension_ms / 1000.0)) as valid_until
     from contract k
       join payment b on b.contract_id = k.contract_id
       join lifecycle l on l.id = b.renewal_id
       left join ledger_update u on u."offset" = k.archived_at_offset
     where k.archived_at_offset > $1 and k.archived_at_offset <= $2 and k.template_fqn = '${RENEWAL_FQN}'
   ) x
   where p.contract_id = x.contract_id and p.ended_at is null`,
);

const allocatedIn = (offset: string): string =>
  `select k.payload #>> '{allocation,settlement,settlementRef,id}' as request_id from contract k
   where k.${offset} > $1 and k.${offset} <= $2 and k.template_fqn = '${ALLOCATION_FQN}'`;

const ALLOCATED = statement<never>(
  'book-allocated',
  `with touched as materialized (
     ${allocatedIn('created_at_offset')} union ${allocatedIn('archived_at_offset')}
   ), judged as materialized (
     select p.renewal_id, exists (
       select from contract c
       where c.payload #>> '{allocation,settlement,settlementRef,id}' = p.request_id
         and c.archived_at_offset is null and not c.divulged_only
         and c.payload #>> '{allocation,transferLeg,sender}' = p.app_user) as is_paid
     from touched t join payment p on p.request_id = t.request_id and p.ended_at is null
   )
   update payment p set state = case when j.is_paid then 'allocated' else 'requested' end
   from judged j where p.renewal_id = j.renewal_id and p.ended_at is null`,
);

const MOVE = statement<never>('move-books', 'update book_cursor set read_to = $1');

/** The statements that read a part, which reaches from one offset (excluded) to another (included). */
const READINGS: readonly Statement<never>[] = [
  REQUESTED,
  ALLOCATED,
  ENDED,
  COUNT_BEGUN,
  COUNT_ENDED,
];

/** @returns whether there are more parts */
async function readPart(session: Session, from: bigint, ends: bigint): Promise<boolean> {
  const limit = STORE_LIMITS.bookContractsMax;
  const [part] = await session.run(PART, [from, ends, limit]);
  const upto = part?.upto ?? ends;
  for (const reading of READINGS) await session.run(reading, [from, upto]);
  const [paid] = await session.run(COUNT_PAID, [limit]);
  // If the receipts of a part need more than one statement, all of them are numbered before the next part is read.
  const isWhole = (paid?.count ?? 0) < limit;
  if (isWhole) await session.run(MOVE, [upto]);
  return !isWhole || upto < ends;
}

/** @param pool opened with `pipelined`; the caller closes it */
export const createBooks = (pool: Pool): Books => ({
  async news(reminderDays, provider, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(NEWS, [provider, reminderDays]),
    );
    return {
      hasUpdates: row?.has_updates === true,
      hasReminders: row?.has_reminders === true,
    };
  },
  read: (leaseEpoch, io) =>
    transact(pool, io, async (session) => {
      const [taken] = await session.run(TAKE, [leaseEpoch]);
      if (taken === undefined) return null;
      if (!taken.is_rebuilt) return readPart(session, taken.read_to, taken.ends);
      await session.run(BEGIN_ANEW);
      return true;
    }),
  remind: (reminderDays, provider, leaseEpoch, io) =>
    transact(pool, io, (session) => remind(session, { reminderDays, provider, leaseEpoch })),
});
