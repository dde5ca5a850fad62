import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Outbox, StartedAttempt } from '../../app/ports/outbox.ts';
import type { EffectId, SubmissionId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { CircuitReason } from '../../domain/pause.ts';
import { closeUnreachable, putOff, sendCompletionsBack } from './circuits.ts';
import { isForeign, isStopped } from './pauses.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/**
 * Those that another relay holds at this moment are its business. What is paused is put aside, and so is what would go
 * to a ledger that is not the store's. What is of a participant that is left alone is put off, over as much time again
 * as it is. Where only a probe can end that it is put off until the next one, and when its time is over the effect that
 * is due for longest is let through, by whichever relay gets the lock on the circuit. Whoever ends a pause, or takes
 * back a mark, waits for the lock on its row, so that nothing is put aside for what is over. Changes are looked at only
 * where there is one or the other.
 */
const DISPATCH_DUE = statement<{ id: string; dispatch_no: number; is_dispatched: boolean }>(
  'dispatch-due',
  `with due as materialized (
     select id, change_id, made_at, due_at from effect
     where done_at is null and held_at is null and due_at <= now()
     order by due_at limit $1 for update skip locked
   ), stop as materialized (
     select scope, name, mode, since from pause for share
   ), slow as materialized (
     select participant, until, delay_ms, probe from circuit where until > now() or probe
   ), apart as materialized (
     select participant from foreign_ledger for share
   ), sorted as materialized (
     select d.id, d.due_at,
            (select count(*) from stop) > 0 and ${isStopped('stop', 'd')} or ${isForeign('apart', 'd')} as is_held,
            s.participant, s.until, s.delay_ms, s.probe
     from due d left join lateral (
       select s.* from change c join slow s on s.participant = c.participant where c.id = d.change_id
     ) s on (select count(*) from slow) > 0
   ), over as materialized (
     select c.participant from circuit c
     where c.probe and c.until <= now() and c.participant in (select participant from sorted where not is_held)
     for update skip locked
   ), probe as materialized (
     select distinct on (s.participant) s.id, s.participant from sorted s join over o on o.participant = s.participant
     where not s.is_held order by s.participant, s.due_at, s.id
   ), probed as (
     update circuit c set until = now() + $3 * interval '1 millisecond', probed_at = now(), probe_effect = p.id
     from probe p where c.participant = p.participant
   ), judged as (
     select s.*, not s.is_held and (s.until is null or exists (select from probe p where p.id = s.id)) as goes
     from sorted s
   )
   update effect e
   set held_at = case when j.is_held then now() end,
       dispatch_no = e.dispatch_no + j.goes::integer,
       put_off_by = case when not j.goes and not j.is_held and j.probe then j.participant end,
       due_at = case when j.is_held then e.due_at
                when j.goes then now() + $2 * interval '1 millisecond'
                else greatest(j.until, now())
                     + random() * case when j.probe then $4 else j.delay_ms end * interval '1 millisecond' end
   from judged j where e.id = j.id
   returning e.id, e.dispatch_no, j.goes as is_dispatched`,
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

interface StartedRow extends ChangeRow {
  readonly last_attempt_no: number;
  readonly attempted_contract_id: string | null;
  readonly circuit: CircuitReason | null;
}

/**
 * A try that sent nothing leaves no row behind: the next one takes its number and counts it. Nothing can come of its
 * submission ID any more, so that goes with it. What it waited for is kept beside what it waits for now, in case it has
 * to wait for that again.
 */
const START_ATTEMPT = statement<StartedRow>(
  'start-attempt',
  `with next as materialized (
     select c.id, c.last_attempt_no + case when a.unsent then 0 else 1 end as n
     from effect e join change c on c.id = e.change_id
       left join attempt a on a.change_id = c.id and a.n = c.last_attempt_no
     where e.id = $1
   ), started as (
     update change c
     set state = 'submitting', last_attempt_no = x.n,
         -- It waits for traffic until an attempt got through: one that finds out whether there is some is none.
         waiting_for = case when c.waiting_for ->> 'kind' = 'traffic' then c.waiting_for else jsonb_strip_nulls(jsonb_build_object(
           'kind', 'ledger',
           'detail', 'attempt ' || x.n || ' is on its way and not answered yet',
           'since', case when c.waiting_for ->> 'kind' = 'ledger' then c.waiting_for ->> 'since'
                    else to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
           'after', case when c.state = 'retrying' and c.waiting_for is not null
                         then jsonb_build_object('kind', c.waiting_for -> 'kind', 'since', c.waiting_for -> 'since')
                    else c.waiting_for -> 'after' end)) end
     from effect e, next x
     where e.id = $1 and e.dispatch_no = $2 and e.done_at is null and x.id = c.id
       and c.id = e.change_id and c.state in ('submitting', 'retrying') and c.accepted_update_id is null
       -- While it is made sure that no attempt took effect, there must be no new one.
       and c.verify_at is null
       and not ${isForeign('foreign_ledger', 'e')}
       and ($4 or not exists (
         select from circuit q where q.participant = c.participant and q.reason = 'unreachable'))
     returning ${columnsOf('c', CHANGE_COLUMNS)}, c.last_attempt_no
   ), recorded as (
     insert into attempt as a (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at)
     select s.id, s.last_attempt_no, $3, s.participant, s.ledger_user, s.act_as, l.contract_id, clock_timestamp()
     from started s left join lifecycle l on l.id = s.lifecycle_id
     on conflict (change_id, n) do update
     set submission_id = excluded.submission_id, ledger_user = excluded.ledger_user,
         contract_id = excluded.contract_id, at = excluded.at,
         unsent_tries = a.unsent_tries + 1, unsent_since = coalesce(a.unsent_since, a.at), unsent = false,
         answered_at = null, verdict = null, ledger_code = null, explanation = null, answer_offset = null, cost = null,
         over_at = null
     returning contract_id
   )
   select s.*, (select contract_id from recorded) as attempted_contract_id,
          (select q.reason from circuit q where q.participant = s.participant and q.probe) as circuit
   from started s`,
);

/** That of its change, and the other one that it needs: the only thing fixed with it that is the id of a lifecycle. */
const LIFECYCLES_OF_EFFECT = statement<LifecycleRow>(
  'lifecycles-of-effect',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)}
   from effect e join change c on c.id = e.change_id
     join lifecycle l on l.id = any(array(
       select c.lifecycle_id union all select f.value from json_each_text(c.fixed) f
     ))
   where e.id = $1`,
);

/** One round trip, commit included: nothing here is waited for before the next statement is sent. */
async function start(
  session: Session,
  effect: EffectId,
  dispatchNo: number,
  submissionId: SubmissionId,
  isReached: boolean,
): Promise<() => Promise<StartedAttempt | null>> {
  session.send(LOCK_CHANGE_OF_EFFECT, [effect]);
  session.send(LOCK_EFFECT, [effect]);
  const started = session.run(START_ATTEMPT, [effect, dispatchNo, submissionId, isReached]);
  const found = session.run(LIFECYCLES_OF_EFFECT, [effect]);
  const answers = Promise.all([started, found]);
  // Failures show in the commit as well, which is what is waited for first.
  answers.catch(() => {});
  return async () => {
    const [[row], rows] = await answers;
    if (row === undefined) return null;
    const lifecycles = rows.map(lifecycleFromRow);
    const lifecycle = lifecycles.find(({ id }) => id === row.lifecycle_id) ?? null;
    return {
      change: changeFromRow(row),
      attempt: row.last_attempt_no,
      // What was recorded is what is submitted, though another contract has taken its place between the two statements.
      lifecycle:
        lifecycle === null || row.attempted_contract_id === null
          ? lifecycle
          : { ...lifecycle, contractId: trusted(row.attempted_contract_id) },
      through: lifecycles.find(({ id }) => id !== row.lifecycle_id) ?? null,
      circuit: row.circuit,
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
          const rows = await session.run(DISPATCH_DUE, [
            limit,
            LIMITS.redispatchMs,
            STORE_LIMITS.probeMs,
            STORE_LIMITS.probeSpreadMs,
          ]);
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
    async startAttempt(effect, dispatchNo, submissionId, io, isReached = false) {
      const answer = await transact(pool, io, (session) =>
        start(session, effect, dispatchNo, submissionId, isReached),
      );
      return answer();
    },
    putOff: (effect, dispatchNo, io) =>
      transact(pool, io, (session) => {
        session.send(LOCK_CHANGE_OF_EFFECT, [effect]);
        return putOff(session, effect, dispatchNo);
      }),
    participantReached: (participant, io) =>
      transact(pool, io, (session) => closeUnreachable(session, participant)),
    completionsBack: (participant, io) =>
      transact(pool, io, async (session) => sendCompletionsBack(session, participant)),
  };
}
