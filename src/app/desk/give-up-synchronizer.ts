import { fail } from '../../domain/problems.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { ContractModel } from '../contract/model.ts';
import type { WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { LedgerGateway } from '../ports/ledger.ts';
import type { Store, Tx } from '../ports/transaction.ts';
import type { SynchronizerStanding } from '../ports/proofs.ts';
import type { Act } from '../../domain/act.ts';
import { WorkingSet } from '../engine/lanes/working-set.ts';

export interface GiveUpDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly gateway: Pick<LedgerGateway, 'synchronizers'>;
  readonly wallClock: WallClock;
}

/** A synchronizer that a participant has reported. */
export interface SeenSynchronizer {
  readonly participant: ParticipantName;
  readonly synchronizer: string;
}

async function standingOf(
  tx: Tx,
  { participant, synchronizer }: SeenSynchronizer,
): Promise<SynchronizerStanding> {
  const known = await tx.synchronizersOf(participant);
  const found = known.find((one) => one.synchronizer === synchronizer && !one.isGivenUp);
  return (
    found ??
    fail(
      'NOT_FOUND',
      `Tenure has not seen participant ${participant} on synchronizer ${synchronizer}`,
    )
  );
}

/**
 * Requires that the participant has left the synchronizer: while connected, it still reports the results of
 * submissions.
 */
async function requireLeft(
  { gateway }: GiveUpDeps,
  { participant, synchronizer }: SeenSynchronizer,
  io: Io,
): Promise<void> {
  const connected = await gateway.synchronizers(participant, io).catch(() => null);
  if (connected === null) {
    fail(
      'LEDGER_UNAVAILABLE',
      `participant ${participant} does not report its connected synchronizers`,
    );
  } else if (connected.includes(synchronizer)) {
    fail(
      'SYNCHRONIZER_CONNECTED',
      `participant ${participant} is connected to ${synchronizer}, so it will still report the outcomes of its submissions: ` +
        'wait for the outcomes, or disconnect the participant first if it leaves the synchronizer',
    );
  }
}

/** @throws ProblemError like {@link giveUpSynchronizer} */
export async function requireGivable(
  deps: GiveUpDeps,
  seen: SeenSynchronizer,
  io: Io,
): Promise<void> {
  await deps.store.transact(io, (tx) => standingOf(tx, seen));
  await requireLeft(deps, seen, io);
}

/**
 * Gives up a synchronizer that a participant has left permanently: nothing waits for the synchronizer's time any more,
 * and unanswered submissions on it count as without effect. If the participant connects to the synchronizer or reports
 * it again, it is no longer given up. If all synchronizers of a participant are given up, Tenure's own time replaces
 * their times.
 *
 * @returns the synchronizer's last record time, ISO 8601
 * @throws ProblemError `NOT_FOUND` if the participant was never seen on the synchronizer, or it has been given up;
 * `SYNCHRONIZER_CONNECTED` if the participant has not left it; `LEDGER_UNAVAILABLE` if the participant does not
 * answer
 */
export async function giveUpSynchronizer(
  deps: GiveUpDeps,
  seen: SeenSynchronizer,
  { by, reason }: Act,
  io: Io,
): Promise<string> {
  const { store, wallClock } = deps;
  const { participant, synchronizer } = seen;
  await requireGivable(deps, seen, io);
  const at = new Date(wallClock.nowMs()).toISOString();
  return store.transact(io, async (tx) => {
    const { toldAt } = await standingOf(tx, seen);
    await tx.giveUpSynchronizer(participant, synchronizer, toldAt);
    const ws = new WorkingSet(deps.model);
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
