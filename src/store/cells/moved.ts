import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

const MOVED = statement<{ address: string | null }>(
  'provider-moved',
  `select address from cell_move where state = 'moved'`,
);

/** Whether the provider of this cell has moved to another. */
export interface Moves {
  /** Where it has, in words for callers; `null` as long as it is here. */
  movedTo(io: Io): Promise<string | null>;
}

/** @param pool opened with `pipelined`; stays the caller's */
export const createMoves = (pool: Pool): Moves => ({
  async movedTo(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(MOVED, []));
    if (row === undefined) return null;
    return `the provider has moved to ${row.address ?? 'another deployment'}`;
  },
});
