import type { CursorMove } from '../../../src/app/ports/writes.ts';
import type { Lost, Replay, ReplayStart, Tombstone } from '../../../src/app/ports/tombstones.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { NOT_YET_KNOWN } from '../../../src/domain/change.ts';
import { BEGIN_OF_TIME } from '../../../src/domain/ledger.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { assert } from '../../../src/domain/unreachable.ts';
import { byText } from './find.ts';
import { instantOrNull } from './instants.ts';
import type { CursorRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import { ownsLease } from './write.ts';

/* How far streams have been applied: see `src/store/engine/cursors.ts`. */

/**
 * Returns whether this transaction holds the projector's lease. A projector that is paused while it has locked the
 * lease would block all others, so its transaction is ended sooner if it is idle.
 */
export async function ownsProjection(tx: ServerTransaction, epoch: bigint): Promise<boolean> {
  const isOwner = await ownsLease(tx, PROJECTOR_LEASE, epoch);
  if (isOwner) tx.idleMs = STORE_LIMITS.projectorIdleMs;
  return isOwner;
}

/**
 * Sets the first cursor of a stream. Returns false if the stream has a cursor, or if another process holds the lease.
 */
export async function startCursor(
  tx: ServerTransaction,
  { stream, to, recordTime }: CursorMove,
  epoch: bigint,
): Promise<boolean> {
  if (!(await ownsProjection(tx, epoch))) return false;
  return tx.insertIfAbsent(tx.tables.cursors, {
    stream,
    offset: to,
    oldestOffset: to,
    updateId: null,
    recordTime: instantOrNull(recordTime),
    times: new Map(),
    givenUp: new Map(),
    clocksApart: new Map(),
    landmark: null,
    followedOn: tx.server.starts,
    replayTo: null,
    ledgerUser: null,
    lostUntil: null,
    heldFrom: null,
  });
}

/** Moves all of the cursors, or none of them: the matching rows are locked and counted before any row is written. */
export async function moveCursors(
  tx: ServerTransaction,
  moves: readonly CursorMove[],
  epoch: bigint,
): Promise<boolean> {
  for (const move of moves) assert(move.to >= move.from, 'a cursor never goes back');
  const { cursors, updates } = tx.tables;
  if (!(await ownsProjection(tx, epoch))) return false;
  const matches = ({ stream, from }: CursorMove) => cursors.get(tx, stream)?.offset === from;
  for (const move of moves.toSorted((a, b) => byText(a.stream, b.stream))) {
    if (!matches(move)) continue;
    const blocked = tx.lock(cursors, move.stream);
    if (blocked !== undefined) await blocked;
  }
  if (!moves.every(matches)) return false;
  for (const { stream, to, recordTime, times = [], landmark = null } of moves) {
    const updateId =
      stream === UPDATES_STREAM ? (updates.get(tx, String(to))?.updateId ?? null) : null;
    await tx.update(cursors, stream, (before) => ({
      ...before,
      offset: to,
      updateId,
      recordTime: instantOrNull(recordTime) ?? before.recordTime,
      times: new Map([...before.times, ...times]),
      landmark: landmark ?? before.landmark,
    }));
  }
  return true;
}

/** See `isReplaying` in `src/store/engine/cursors.ts`. */
export const isReplaying = (
  { server: { starts } }: ServerTransaction,
  { followedOn, replayTo, heldFrom, offset }: CursorRow,
): boolean =>
  followedOn !== starts || (replayTo !== null && replayTo > offset) || heldFrom !== null;

const isCheckedSinceStart = (tx: ServerTransaction, { followedOn }: CursorRow): boolean =>
  followedOn === tx.server.starts;

/** See `Tx.replays`. */
export const findReplays = (tx: ServerTransaction): ReadonlyMap<string, Replay> =>
  new Map(
    tx.tables.cursors.all(tx).map((row) => {
      const { stream, replayTo: to, ledgerUser, lostUntil, heldFrom } = row;
      return [
        stream,
        { isChecked: isCheckedSinceStart(tx, row), to, ledgerUser, lostUntil, heldFrom },
      ];
    }),
  );

/** See `Tx.beginReplay`. */
export async function beginReplay(
  tx: ServerTransaction,
  stream: string,
  { to, ledgerUser }: ReplayStart,
  epoch: bigint,
): Promise<boolean> {
  if (!(await ownsProjection(tx, epoch))) return false;
  return tx.update(tx.tables.cursors, stream, (before) => {
    const isAnew = !isCheckedSinceStart(tx, before);
    const isRotated =
      ledgerUser !== null && before.ledgerUser !== null && before.ledgerUser !== ledgerUser;
    const isHeld = isRotated && (isAnew || before.lostUntil !== null);
    return {
      ...before,
      followedOn: tx.server.starts,
      replayTo: to > before.offset ? to : null,
      ledgerUser: ledgerUser ?? before.ledgerUser,
      lostUntil: ledgerUser !== null && isAnew ? NOT_YET_KNOWN : before.lostUntil,
      heldFrom: isHeld ? (before.heldFrom ?? to) : before.heldFrom,
    };
  });
}

/** See `Tx.boundLost`. */
export async function boundLost(
  tx: ServerTransaction,
  stream: string,
  before: Lost,
  now: Lost,
  epoch: bigint,
): Promise<boolean> {
  if (!(await ownsProjection(tx, epoch))) return false;
  const row = tx.tables.cursors.get(tx, stream);
  const lostUntil = instantOrNull(now.lostUntil);
  if (row?.lostUntil !== instantOrNull(before.lostUntil) || row.heldFrom !== before.heldFrom)
    return false;
  return tx.update(tx.tables.cursors, stream, (found) => ({
    ...found,
    lostUntil,
    heldFrom: now.heldFrom,
  }));
}

/** See `Tx.bury`. */
export async function bury(
  tx: ServerTransaction,
  tombstones: readonly Tombstone[],
): Promise<readonly Tombstone[]> {
  const made: Tombstone[] = [];
  for (const one of tombstones) {
    if (await tx.insertIfAbsent(tx.tables.tombstones, one)) made.push(one);
  }
  return made;
}

/** Adds new facts about a synchronizer. Values that are known already do not change. */
export async function knowSynchronizers(
  tx: ServerTransaction,
  participant: ParticipantName,
  synchronizers: readonly string[],
): Promise<void> {
  if (synchronizers.length === 0) return;
  await tx.update(tx.tables.cursors, completionsStream(participant), (before) => ({
    ...before,
    times: new Map([...synchronizers.map((id) => [id, BEGIN_OF_TIME] as const), ...before.times]),
    givenUp: new Map([...before.givenUp].filter(([id]) => !synchronizers.includes(id))),
  }));
}
