import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Finding } from '../doctor/findings.ts';
import { judgeCells } from '../doctor/judge-cells.ts';
import type { Participant } from '../ledger/channel.ts';
import { createOwnLedgerUsers } from '../ledger/own-ledger-users.ts';
import { createCells } from '../store/cells/identity.ts';

/**
 * Checks whether another cell uses the ledger users of this cell. For an unreachable participant, only the stored
 * completions can show it.
 */
export async function findCells(
  pool: Pool,
  participants: readonly Participant[],
  io: Io,
): Promise<Finding[]> {
  const cells = createCells(pool);
  const own = await cells.find(io);
  if (own === null) return [];
  const users = createOwnLedgerUsers(participants);
  const read = users.participants.map((name) => users.read(name, io).catch(() => null));
  const known = (await Promise.all(read)).filter((user) => user !== null);
  return judgeCells(own, known, await cells.others(io));
}
