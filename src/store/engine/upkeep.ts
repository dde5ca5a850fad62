import type { Pool } from 'pg';
import type { StreamPosition, Upkeep } from '../../app/desk/desk.ts';
import { COMPLETIONS } from '../../app/ports/streams.ts';
import type { LeaseView } from '../../app/ports/reads.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { trusted } from '../../domain/ids.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

interface StreamRow extends Omit<StreamPosition, 'recordTime'> {
  readonly record_time: string | null;
}

export const STREAMS = statement<StreamRow>(
  'streams',
  `select stream, "offset", oldest_offset as oldest, record_time,
          (case when stream = 'updates' then (
             select count(*) from tombstone where recorded_at > now() - interval '${LIMITS.tombstoneAlarmMs} milliseconds')
           else 0 end)::integer as lost,
          (select detail from standstill where kind = 'replay' and stream = '${COMPLETIONS}' || participant) as held
   from query_store_offset
   order by stream = 'updates' desc, stream`,
);

interface LeaseRow extends Pick<LeaseView, 'holder' | 'epoch'> {
  readonly name: string;
  readonly expires_at: string;
  readonly held: boolean;
}

export const LEASES = statement<LeaseRow>(
  'leases',
  'select name, holder, epoch, expires_at, expires_at > clock_timestamp() as held from lease order by name',
);

const SYNCHRONIZERS = statement<{
  participant: string;
  synchronizer: string;
  told_at: string;
  given_up_at: string | null;
}>(
  'synchronizers',
  `select substr(o.stream, length('completions:') + 1) as participant, t.synchronizer, t.told_at,
          case when (o.given_up ->> t.synchronizer)::timestamptz >= t.told_at::timestamptz
               then o.given_up ->> t.synchronizer end as given_up_at
   from query_store_offset o cross join lateral jsonb_each_text(o.synchronizer_times) as t(synchronizer, told_at)
   where o.stream like 'completions:%' order by 1, 2`,
);

/** @param pool the caller closes it */
export const createUpkeep = (pool: Pool): Upkeep => ({
  async streams(io) {
    const rows = await onConnection(pool, io, (session) => session.run(STREAMS));
    return rows.map(({ record_time: recordTime, ...row }) => ({ ...row, recordTime }));
  },
  async synchronizers(io) {
    const rows = await onConnection(pool, io, (session) => session.run(SYNCHRONIZERS));
    return rows.map(({ participant, synchronizer, told_at: toldAt, given_up_at: givenUpAt }) => ({
      participant: trusted<ParticipantName>(participant),
      synchronizer,
      toldAt,
      givenUpAt,
    }));
  },
  async leases(io) {
    const rows = await onConnection(pool, io, (session) => session.run(LEASES));
    return rows.map(({ expires_at: expiresAt, held: isHeld, ...row }) => ({
      ...row,
      expiresAt,
      isHeld,
    }));
  },
});
