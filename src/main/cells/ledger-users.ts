import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Io, Log } from '../../app/ports/io.ts';
import type { LedgerStreams } from '../../app/ports/ledger.ts';
import type { Belonging, OtherCell, OwnCell } from '../../domain/cell.ts';
import {
  belongingOf,
  cellOfSubmission,
  isSinceClaim,
  newCellId,
  submissionIdOf,
} from '../../domain/cell.ts';
import { errorLine } from '../../domain/error-text.ts';
import type { ParticipantName, SubmissionId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { LedgerCompletion } from '../../domain/ledger.ts';
import type { OwnLedgerUser, OwnLedgerUsers } from '../../ledger/own-ledger-users.ts';
import { createCells } from '../../store/cells/identity.ts';
import type { Cells } from '../../store/cells/identity.ts';
import type { LedgerSide } from '../ledger-side.ts';
import { MAIN_LIMITS } from '../limits.ts';

/*
 * A ledger user must not belong to two cells: a participant deduplicates by user and party, and sends completions to
 * all clients that ask as that user. The annotation that the participant stores, and its completions, show when two
 * cells use one ledger user.
 */

interface UsersDeps {
  readonly cells: Cells;
  readonly users: OwnLedgerUsers;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The connections to the participants, with submission IDs that name this cell. */
export interface CellSide extends LedgerSide {
  readonly newSubmissionId: () => SubmissionId;
}

/**
 * Uses the connections as the cell to which the database belongs: see {@link settleLedgerUsers}.
 *
 * @throws Error with one line for the person who started the process
 */
export async function inCell(
  side: LedgerSide,
  pool: Pool,
  { log, signal }: Pick<UsersDeps, 'log' | 'signal'>,
): Promise<CellSide> {
  const cells = createCells(pool);
  const own = await settleLedgerUsers({ cells, users: side.ownLedgerUsers, log, signal });
  const streams = watchOtherCells(side.streams, { own, cells, log });
  return { ...side, streams, newSubmissionId: () => submissionIdOf(own, randomUUID()) };
}

/** Returns a new name for a cell that has none. */
export const freshCell = (): string => newCellId(Date.now(), randomBytes(2).toString('hex'));

const OWN_USER = 'give this cell a ledger user of its own';
const IF_GONE = 'If the other cell is gone for good: `tenure cell claim`';

/** Returns why a cell may not start as this user; `null` if it may. */
function refusalOf(own: OwnCell, user: OwnLedgerUser, belonging: Belonging): string | null {
  const who = `ledger user ${user.ledgerUser} of participant ${user.participant}`;
  if (belonging.kind === 'annotated') {
    return `${who} belongs to cell ${belonging.cell}, and this is cell ${own.id}: ${OWN_USER}. ${IF_GONE}`;
  }
  if (belonging.kind === 'seen' && belonging.isOlder) {
    const { cell, commandId, recordedAt } = belonging.other;
    const seen = `cell ${cell} has submitted as ${who}, last ${commandId} at ${recordedAt}`;
    return `${seen}, and this is cell ${own.id}: ${OWN_USER}. ${IF_GONE}`;
  }
  return null;
}

/**
 * Refuses to start as a ledger user of another cell. A user that belongs to no cell is annotated with this cell, if the
 * user has the right to annotate itself. The user on an unreachable participant is not checked.
 *
 * @throws Error with one line for the person who started the process
 */
async function settleLedgerUsers(deps: UsersDeps): Promise<OwnCell> {
  const { cells, users, signal } = deps;
  const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
  const own = await cells.own(freshCell(), io);
  const others = await cells.others(io);
  await Promise.all(users.participants.map((name) => settleLedgerUser(deps, name, own, others)));
  return own;
}

async function settleLedgerUser(
  deps: UsersDeps,
  name: ParticipantName,
  own: OwnCell,
  others: readonly OtherCell[],
): Promise<void> {
  const user = await readLedgerUser(deps, name);
  if (user === null) return;
  const refusal = refusalOf(own, user, belongingOf(own, user, others));
  if (refusal !== null) throw new Error(refusal);
  if (user.annotation !== null || !user.mayAnnotate) return;
  try {
    await deps.users.annotate(name, user, own.id, callIo(deps));
    deps.log.info(
      { participant: name, ledgerUser: user.ledgerUser, cell: own.id },
      'ledger user annotated with its cell',
    );
  } catch (error) {
    deps.signal.throwIfAborted();
    deps.log.debug(
      { participant: name, error: errorLine(error) },
      'a ledger user was not annotated',
    );
  }
  // Another process of this cell or of another one may have annotated the user first.
  const now = await readLedgerUser(deps, name);
  const late = now === null ? null : refusalOf(own, now, belongingOf(own, now, others));
  if (late !== null) throw new Error(late);
}

const callIo = ({ signal }: UsersDeps): Io => ({ signal, deadlineMs: MAIN_LIMITS.cellAskMs });

async function readLedgerUser(
  deps: UsersDeps,
  name: ParticipantName,
): Promise<OwnLedgerUser | null> {
  try {
    return await deps.users.read(name, callIo(deps));
  } catch (error) {
    deps.signal.throwIfAborted();
    deps.log.info(
      { participant: name, error: errorLine(error) },
      'whether another cell has its ledger user was not seen',
    );
    return null;
  }
}

interface WatchDeps {
  readonly own: OwnCell;
  readonly cells: Pick<Cells, 'note'>;
  readonly log: Log;
}

/**
 * Returns the same streams, but watches their completions. If another cell has submitted a command as a ledger user of
 * this cell, that is stored for the doctor and for the next start.
 */
export function watchOtherCells(streams: LedgerStreams, deps: WatchDeps): LedgerStreams {
  const notedAtMs = new Map<string, number>();
  const look = (completion: LedgerCompletion): void => {
    const cell = cellOfSubmission(completion.submissionId);
    if (cell === null || cell === deps.own.id) return;
    // After a restore, the streams repeat completions that the database knew before, with the name that the cell had
    // before.
    const recordedAt = recordedAtOf(completion);
    if (recordedAt !== null && !isSinceClaim(deps.own, recordedAt)) return;
    const key = `${completion.participant} ${completion.ledgerUser} ${cell}`;
    const before = notedAtMs.get(key);
    if (before !== undefined && performance.now() - before < MAIN_LIMITS.otherCellMs) return;
    notedAtMs.set(key, performance.now());
    void note(deps, completion, cell);
  };
  return {
    ...streams,
    completions: async function* watched(participant, afterOffset, signal) {
      for await (const element of streams.completions(participant, afterOffset, signal)) {
        if (element.kind === 'completion') look(element);
        yield element;
      }
    },
  };
}

function recordedAtOf({ times }: LedgerCompletion): string | null {
  const [recordedAt = null] = times.values();
  return recordedAt;
}

/**
 * Logs and stores that another cell was seen. The stream does not wait for this; if it fails, the next completion of
 * that cell shows the same.
 */
async function note(
  { own, cells, log }: WatchDeps,
  completion: LedgerCompletion,
  cell: string,
): Promise<void> {
  const { participant, ledgerUser, commandId } = completion;
  const of = { participant, ledgerUser, cell, commandId };
  log.error(
    { ...of, ownCell: own.id },
    'another cell submits as our ledger user: see docs/SCALING.md',
  );
  const io: Io = { signal: new AbortController().signal, deadlineMs: LIMITS.databaseStatementMs };
  try {
    await cells.note({ ...of, recordedAt: recordedAtOf(completion) }, io);
  } catch (error) {
    log.warn({ error: errorLine(error) }, 'another cell that was seen could not be noted');
  }
}
