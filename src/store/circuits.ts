import type { BusyParticipant } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Session } from './session.ts';
import { statement } from './statement.ts';

/**
 * What was sent before the participant was left alone may still be answered that it is busy: that counts once. One that
 * is busy again, not longer after than it was left alone for, is left alone for twice as long.
 */
const SAVE_BUSY = statement<never>(
  'save-busy',
  `insert into circuit as c (participant, level, delay_ms, since, until, ledger_code)
   select r.participant, 1, $2::integer, now(), now() + $2::integer * interval '1 millisecond', r.ledger_code
   from json_to_recordset($1::json) as r(participant text, ledger_code text)
   order by r.participant collate "C"
   on conflict (participant) do update
   set (level, delay_ms, since, until, ledger_code) = (
     select n.level, n.delay_ms, n.since, now() + n.delay_ms * interval '1 millisecond', excluded.ledger_code
     from (
       select case when is_soon then c.level + 1 else 1 end as level,
              case when is_soon then least(c.delay_ms * 2, $3::integer) else $2::integer end as delay_ms,
              case when is_soon then c.since else now() end as since
       from (select c.until + 2 * c.delay_ms * interval '1 millisecond' > now() as is_soon) s
     ) n)
   where c.until <= now()`,
);

export function sendBusy(session: Session, busy: readonly BusyParticipant[]): void {
  const rows = busy.map(({ participant, ledgerCode }) => ({
    participant,
    ledger_code: ledgerCode,
  }));
  session.send(SAVE_BUSY, [JSON.stringify(rows), LIMITS.circuitMs, LIMITS.circuitMsMax]);
}
