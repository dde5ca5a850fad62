import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';

const PAUSES = plannedAnew<Pick<Row<'pause'>, 'scope' | 'name' | 'mode' | 'since'>>(
  'evidence-pauses',
  'select scope, name, mode, since from pause order by since, id',
);
const FOREIGN = plannedAnew<{ participant: string }>(
  'evidence-foreign',
  'select distinct participant from foreign_ledger order by participant',
);

/** Returns the pauses, drains and foreign ledgers in the session's snapshot. */
export async function readCauses(session: Session) {
  const [pauses, foreign] = await Promise.all([session.run(PAUSES), session.run(FOREIGN)]);
  return {
    pauses,
    foreign: foreign.map(({ participant }) => trusted<ParticipantName>(participant)),
  };
}

/** Omits the times of synchronizers that a person has given up. */
const CURSORS = plannedAnew<{
  stream: string;
  offset: bigint;
  oldest: bigint;
  times: Readonly<Record<string, string>>;
}>(
  'evidence-cursors',
  `select o.stream, o."offset", o.oldest_offset as oldest,
          (select coalesce(jsonb_object_agg(t.synchronizer, t.at), '{}')
           from jsonb_each_text(o.synchronizer_times) as t(synchronizer, at)
           where o.given_up ->> t.synchronizer is null
             or (o.given_up ->> t.synchronizer)::timestamptz < t.at::timestamptz) as times
   from query_store_offset o order by o.stream`,
);
const LEASES = plannedAnew<{ name: string; holder: string; epoch: bigint; expires_at: string }>(
  'evidence-leases',
  'select name, holder, epoch, expires_at from lease order by name',
);

/** Returns the positions of the streams in the session's snapshot. */
export async function readCursors(session: Session) {
  const rows = await session.run(CURSORS);
  return rows.map((row) => ({ ...row, times: new Map(Object.entries(row.times)) }));
}

export async function readLeases(session: Session) {
  const rows = await session.run(LEASES);
  return rows.map(({ expires_at: expiresAt, ...lease }) => ({ ...lease, expiresAt }));
}
