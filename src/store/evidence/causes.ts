import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Row } from '../sql/schema.ts';
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

/** The pauses, drains and foreign ledgers of the session's snapshot. */
export async function readCauses(session: Session) {
  const [pauses, foreign] = await Promise.all([session.run(PAUSES), session.run(FOREIGN)]);
  return {
    pauses,
    foreign: foreign.map(({ participant }) => trusted<ParticipantName>(participant)),
  };
}
