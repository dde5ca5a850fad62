import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

const MOVED = statement<{ address: string | null }>(
  'provider-moved',
  `select address from cell_move where state = 'moved'`,
);

/** Tells whether the provider of this cell has moved to another cell. */
export interface Moves {
  /** Returns where the provider has moved, in words for callers; `null` while the provider is still here. */
  movedTo(io: Io): Promise<string | null>;
}

/** @param pool opened with `pipelined`; the caller closes it */
export const createMoves = (pool: Pool): Moves => ({
  async movedTo(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(MOVED, []));
    if (row === undefined) return null;
    return `the provider has moved to ${row.address ?? 'another deployment'}`;
  },
});
