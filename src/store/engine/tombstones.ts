import type { Tombstone, TombstoneSummary } from '../../app/ports/tombstones.ts';
import type { CommandId, Party, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

type TombstoneRow = Pick<Row<'tombstone'>, 'update_id' | 'command_id' | 'act_as'>;

const BURY = statement<{ update_id: string }>(
  'bury',
  `insert into tombstone (update_id, command_id, act_as)
   select distinct on (t.update_id) t.update_id, t.command_id, t.act_as
   from json_to_recordset($1::json) as t(update_id text, command_id text, act_as text[])
   on conflict (update_id) do nothing
   returning update_id`,
);

const SUMMARY = statement<TombstoneRow & { recorded_at: string; count: number }>(
  'tombstone-summary',
  `select update_id, command_id, act_as, recorded_at, (count(*) over ())::integer as count from tombstone
   where recorded_at > now() - $1 * interval '1 millisecond'
   order by recorded_at desc limit $2`,
);

export const tombstoneFrom = ({ update_id, command_id, act_as }: TombstoneRow): Tombstone => ({
  updateId: trusted<UpdateId>(update_id),
  commandId: trusted<CommandId>(command_id),
  actAs: act_as.map(trusted<Party>),
});

/** See `Tx.bury`. */
export async function bury(
  session: Session,
  tombstones: readonly Tombstone[],
): Promise<readonly Tombstone[]> {
  const rows = tombstones.map(({ updateId, commandId, actAs }) => ({
    update_id: updateId,
    command_id: commandId,
    act_as: actAs,
  }));
  const made = new Set(
    (await session.run(BURY, [JSON.stringify(rows)])).map((row) => row.update_id),
  );
  return tombstones.filter(({ updateId }) => made.delete(updateId));
}

/** @param sinceMs only tombstones recorded within this time are returned */
export async function readTombstones(session: Session, sinceMs: number): Promise<TombstoneSummary> {
  const rows = await session.run(SUMMARY, [sinceMs, STORE_LIMITS.tombstonesShown]);
  return {
    count: rows[0]?.count ?? 0,
    newest: rows.map((row) => ({ ...tombstoneFrom(row), recordedAt: row.recorded_at })),
  };
}
