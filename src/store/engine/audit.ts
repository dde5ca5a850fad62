import type { AuditEntry } from '../../app/ports/writes.ts';
import type { Actor } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { TOLD_OF_AUDIT, auditToJson } from '../rows/audit-row.ts';
import { ARRIVALS_CHANNEL } from '../sql/channels.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

const SAVE_AUDIT = statement<never>(
  'save-audit',
  `with recorded as (
   insert into audit (at, by_party, by_subject, act, change_id, subject, from_state, to_state, reason, detail, of_party)
   select r.at, r.by_party, r.by_subject, r.act, r.change_id, r.subject, r.from_state, r.to_state, r.reason, r.detail,
     coalesce(
       (select c.caller_party from change c where c.id = r.change_id),
       case when starts_with(r.subject, 'act:') then
         (select b.by_party from bulk_act b where b.id = substr(r.subject, 5)::uuid) end,
       r.by_party)
   from json_to_recordset($1::json) as r(
     at timestamptz, by_party text, by_subject text, act text, change_id uuid, subject text, from_state text,
     to_state text, reason text, detail jsonb)
   ${TOLD_OF_AUDIT}`,
);

/** Records people's acts, in the transaction that performs them. */
export function sendAudit(session: Session, audit: readonly AuditEntry[]): void {
  session.send(SAVE_AUDIT, [JSON.stringify(audit.map(auditToJson))]);
  if (audit.some(({ changeId }) => changeId === null)) session.announce(ARRIVALS_CHANNEL, '');
}

/**
 * Records a call of a caller, with an empty reason, because most calls do not ask for one. `detail` must not contain a
 * secret.
 */
export const sendCall = (
  session: Session,
  { party, subject }: Actor,
  act: string,
  object: string,
  detail: JsonRecord,
  reason = 'asked for over the API',
): void =>
  sendAudit(session, [
    {
      at: new Date().toISOString(),
      byParty: party,
      bySubject: subject,
      act,
      changeId: null,
      subject: object,
      from: null,
      to: null,
      reason,
      detail,
    },
  ]);
