import type { AuditEntry } from '../../app/ports/writes.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

export type AuditRow = Omit<Row<'audit'>, 'of_party'>;

/** Returns the entry as an element of a JSON array that a statement unpacks. */
export function auditToJson(entry: AuditEntry): Record<keyof Omit<AuditRow, 'id'>, Json> {
  assert(entry.reason !== '', 'whoever decides says why');
  return {
    at: entry.at,
    by_party: entry.byParty,
    by_subject: entry.bySubject,
    act: entry.act,
    change_id: entry.changeId,
    subject: entry.subject ?? null,
    from_state: entry.from,
    to_state: entry.to,
    reason: entry.reason,
    detail: entry.detail,
  };
}

export const auditFromRow = (row: AuditRow): AuditEntry => ({
  at: row.at,
  byParty: trusted<Party>(row.by_party),
  bySubject: row.by_subject,
  act: row.act,
  changeId: row.change_id === null ? null : trusted<ChangeId>(row.change_id),
  ...(row.subject === null ? {} : { subject: row.subject }),
  from: row.from_state,
  to: row.to_state,
  reason: row.reason,
  detail: row.detail,
});

/**
 * SQL that ends `with recorded as (insert into audit …`. Adds an event for an act that concerns no change; for an act
 * on a change, the events about the change's progress are enough. The event contains neither the author nor the reason,
 * because only readers of the audit log may see them.
 */
export const TOLD_OF_AUDIT = `returning act, subject, change_id, of_party
   )
   insert into arrival (events)
   select jsonb_agg(jsonb_build_object(
     'type', 'tenure.audit.recorded', 'subject', coalesce(r.subject, r.act), 'lifecycle_id', null,
     'parties', jsonb_build_array(r.of_party),
     'data', jsonb_strip_nulls(jsonb_build_object('act', r.act, 'object', r.subject))))
   from recorded r where r.change_id is null having count(*) > 0`;

/** SQL: the bytes of row `a` that its hash covers. Columns that are added to the table later are not covered. */
export const AUDIT_BYTES = `convert_to(jsonb_build_array(a.id, (extract(epoch from a.at) * 1000000)::bigint, a.by_party,
  a.by_subject, a.act, a.change_id, a.subject, a.from_state, a.to_state, a.reason, a.detail, a.of_party)::text, 'UTF8')`;
