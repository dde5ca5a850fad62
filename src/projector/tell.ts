import type { Io, Log } from '../app/ports/io.ts';
import type { Outbox } from '../app/ports/outbox.ts';
import { UPDATES_STREAM } from '../app/ports/streams.ts';
import type { Replay, Tombstone } from '../app/ports/tombstones.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

/** Makes operations that wait for a participant continue now instead of with the next probe. */
export function tellReached(
  outbox: Pick<Outbox, 'participantReached' | 'completionsBack'>,
  log: Log,
  participant: ParticipantName,
  stream: string,
  io: Io,
): void {
  outbox.participantReached(participant, io).catch((error: unknown) => {
    log.debug({ participant, error: String(error) }, 'the next probe will tell');
  });
  if (stream === UPDATES_STREAM) return;
  outbox.completionsBack(participant, io).catch((error: unknown) => {
    log.debug({ participant, error: String(error) }, 'what it has forgotten is due later');
  });
}

export function tellLost(log: Log, lost: readonly Tombstone[]): void {
  const [first] = lost;
  if (first === undefined) return;
  const { commandId, updateId } = first;
  const words =
    'the database has lost operations that took effect on the ledger: see docs/OPERATIONS.md';
  log.error({ operations: lost.length, commandId, updateId }, words);
}

/** Returns the offset up to which each stream is replayed, according to the stored state. */
export const replayEnds = (replays: ReadonlyMap<string, Replay>): Map<string, bigint> =>
  new Map(
    [...replays].map(([stream, { isChecked, to }]) => [
      stream,
      isChecked ? (to ?? 0n) : PROJECTOR_LIMITS.anyOffset,
    ]),
  );
