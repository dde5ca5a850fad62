import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { plannedAnew } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/** The keys and suspensions that a restore to an earlier state may have changed. */
export interface Revivable {
  /** The requested keys that work. */
  readonly workingKeys: readonly string[];
  /** The requested licences that exist and are not suspended. */
  readonly unsuspended: readonly string[];
  /** How many keys work that existed at the time of the copy; 0 if no time was requested. */
  readonly olderKeys: bigint;
}

const REVIVABLE = plannedAnew<Revivable>(
  'revivable',
  `select
     array(select k.id from license_key k where k.id = any($1::text[]) and k.revoked_at is null) as "workingKeys",
     array(select l.id from lifecycle l left join license_record r on r.lifecycle_id = l.id
           where l.id = any($2::text[]) and l.ended_at is null and r.suspended_at is null) as "unsuspended",
     (select count(*) from license_key k join lifecycle l on l.id = k.license_id
      where $3::timestamptz is not null and k.created_at <= $3::timestamptz and k.revoked_at is null
        and l.ended_at is null) as "olderKeys"`,
);

/** @param asked the time of the copy as ISO 8601, or `null` */
export async function readRevivable(
  pool: Pool,
  asked: {
    readonly keys: readonly string[];
    readonly licenses: readonly string[];
    readonly copiedAt: string | null;
  },
  io: Io,
): Promise<Revivable> {
  const values = [asked.keys, asked.licenses, asked.copiedAt];
  const [row] = await onConnection(pool, io, (session) => session.run(REVIVABLE, values));
  return row ?? { workingKeys: [], unsuspended: [], olderKeys: 0n };
}
