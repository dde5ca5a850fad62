import type { ForeignLedger } from '../../app/ports/foreign-ledgers.ts';
import { trusted } from '../../domain/ids.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { OWNER } from './cursors.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { holdSome, lockCauses } from './pauses.ts';

const LIST = statement<Row<'foreign_ledger'>>(
  'foreign-ledgers',
  'select stream, participant, reason, since from foreign_ledger order by since, stream',
);

const MARK = statement<{ stream: string }>(
  'mark-foreign-ledger',
  `with ${OWNER}
   insert into foreign_ledger as f (stream, participant, reason) select $1, $3, $4 from owner
   on conflict (stream) do update set reason = excluded.reason
   returning f.stream`,
);

/** Waits for relays that have read the mark; see `DISPATCH_DUE`. */
const CLEAR = statement<{ is_owner: boolean; cleared: bigint }>(
  'clear-foreign-ledgers',
  `with ${OWNER}, cleared as (
     delete from foreign_ledger f using owner where f.stream = any($1) returning 1
   )
   select true as is_owner, (select count(*) from cleared) as cleared from owner`,
);

export async function readForeignLedgers(session: Session): Promise<readonly ForeignLedger[]> {
  return (await session.run(LIST)).map(({ stream, participant, reason, since }) => ({
    stream,
    participant: trusted<ParticipantName>(participant),
    reason,
    since,
  }));
}

/**
 * Marks a ledger as foreign. Raises the dispatch numbers of effects that were already dispatched, so that their jobs
 * submit nothing. The number of effects that this blocks is bounded. For the others, the mark itself prevents attempts,
 * and a relay blocks these effects when they become due.
 */
export async function markForeignLedger(
  session: Session,
  { stream, participant, reason }: Omit<ForeignLedger, 'since'>,
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
  const rows = await session.run(CLEAR, [streams, leaseEpoch]);
  await holdSome(session);
  return rows.length === 1;
}
