import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Change } from '../../domain/change.ts';
import type { EffectId, ParticipantName } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import {
  CIRCUIT_REASONS,
  isClosedBy,
  isProbed,
  outlasts,
} from '../../domain/participant-health.ts';
import type { CircuitOpening } from '../../domain/participant-health.ts';
import { EFFECTS_CHANNEL } from '../sql/channels.ts';
import { isReadAgain } from './cursors.ts';
import { isForeign } from './pauses.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/** SQL: the pairs for which a rule holds, as a list of rows. */
const pairsOf = <A extends string, B extends string>(
  firsts: readonly A[],
  seconds: readonly B[],
  rule: (first: A, second: B) => boolean,
): string =>
  firsts
    .flatMap((a) => seconds.flatMap((b) => (rule(a, b) ? [`('${a}', '${b}')`] : [])))
    .join(', ');

const OUTLASTING = pairsOf(CIRCUIT_REASONS, CIRCUIT_REASONS, outlasts);
const CLOSING = pairsOf(CIRCUIT_REASONS, ['participant', 'network'], isClosedBy);

/**
 * Opens circuits. If an answer proves nothing by itself, the first one is recorded as a silence and only the second one
 * opens the circuit. Attempts that were sent before the circuit opened may still get the same answer; all these answers
 * count as one. If a circuit opens again soon, within twice the last duration after its end, or after a failed probe,
 * it stays open twice as long as before. A circuit that only a probe can close replaces a circuit that closes by time,
 * but not the other way round.
 */
const OPEN_CIRCUITS = statement<never>(
  'open-circuits',
  `with r as materialized (
     select * from json_to_recordset($1::json)
       as r(participant text, ledger_code text, reason text, probe boolean, at_second boolean)
   ), first as (
     insert into silence (participant, since)
     select r.participant, now() from r where r.at_second order by r.participant collate "C"
     on conflict (participant) do nothing
     returning participant
   )
   insert into circuit as c (participant, level, delay_ms, since, until, ledger_code, reason, probe)
   select r.participant, 1, $2::integer, now(), now() + $2::integer * interval '1 millisecond', r.ledger_code, r.reason,
          r.probe
   from r
   where not exists (select from first f where f.participant = r.participant)
   order by r.participant collate "C"
   on conflict (participant) do update
   set (level, delay_ms, since, until, ledger_code, reason, probe, probed_at, probe_effect) = (
     select n.level, n.delay_ms, n.since, now() + n.delay_ms * interval '1 millisecond', n.ledger_code, n.reason,
            n.probe, null::timestamptz, null::text
     from (
       select case when is_again then c.level + 1 else 1 end as level,
              case when is_again then least(c.delay_ms * 2, case when reason = 'unreachable' then $4::integer else $3::integer end)
                   else $2::integer end as delay_ms,
              case when is_again then c.since else now() end as since,
              case when stays then c.ledger_code else excluded.ledger_code end as ledger_code,
              reason,
              c.probe or excluded.probe as probe
       from (select (c.reason, excluded.reason) in (${OUTLASTING}) as stays) k,
            lateral (select case when k.stays then c.reason else excluded.reason end as reason) w,
            lateral (select k.stays or c.reason = excluded.reason
               and (c.probe or c.until + 2 * c.delay_ms * interval '1 millisecond' > now()) as is_again) s
     ) n)
   where c.until <= now() or c.probed_at is not null or excluded.probe and not c.probe`,
);

export function sendOpenings(session: Session, openings: readonly CircuitOpening[]): void {
  const rows = openings.map(({ participant, reason, ledgerCode, atSecond = false }) => ({
    participant,
    ledger_code: ledgerCode,
    reason,
    probe: isProbed(reason),
    at_second: atSecond,
  }));
  session.send(OPEN_CIRCUITS, [
    JSON.stringify(rows),
    STORE_LIMITS.circuitMs,
    STORE_LIMITS.circuitMsMax,
    STORE_LIMITS.unreachableMsMax,
  ]);
}

/**
 * SQL, parts of a `with`: deletes the selected circuits, and makes a bounded number of the effects that these circuits
 * put off due at once. A relay does so with the remaining effects. Effects that another transaction has locked are
 * skipped and run when they become due: a transaction that has locked a circuit must not wait for an effect.
 *
 * @param chosen the `from` and `where` of a `delete from circuit c`
 */
const closing = (chosen: string): string => `closed as (
     delete from circuit c ${chosen}
     returning c.participant, pg_notify('${EFFECTS_CHANNEL}', '')
   ), let_go as (
     update effect e set due_at = now(), put_off_by = null
     where e.id in (
       select f.id from effect f
       where f.put_off_by in (select participant from closed) and f.done_at is null and f.held_at is null
       limit ${STORE_LIMITS.heldTogetherMax} for update skip locked)
   )`;

/**
 * SQL, parts of a `with`: closes the circuits and deletes the silences of participants that have answered an attempt
 * made since.
 *
 * @param answers name of a table with submission_id and reached; see `Reach`
 * @param keys SQL for an array of the submission IDs in that table
 */
export const closedBy = (answers: string, keys: string): string =>
  closing(`using ${answers} r join attempt b on b.submission_id = r.submission_id
     where b.submission_id = any(${keys}) and c.participant = b.participant and c.probe and b.at > c.since
       and (c.reason, r.reached) in (${CLOSING})`) +
  `, heard as (
     delete from silence s using ${answers} r join attempt b on b.submission_id = r.submission_id
     where b.submission_id = any(${keys}) and s.participant = b.participant and b.at > s.since
       and r.reached in ('network', 'participant')
   )`;

const CLOSE_UNREACHABLE = statement<{ participant: string }>(
  'close-unreachable',
  `with ${closing(`where c.participant = $1 and c.reason = 'unreachable'`)}
   select participant from closed`,
);

/** Closes the circuit of a participant that was unreachable and has now answered. */
export async function closeUnreachable(
  session: Session,
  participant: ParticipantName,
): Promise<void> {
  await session.run(CLOSE_UNREACHABLE, [participant]);
}

/**
 * Makes effects due earlier after a restart of their participant. A participant that was killed has lost the
 * submissions that it had accepted but not sequenced. Recent attempts are not repeated yet, because their answers may
 * still arrive. Each further attempt waits longer, so that a stream that breaks repeatedly causes few attempts.
 */
const SUBMIT_AGAIN = statement<{ moved: bigint; began: string }>(
  'submit-again',
  `with unheard as materialized (
     select e.id, u.at
     from effect e join change c on c.id = e.change_id
       join attempt a on a.change_id = c.id and a.n = c.last_attempt_no,
       lateral (select greatest(now() + $2 * interval '1 millisecond',
                  a.at + $3 * power(2, least(a.n, 10) - 1) * interval '1 millisecond') as at) u
     where e.done_at is null and e.held_at is null and e.put_off_by is null and e.due_at > u.at
       and c.participant = $1 and c.state = 'submitting' and c.accepted_update_id is null and c.verify_at is null
       and coalesce(a.verdict, 'unknown') = 'unknown' and a.at <= coalesce($4::timestamptz, 'infinity')
     limit $5 for update of e skip locked
   ), moved as (
     update effect e set due_at = u.at from unheard u where e.id = u.id returning e.id
   )
   select count(*) as moved, coalesce($4::timestamptz, now()) as began from moved`,
);

/** See `Outbox.completionsBack`. Moves a bounded number of effects in each transaction. */
export async function completionsBack(
  pool: Pool,
  participant: ParticipantName,
  io: Io,
): Promise<void> {
  const max = STORE_LIMITS.heldTogetherMax;
  const values = [participant, STORE_LIMITS.retoldMs, STORE_LIMITS.unheardMs];
  let began: string | null = null;
  for (let moved: number = max; moved === max;) {
    const since: string | null = began;
    [moved, began] = await transact(pool, io, async (session): Promise<[number, string | null]> => {
      const [row] = await session.run(SUBMIT_AGAIN, [...values, since, max]);
      const count = Number(row?.moved ?? 0n);
      if (count > 0) session.announce(EFFECTS_CHANNEL, '');
      return [count, row?.began ?? null];
    });
  }
}

/**
 * Puts off an effect that was dispatched before its participant was found to be unreachable; effects that become due
 * later are put off in the same way. Needs the lock on the change. If the effect is the probe and still has to be
 * submitted, it is returned and not put off. If the streams are being read again after a restart of the database, the
 * effect becomes due when that is finished.
 */
const PUT_OFF = statement<ChangeRow & { readonly is_probe: boolean }>(
  'put-off',
  `with still as materialized (
     select e.id as effect_id, c.id, c.participant
     from effect e join change c on c.id = e.change_id
     where e.id = $1 and e.dispatch_no = $2 and e.done_at is null and e.held_at is null
       and c.state in ('submitting', 'retrying') and c.accepted_update_id is null and c.verify_at is null
       and not ${isForeign('foreign_ledger', 'e')}
   ), away as materialized (
     select s.id, q.participant, q.until, q.probe_effect is not distinct from s.effect_id as is_probe
     from still s join circuit q on q.participant = s.participant and q.reason = 'unreachable'
   ), read_again as (
     update effect e set put_off_by = s.participant
     from still s
     where e.id = s.effect_id and not exists (select from away) and ${isReadAgain('s.participant')}
   ), put_off as (
     update effect e
     set put_off_by = a.participant,
         due_at = greatest(a.until, now()) + random() * $3 * interval '1 millisecond'
     from away a where e.id = $1 and not a.is_probe
   )
   select a.is_probe, ${columnsOf('c', CHANGE_COLUMNS)} from away a join change c on c.id = a.id`,
);

/**
 * Makes effects due at once whose circuit has closed, or whose streams have been read again. This is needed because a
 * transaction that closes a circuit does not see an effect that another transaction puts off at the same time, and that
 * effect would wait until the time of the probe. So a relay that puts off an effect repeats this search at each
 * dispatch: closing a circuit causes a dispatch, and a statement that begins after both commits sees both. One index
 * skip finds each participant, however many effects are put off.
 */
const LET_STRAYS_GO = statement<{ found: bigint }>(
  'let-strays-go',
  `with recursive away as (
     (select put_off_by as participant from effect where put_off_by is not null order by put_off_by limit 1)
     union all
     select n.put_off_by from away a, lateral (
       select e.put_off_by from effect e where e.put_off_by > a.participant order by e.put_off_by limit 1) n
   ), found as materialized (
     select f.id from effect f
     where f.put_off_by = any(array(
         select a.participant from away a
         where not exists (select from circuit c where c.participant = a.participant)
           and not ${isReadAgain('a.participant')}))
       and f.done_at is null and f.held_at is null and f.due_at > now()
     limit $1 for update skip locked
   ), gone as (
     update effect e set due_at = now(), put_off_by = null where e.id = any(array(select id from found))
   )
   select count(*) as found from found`,
);

/** @returns whether there may be more such effects */
export async function letStraysGo(session: Session): Promise<boolean> {
  const max = STORE_LIMITS.heldTogetherMax;
  const [row] = await session.run(LET_STRAYS_GO, [max]);
  return Number(row?.found ?? 0n) === max;
}

export async function putOff(
  session: Session,
  effect: EffectId,
  dispatchNo: number,
): Promise<Change | null> {
  const [row] = await session.run(PUT_OFF, [effect, dispatchNo, STORE_LIMITS.probeSpreadMs]);
  if (row === undefined) return null;
  if (row.is_probe) return changeFromRow(row);
  // Announced here and not by the statement: otherwise the commit of each job that is put off would need a lock of the
  // whole server (see `Session.commit`).
  session.announce(EFFECTS_CHANNEL, '');
  return null;
}
