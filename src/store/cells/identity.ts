import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { OtherCell, OwnCell } from '../../domain/cell.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const READ = statement<{ id: string; claimed_at: string | null }>(
  'own-cell',
  'select id, (select claimed_at from cell_claim) from cell',
);

/** If several processes start at the same time, the first insert decides the cell's identity. */
const MAKE = statement<never>(
  'make-cell',
  'insert into cell (id) values ($1) on conflict do nothing',
);

const CLAIM = statement<never>(
  'claim-cell',
  `insert into cell_claim (claimed_at) values (now())
   on conflict (is_only) do update set claimed_at = excluded.claimed_at`,
);

const OTHERS = statement<{
  participant: string;
  ledger_user: string;
  cell: string;
  command_id: string;
  recorded_at: string;
}>(
  'other-cells',
  `select participant, ledger_user, cell, command_id, recorded_at from other_cell
   order by recorded_at desc limit 20`,
);

/** Does not replace a newer record: a stream that was set back repeats completions that are already known. */
const NOTE = statement<never>(
  'note-other-cell',
  `insert into other_cell as o (participant, ledger_user, cell, command_id, recorded_at)
   values ($1, $2, $3, $4, coalesce($5::timestamptz, now()))
   on conflict (participant, ledger_user, cell) do update
   set command_id = excluded.command_id, recorded_at = excluded.recorded_at
   where excluded.recorded_at > o.recorded_at`,
);

/** The identity of the cell to which a database belongs, and the other cells that it has seen. */
export interface Cells {
  /** @param fresh the cell's name if it has none yet */
  own(fresh: string, io: Io): Promise<OwnCell>;
  /** Returns `null` if no process has named the cell yet. */
  find(io: Io): Promise<OwnCell | null>;
  /**
   * Claims the ledger users for this cell: submissions of other cells before the claim no longer count. A frozen cell
   * may be claimed, too.
   */
  claim(io: Io): Promise<void>;
  others(io: Io): Promise<readonly OtherCell[]>;
  /** @param other `recordedAt: null` means now */
  note(
    other: Omit<OtherCell, 'recordedAt'> & { readonly recordedAt: string | null },
    io: Io,
  ): Promise<void>;
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createCells(pool: Pool): Cells {
  const find: Cells['find'] = async (io) => {
    const [row] = await onConnection(pool, io, (session) => session.run(READ));
    return row === undefined ? null : { id: row.id, claimedAt: row.claimed_at };
  };
  return {
    find,
    async own(fresh, io) {
      const known = await find(io);
      // A frozen cell refuses every write, even one that would change nothing.
      if (known !== null) return known;
      await transact(pool, io, (session) => session.run(MAKE, [fresh]));
      return (await find(io)) ?? { id: fresh, claimedAt: null };
    },
    async claim(io) {
      await transact(pool, io, (session) => session.run(CLAIM));
    },
    async others(io) {
      const rows = await onConnection(pool, io, (session) => session.run(OTHERS));
      return rows.map((row) => ({
        participant: row.participant,
        ledgerUser: row.ledger_user,
        cell: row.cell,
        commandId: row.command_id,
        recordedAt: row.recorded_at,
      }));
    },
    async note({ participant, ledgerUser, cell, commandId, recordedAt }, io) {
      const values = [participant, ledgerUser, cell, commandId, recordedAt];
      await transact(pool, io, (session) => session.run(NOTE, values));
    },
  };
}
