import { fail } from '../domain/problems.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { Io, Store, WallClock } from './ports.ts';
import type { Act } from './retry-change.ts';
import { WorkingSet } from './working-set.ts';

export interface GiveUpDeps {
  readonly store: Store;
  readonly wallClock: WallClock;
}

/** A synchronizer as a participant sees it. */
export interface SeenSynchronizer {
  readonly participant: ParticipantName;
  readonly synchronizer: string;
}

/**
 * Says of a synchronizer that a participant has left that it will not come back: from then on nothing waits for its time.
 * Whatever was submitted there without an answer is taken not to have taken effect. If the participant ever tells of it
 * again, it counts again.
 *
 * @returns when everything had been told of it, ISO 8601
 * @throws ProblemError `NOT_FOUND` when the participant was never seen on it, or it has been given up
 */
export async function giveUpSynchronizer(
  { store, wallClock }: GiveUpDeps,
  { participant, synchronizer }: SeenSynchronizer,
  { by, reason }: Act,
  io: Io,
): Promise<string> {
  const at = new Date(wallClock.nowMs()).toISOString();
  return store.transact(io, async (tx) => {
    const toldAt = (await tx.synchronizerTimes(participant)).get(synchronizer);
    if (toldAt === undefined) {
      return fail('NOT_FOUND', `participant ${participant} is not known on ${synchronizer}`);
    }
    await tx.giveUpSynchronizer(participant, synchronizer, toldAt);
    const ws = new WorkingSet();
    ws.recordAct({
      at,
      byParty: by.party,
      bySubject: by.subject,
      act: 'synchronizer-given-up',
      changeId: null,
      subject: `synchronizer:${synchronizer}`,
      from: null,
      to: null,
      reason,
      detail: { participant, toldAt },
    });
    await tx.save(ws.writes());
    return toldAt;
  });
}
