import type { Io } from '../app/ports/io.ts';
import type { LimitShare } from '../http/kit/rate-limits.ts';
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
