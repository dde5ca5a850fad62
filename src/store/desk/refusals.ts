import type { Pool } from 'pg';
import type { CountedRefusals, RefusalStore } from '../../app/ports/refusals.ts';
import type { Party } from '../../domain/ids.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/** Adds no event, because strangers cause these rows. */
const RECORD = statement<never>(
  'record-refusals',
  `insert into audit (at, by_party, by_subject, act, subject, reason, detail, of_party)
   select r.at, r.by_party, r.by_subject, r.act, r.subject, r.reason, r.detail, r.by_party
   from json_to_recordset($1::json) as r(
     at timestamptz, by_party text, by_subject text, act text, subject text, reason text, detail jsonb)`,
);

const rowOf = (refusal: CountedRefusals, provider: Party) => {
  const { act, by, object, reason, count, first, last } = refusal;
  return {
    at: last,
    by_party: by?.party ?? provider,
    by_subject: by?.subject ?? 'stranger',
    act,
    subject: object,
    reason,
    detail: { count, first },
  };
};

/** @param provider the party that sees the refusals of strangers */
export const createRefusals = (pool: Pool, provider: Party): RefusalStore => ({
  async record(refusals, io) {
    const rows = JSON.stringify(refusals.map((refusal) => rowOf(refusal, provider)));
    await onConnection(pool, io, (session) => session.run(RECORD, [rows]));
  },
});
