import type { ForeignMark } from '../../app/ports/proofs.ts';
import type { ParticipantCause, Standstill } from '../../domain/participant-health.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { OWNER } from './cursors.ts';
import { holdSome, lockCauses } from './pauses.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/* Stores standstills and foreign ledgers, and reads every reason why a participant is not healthy. */

const SET = statement<never>(
  'set-standstill',
  `insert into standstill (participant, kind, since, detail) values ($1, $2, $3, $4)
   on conflict (participant) do update
   set kind = excluded.kind, since = excluded.since, detail = excluded.detail`,
);

const CLEAR = statement<never>('clear-standstill', 'delete from standstill where participant = $1');

/** Each table has at most a few rows. */
const CAUSES = statement<ParticipantCause>(
  'participant-causes',
  `select participant, 'foreign' as kind, since, reason as detail, stream from foreign_ledger
   union all
   select participant, reason, since, ledger_code, null from circuit where until > clock_timestamp() or probe
   union all
   select participant, kind, since, detail, null from standstill
   order by since, participant, stream, kind`,
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

export const readParticipantCauses = (session: Session): Promise<readonly ParticipantCause[]> =>
  session.run(CAUSES);

const MARK = statement<{ stream: string }>(
  'mark-foreign-ledger',
  `with ${OWNER}
   insert into foreign_ledger as f (stream, participant, reason) select $1, $3, $4 from owner
   on conflict (stream) do update set reason = excluded.reason
   returning f.stream`,
);

/** Waits for relays that have read the mark; see `DISPATCH_DUE`. */
const CLEAR_MARKS = statement<{ is_owner: boolean; cleared: bigint }>(
  'clear-foreign-ledgers',
  `with ${OWNER}, cleared as (
     delete from foreign_ledger f using owner where f.stream = any($1) returning 1
   )
   select true as is_owner, (select count(*) from cleared) as cleared from owner`,
);

/**
 * Marks a ledger as foreign. Raises the dispatch numbers of effects that were already dispatched, so that their jobs
 * submit nothing. The number of effects that this blocks is bounded. For the others, the mark itself prevents attempts,
 * and a relay blocks these effects when they become due.
 */
export async function markForeignLedger(
  session: Session,
  { stream, participant, reason }: ForeignMark,
  leaseEpoch: bigint,
): Promise<boolean> {
  lockCauses(session);
  const rows = await session.run(MARK, [stream, leaseEpoch, participant, reason]);
  await holdSome(session);
  return rows.length === 1;
}

/** Removes marks and releases a bounded number of effects; a relay releases the others. */
export async function clearForeignLedgers(
  session: Session,
  streams: readonly string[],
  leaseEpoch: bigint,
): Promise<boolean> {
  lockCauses(session);
  const rows = await session.run(CLEAR_MARKS, [streams, leaseEpoch]);
  await holdSome(session);
  return rows.length === 1;
}
