import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Statement } from './statement.ts';
import { transact } from './transact.ts';

/**
 * Deletes rows in parts, each in a transaction of its own. Called before the transaction that deletes the row to which
 * these rows refer.
 *
 * @param part deletes at most `STORE_LIMITS.partMax` rows, and returns them
 */
export async function deleteInParts(
  pool: Pool,
  part: Statement<object>,
  values: readonly unknown[],
  io: Io,
): Promise<void> {
  for (;;) {
    const deleted = await transact(pool, io, (session) => session.run(part, values));
    if (deleted.length < STORE_LIMITS.partMax) return;
  }
}
