import type { ContinueLanesDeps } from '../app/engine/continue-lanes.ts';
import { continueLane, findInterrupted } from '../app/engine/continue-lanes.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { InterruptedLane } from '../app/ports/writes.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { LIMITS } from '../domain/limits.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

export interface LaneWatchDeps extends ContinueLanesDeps {
  readonly log: Log;
}

/**
 * Continues lanes that a transaction has left without a head, one bounded transaction after the other, until the signal
 * fires. A lane that cannot be continued holds up no other lane, and is tried again.
 */
export async function watchLanes(deps: LaneWatchDeps, signal: AbortSignal): Promise<void> {
  const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
  const orLog = async (work: Promise<void>, fields: object): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ ...fields, error: String(error) }, 'lanes wait');
      return false;
    }
  };
  while (!signal.aborted) {
    let found: readonly InterruptedLane[] = [];
    const look = findInterrupted(deps, io).then((lanes) => {
      found = lanes;
    });
    let goesOn = await orLog(look, {});
    for (const lane of found) {
      if (signal.aborted) return;
      goesOn = (await orLog(continueLane(deps, lane, io), { lane: lane.lane })) && goesOn;
    }
    if (found.length === 0 || !goesOn) await sleep(PROJECTOR_LIMITS.lookMs, signal);
  }
}
