import type { Io } from '../../app/ports/io.ts';
import { createOutgoingHttp } from '../../auth/outgoing-fetch.ts';
import { takesWrites } from '../../domain/cell-move.ts';
import { errorLine } from '../../domain/error-text.ts';
import { createOurUsers } from '../../ledger/users.ts';
import { createCells } from '../../store/cells/identity.ts';
import { readMove } from '../../store/cells/move-row.ts';
import { migrate } from '../../store/sql/migrate.ts';
import { closePool, openPool } from '../../store/sql/pool.ts';
import { openConfigured } from '../ledger-side.ts';
import { MAIN_LIMITS } from '../limits.ts';
import type { Environment } from './cell.ts';
import { CellError, configOf, onCell } from './cell.ts';
import { freshCell } from './users.ts';

/** A ledger user that was claimed, and what is left for an administrator of its participant. */
export interface ClaimedUser {
  readonly participant: string;
  readonly ledgerUser: string;
  readonly isMarked: boolean;
  /** The cell that it is still annotated with. */
  readonly mark: string | null;
}

/**
 * Makes the ledger users this cell's, also where another had them: what other cells have submitted until now does not
 * count any more, and the users are annotated where they may annotate themselves. A cell that is frozen for a move
 * writes nothing, and knows of no other: there the annotations are all.
 *
 * @throws CellError where a participant does not answer; claimed again, the rest is
 */
export async function claimUsers(
  environment: Environment,
  signal: AbortSignal,
): Promise<{ readonly cell: string; readonly users: readonly ClaimedUser[] }> {
  const config = await configOf(environment);
  await migrate({ url: config.databaseUrl, signal });
  await using stack = new AsyncDisposableStack();
  const pool = await openPool({
    url: config.databaseUrl,
    max: 1,
    pipelined: true,
    applicationName: 'tenure-cell',
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
  const { id } = await cells.own(freshCell(), io);
  const move = await onCell(config.databaseUrl, readMove);
  if (takesWrites(move?.state ?? null)) await cells.claim(io);
  const users = createOurUsers(participants);
  const claimed: ClaimedUser[] = [];
  for (const name of users.participants) {
    try {
      const user = await users.read(name, io);
      const isMissing = user.mark !== id;
      if (isMissing && user.mayMark) await users.mark(name, user, id, io);
      const { participant, ledgerUser, mark } = user;
      claimed.push({ participant, ledgerUser, mark, isMarked: !isMissing || user.mayMark });
    } catch (error) {
      signal.throwIfAborted();
      throw new CellError(`participant ${name} cannot be asked: ${errorLine(error)}`);
    }
  }
  return { cell: id, users: claimed };
}
