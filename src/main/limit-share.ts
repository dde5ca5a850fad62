import type { Pool } from 'pg';
import type { Io, Log } from '../app/ports/io.ts';
import type { LimitShare } from '../http/kit/rate-limits.ts';
import { readClocks } from '../store/desk/vitals.ts';
import { MAIN_LIMITS } from './limits.ts';

/**
 * Divides limits of the deployment evenly among its processes that serve callers. The number of processes is looked at
 * when a request counts, once a second at most, and no request waits for that.
 *
 * @param countProcesses how many processes serve callers, this one included
 * @param nowMs a clock that does not go back
 */
export async function openLimitShare(
  countProcesses: (io: Io) => Promise<number>,
  onError: (error: unknown) => void,
  nowMs: () => number = () => performance.now(),
): Promise<LimitShare> {
  const { limitShareMs } = MAIN_LIMITS;
  let processes = 1;
  let renewedMs = -Infinity;
  const renew = async (): Promise<void> => {
    renewedMs = nowMs();
    try {
      const io = { signal: AbortSignal.timeout(limitShareMs), deadlineMs: limitShareMs };
      processes = Math.max(1, await countProcesses(io));
    } catch (error) {
      onError(error);
    }
  };
  await renew();
  return (limit) => {
    if (nowMs() - renewedMs >= limitShareMs) void renew();
    return Math.ceil(limit / processes);
  };
}

/** Counts the processes of the database. A process that cannot count the others keeps the share that it has. */
export const shareOfLimits = ({
  pool,
  log,
}: {
  readonly pool: Pool;
  readonly log: Log;
}): Promise<LimitShare> =>
  openLimitShare(
    async (io) => {
      const running = await readClocks(pool, io);
      return running.filter(({ roles }) => roles.split(',').includes('api')).length;
    },
    (error) => log.debug({ error: String(error) }, 'processes could not be counted'),
  );
