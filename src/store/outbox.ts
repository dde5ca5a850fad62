import type { Pool } from 'pg';
import type { Io, Outbox, StartedAttempt } from '../app/ports.ts';
import type { EffectId, SubmissionId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { ARRIVALS_CHANNEL } from './channels.ts';
import { isForeign, isStopped } from './pauses.ts';
import type { ChangeRow } from './rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from './rows/change-row.ts';
import type { LifecycleRow } from './rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from './rows/lifecycle-row.ts';
import type { Session } from './session.ts';
import { columnsOf, statement } from './statement.ts';
import { onConnection, transact } from './transact.ts';

/**
 * Those that another relay holds at this moment are its business. What is paused is put aside, and what is of a busy
 * participant put off, over as much time again as it is left alone. What would go to a ledger that is not the store's is
 * put aside too. Whoever ends a pause, or takes back that mark, waits for the lock on its row, so that nothing is put
 * aside for what is over. Changes are looked at only where there is one or the other.
 */
const DISPATCH_DUE = statement<{ id: string; dispatch_no: number; is_dispatched: boolean }>(
  'dispatch-due',
  `with due as materialized (
     select id, change_id, made_at from effect
     where done_at is null and held_at is null and due_at <= now()
     order by due_at limit $1 for update skip locked
   ), stop as materialized (
     select scope, name, mode, since from pause for share
   ), slow as materialized (
     select participant, until, delay_ms from circuit where until > now()
   ), apart as materialized (
     select participant from foreign_ledger for share
   ), sorted as materialized (
     select d.id,
            (select count(*) from stop) > 0 and ${isStopped('stop', 'd')} or ${isForeign('apart', 'd')} as is_held,
            case when (select count(*) from slow) > 0 then (
              select s.until + random() * s.delay_ms * interval '1 millisecond'
              from change c join slow s on s.participant = c.participant where c.id = d.change_id) end as until
     from due d
   )
   update effect e
   set held_at = case when s.is_held then now() end,
       dispatch_no = e.dispatch_no + case when s.is_held or s.until is not null then 0 else 1 end,
       due_at = case when s.is_held then e.due_at
                else coalesce(s.until, now() + $2 * interval '1 millisecond') end
   from sorted s where e.id = s.id
   returning e.id, e.dispatch_no, not s.is_held and s.until is null as is_dispatched`,
);

const NEXT_DUE = statement<{ due_in_ms: number | null }>(
  'next-due',
  `select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as due_in_ms
   from effect where done_at is null and held_at is null`,
);

/** The order in which everyone locks: the change, then its effect. */
const LOCK_CHANGE_OF_EFFECT = statement<never>(
  'lock-change-of-effect',
  `select from change c
   where c.id = (select e.change_id from effect e where e.id = $1) for no key update`,
);

/** A job may run before the transaction that dispatched it has ended: this waits until its number is visible. */
const LOCK_EFFECT = statement<never>(
  'lock-effect',
  'select from effect e where e.id = $1 for share',
);

const START_ATTEMPT = statement<ChangeRow & { readonly last_attempt_no: number }>(
  'start-attempt',
  `with before as materialized (
     select c.id, c.state from change c join effect e on c.id = e.change_id where e.id = $1
   ), started as (
     update change c
     set state = 'submitting', last_attempt_no = c.last_attempt_no + 1,
         waiting_for = jsonb_build_object(
           'kind', 'ledger',
           'detail', 'attempt ' || c.last_attempt_no + 1 || ' is on its way and not answered yet',
           'since', case when c.waiting_for ->> 'kind' = 'ledger' then c.waiting_for ->> 'since'
                    else to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)
     from effect e
     where e.id = $1 and e.dispatch_no = $2 and e.done_at is null
       and c.id = e.change_id and c.state in ('submitting', 'retrying') and c.accepted_update_id is null
       -- While it is made sure that no attempt took effect, there must be no new one.
       and c.verify_at is null
       and not ${isForeign('foreign_ledger', 'e')}
     returning ${columnsOf('c', CHANGE_COLUMNS)}, c.last_attempt_no
   ), recorded as (
     insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at)
     select s.id, s.last_attempt_no, $3, s.participant, s.ledger_user, s.act_as, l.contract_id, clock_timestamp()
     from started s left join lifecycle l on l.id = s.lifecycle_id
   ), told as (
     -- The other way to this state is to be accepted, which says it all.
     insert into event_arrival (type, subject, lifecycle_id, parties, data)
     select 'tenure.operation.submitting', s.id::text, s.lifecycle_id, array[s.caller_party],
            jsonb_strip_nulls(jsonb_build_object(
              'operationId', s.id, 'commandId', s.command_id, 'operation', s.operation, 'state', s.state,
              'lifecycleId', s.lifecycle_id))
     from started s join before b on b.id = s.id where b.state = 'retrying'
     returning pg_notify('${ARRIVALS_CHANNEL}', '')
   )
   select s.*, (select count(*) from told) as told from started s`,
);

/** That of its change, and the licence that a renewal is completed on. */
const LIFECYCLES_OF_EFFECT = statement<LifecycleRow>(
  'lifecycles-of-effect',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)}
   from effect e join change c on c.id = e.change_id
     join lifecycle l on l.id in (c.lifecycle_id, c.fixed ->> 'licenseId')
   where e.id = $1`,
);

/** One round trip, commit included: nothing here is waited for before the next statement is sent. */
async function start(
  session: Session,
  effect: EffectId,
  dispatchNo: number,
  submissionId: SubmissionId,
): Promise<() => Promise<StartedAttempt | null>> {
  session.send(LOCK_CHANGE_OF_EFFECT, [effect]);
  session.send(LOCK_EFFECT, [effect]);
  const started = session.run(START_ATTEMPT, [effect, dispatchNo, submissionId]);
  const found = session.run(LIFECYCLES_OF_EFFECT, [effect]);
  const answers = Promise.all([started, found]);
  // Failures show in the commit as well, which is what is waited for first.
  answers.catch(() => {});
  return async () => {
    const [[row], rows] = await answers;
    if (row === undefined) return null;
    const lifecycles = rows.map(lifecycleFromRow);
    const byId = (id: unknown) => lifecycles.find((lifecycle) => lifecycle.id === id) ?? null;
    return {
      change: changeFromRow(row),
      attempt: row.last_attempt_no,
      lifecycle: byId(row.lifecycle_id),
      license: byId(row.fixed['licenseId']),
    };
  };
}

/** @param pool opened with `pipelined`; stays the caller's */
export function createOutbox(pool: Pool): Outbox {
  return {
    dispatchDue: (limit, put, io) =>
      transact(
        pool,
        io,
        async (session) => {
          const rows = await session.run(DISPATCH_DUE, [limit, LIMITS.redispatchMs]);
          if (rows.length === 0) return 0;
          const dispatched = rows
            .filter((row) => row.is_dispatched)
            .map((row) => ({ id: trusted<EffectId>(row.id), dispatchNo: row.dispatch_no }));
          if (dispatched.length > 0) await put(dispatched);
          return rows.length;
        },
        // If the marks are lost with the server, the same effects are dispatched again under the same numbers.
        { durable: false },
      ),
    async nextDueInMs(io: Io): Promise<number | null> {
      const [row] = await onConnection(pool, io, (session) => session.run(NEXT_DUE));
      const dueInMs = row?.due_in_ms ?? null;
      return dueInMs === null ? null : Math.max(0, Math.ceil(dueInMs));
    },
    async startAttempt(effect, dispatchNo, submissionId, io) {
      const answer = await transact(pool, io, (session) =>
        start(session, effect, dispatchNo, submissionId),
      );
      return answer();
    },
  };
}
