import type { Standstill } from '../../domain/standstill.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/* Stores why participants report no progress: one row for each participant that is at a standstill. */

const SET = statement<never>(
  'set-standstill',
  `insert into standstill (participant, kind, since, detail) values ($1, $2, $3, $4)
   on conflict (participant) do update
   set kind = excluded.kind, since = excluded.since, detail = excluded.detail`,
);

const CLEAR = statement<never>('clear-standstill', 'delete from standstill where participant = $1');

const OF_PARTICIPANT = statement<Row<'standstill'>>(
  'standstill-of',
  'select participant, kind, since, detail from standstill where participant = $1',
);

export const STANDSTILLS = statement<Row<'standstill'>>(
  'standstills',
  'select participant, kind, since, detail from standstill order by participant',
);

export function sendStandstill(
  session: Session,
  participant: ParticipantName,
  standstill: Standstill | null,
): void {
  if (standstill === null) session.send(CLEAR, [participant]);
  else {
    session.send(SET, [participant, standstill.kind, standstill.since, standstill.detail]);
  }
}

export async function findStandstill(
  session: Session,
  participant: ParticipantName,
): Promise<Standstill | null> {
  const [row] = await session.run(OF_PARTICIPANT, [participant]);
  if (row === undefined) return null;
  const { kind, since, detail } = row;
  return { kind, since, detail };
}
