import { LIMITS } from '../../domain/limits.ts';
import type { ContractModel } from '../contract/model.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Store } from '../ports/transaction.ts';
import type { InterruptedLane } from '../ports/writes.ts';
import { giveTurn, timesOf } from './lane.ts';
import { WorkingSet } from './working-set.ts';

export interface ContinueLanesDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
}

/**
 * The lanes that wait to be continued, whichever process interrupted them, and whether it still runs. The lane whose
 * last turn was the longest ago comes first.
 */
export const findInterrupted = (
  { store }: Pick<ContinueLanesDeps, 'store'>,
  io: Io,
): Promise<readonly InterruptedLane[]> =>
  store.transact(io, (tx) => tx.interruptedLanes(LIMITS.interruptedLanesMax));

/**
 * Ends a bounded number of the changes that wait in an interrupted lane, and starts the first one that the machine
 * takes.
 */
export async function continueLane(
  deps: ContinueLanesDeps,
  { lane, afterNo }: InterruptedLane,
  io: Io,
): Promise<void> {
  const times = timesOf(deps);
  await deps.store.transact(io, async (tx) => {
    const ws = new WorkingSet(deps.model);
    ws.add(await tx.lock([lane]));
    ws.resumeLane(lane);
    await giveTurn(ws, tx, lane, afterNo, times);
    await tx.save(ws.writes());
  });
}
