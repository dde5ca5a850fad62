import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { OtherCell, OwnCell } from '../../domain/cell.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const READ = statement<{ id: string; claimed_at: string | null }>(
  'own-cell',
  'select id, (select claimed_at from cell_claim) from cell',
);

/** Processes that start at once agree on the first identity. */
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

/** A stream that was put back tells again what is known. */
const NOTE = statement<never>(
  'note-other-cell',
  `insert into other_cell as o (participant, ledger_user, cell, command_id, recorded_at)
   values ($1, $2, $3, $4, coalesce($5::timestamptz, now()))
   on conflict (participant, ledger_user, cell) do update
   set command_id = excluded.command_id, recorded_at = excluded.recorded_at
   where excluded.recorded_at > o.recorded_at`,
);

/** Which cell a database is of, and what it has seen of others. */
export interface Cells {
  /** @param fresh its name, where it has none yet */
  own(fresh: string, io: Io): Promise<OwnCell>;
  /** `null`: no process has given it a name yet. */
  find(io: Io): Promise<OwnCell | null>;
  /** From the claim on, earlier submissions of other cells do not count. A frozen cell may be claimed too. */
  claim(io: Io): Promise<void>;
  others(io: Io): Promise<readonly OtherCell[]>;
  /** @param other `recordedAt: null`: now */
  note(
    other: Omit<OtherCell, 'recordedAt'> & { readonly recordedAt: string | null },
    io: Io,
  ): Promise<void>;
}

/** @param pool opened with `pipelined`; stays the caller's */
export function createCells(pool: Pool): Cells {
  const find: Cells['find'] = async (io) => {
    const [row] = await onConnection(pool, io, (session) => session.run(READ));
    return row === undefined ? null : { id: row.id, claimedAt: row.claimed_at };
  };
  return {
    find,
    async own(fresh, io) {
      const known = await find(io);
      // A frozen cell refuses to be written, also where that would change nothing.
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
