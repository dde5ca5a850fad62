import type { Log } from '../app/ports/io.ts';
import type { Lanes } from '../app/ports/lanes.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './scheduler.ts';
import { OPS_LIMITS } from './limits.ts';

export interface LanesDeps {
  readonly lanes: Lanes;
  readonly log: Log;
}

/** Returns the duty that splits lanes with more than one licence, as soon as no operation is in progress in them. */
export const partLanes = ({ lanes, log }: LanesDeps): Duty => ({
  name: 'lanes',
  async run(term) {
    while (!term.signal.aborted) {
      const io = { signal: term.signal, deadlineMs: LIMITS.databaseStatementMs };
      const moved = await lanes.part(io);
      if (moved > 0) log.info({ moved }, 'gave lifecycles that shared a lane separate lanes');
      await sleep(OPS_LIMITS.lanesLookMs, term.signal);
    }
  },
});
