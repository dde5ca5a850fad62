import type { Io } from '../../src/app/ports/io.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import type { OtherCell, OwnCell } from '../../src/domain/cell.ts';
import { belongingOf } from '../../src/domain/cell.ts';
import { errorLine } from '../../src/domain/error-text.ts';
import type { OwnLedgerUsers } from '../../src/ledger/own-ledger-users.ts';
import { createOwnLedgerUsers } from '../../src/ledger/own-ledger-users.ts';
import { createCells } from '../../src/store/cells/identity.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { openConfigured } from '../../src/main/ledger-side.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';
import type { Config } from '../../src/main/config.ts';
import { CellError } from './cell.ts';
import { freshCell } from '../../src/main/cells/ledger-users.ts';

/** A ledger user that was claimed, and what its participant's administrator still has to do. */
export interface ClaimedLedgerUser {
  readonly participant: string;
  readonly ledgerUser: string;
  readonly isAnnotated: boolean;
  /** The cell that the user's annotation still names. */
  readonly annotation: string | null;
}

const unconfirmed = (cells: readonly string[]): string =>
  `the ledger users belong to cell ${cells.join(', ')}, so nothing was claimed. If that cell no longer exists, ` +
  `take them over with: tenure cell claim --confirm ${cells.join(' ')}`;

/** Returns the other cells that own our ledger users now. Skips participants that do not answer. */
async function otherOwners(
  users: OwnLedgerUsers,
  own: OwnCell,
  seen: readonly OtherCell[],
  io: Io,
): Promise<readonly string[]> {
  const owners = new Set<string>();
  for (const name of users.participants) {
    const user = await users.read(name, io).catch(() => null);
    if (user === null) continue;
    const belonging = belongingOf(own, user, seen);
    if (belonging.kind === 'annotated') owners.add(belonging.cell);
    if (belonging.kind === 'seen') owners.add(belonging.other.cell);
  }
  return [...owners];
}

/**
 * Assigns the ledger users to this cell, even if another cell owns them. Commands that other cells have submitted until
 * now no longer count. Users that may annotate themselves get this cell as their annotation.
 *
 * @param confirmed the other cells that a person has named; without all of them nothing is claimed
 * @throws CellError if an owner is not named in `confirmed`, or if a participant does not answer; in the second case a
 *   repeated call claims the remaining users
 */
export async function claimLedgerUsers(
  config: Config,
  signal: AbortSignal,
  confirmed: readonly string[] = [],
): Promise<{ readonly cell: string; readonly users: readonly ClaimedLedgerUser[] }> {
  await migrate({ url: config.databaseUrl, signal });
  await using stack = new AsyncDisposableStack();
  const pool = await openPool({
    url: config.databaseUrl,
    max: 1,
    pipelined: true,
    applicationName: 'tenure-cell',
    pinsSchema: true,
    signal,
  });
  stack.defer(() => closePool(pool, MAIN_LIMITS.closeMs));
  const http = createOutgoingHttp();
  stack.defer(() => http.close());
  const participants = config.participants.map((each) => openConfigured(config, each, http.fetch));
  stack.defer(() => {
    for (const participant of participants) participant.close();
  });
  const io: Io = { signal, deadlineMs: MAIN_LIMITS.startCallMs };
  const cells = createCells(pool);
  const own = await cells.own(freshCell(), io);
  const { id } = own;
  const users = createOwnLedgerUsers(participants);
  const others = await otherOwners(users, own, await cells.others(io), io);
  const unnamed = others.filter((cell) => !confirmed.includes(cell));
  if (unnamed.length > 0) throw new CellError(unconfirmed(unnamed));
  await cells.claim(io);
  const claimed: ClaimedLedgerUser[] = [];
  for (const name of users.participants) {
    try {
      const user = await users.read(name, io);
      const isMissing = user.annotation !== id;
      if (isMissing && user.mayAnnotate) await users.annotate(name, user, id, io);
      const { participant, ledgerUser, annotation } = user;
      claimed.push({
        participant,
        ledgerUser,
        annotation,
        isAnnotated: !isMissing || user.mayAnnotate,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new CellError(`participant ${name} does not answer: ${errorLine(error)}`);
    }
  }
  return { cell: id, users: claimed };
}
