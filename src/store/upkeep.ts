import type { Pool } from 'pg';
import type { StreamPosition, Upkeep } from '../app/desk.ts';
import type { LeaseView } from '../app/ports.ts';
import { statement } from './statement.ts';
import { onConnection } from './transact.ts';

interface StreamRow extends Omit<StreamPosition, 'recordTime'> {
  readonly record_time: string | null;
}

export const STREAMS = statement<StreamRow>(
  'streams',
  `select stream, "offset", oldest_offset as oldest, record_time from query_store_offset
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

/** @param pool stays the caller's */
export const createUpkeep = (pool: Pool): Upkeep => ({
  async streams(io) {
    const rows = await onConnection(pool, io, (session) => session.run(STREAMS));
    return rows.map(({ record_time: recordTime, ...row }) => ({ ...row, recordTime }));
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
