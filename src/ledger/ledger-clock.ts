import type { LedgerClock, WallClock } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { timestampToMicros } from './instants.ts';

/**
 * Ledger time on a network that runs on wall time: behind our own clock by a margin, and never behind a record time that
 * was seen, which goes on since then. It goes on by a clock that nobody sets, a little slower than that, for no two
 * clocks run alike; so a network on which nothing happens is known as well as a busy one, whatever our own clock says.
 *
 * @param steadyMs a clock that only goes forward, from any beginning; for tests
 */
export function createWallLedgerClock(
  wallClock: WallClock,
  steadyMs: () => number = () => performance.now(),
): LedgerClock {
  let seen: { readonly recordTimeMs: number; readonly atMs: number } | null = null;
  const sinceSeenMs = (): number => {
    if (seen === null) return 0;
    return seen.recordTimeMs + (steadyMs() - seen.atMs) * (1 - LIMITS.ledgerDriftShare);
  };
  const pastMs = () => wallClock.nowMs() - LIMITS.ledgerSkewMs;
  return {
    // Whole milliseconds, as all times: rounded towards the past.
    nowMs: () => Math.max(pastMs(), Math.floor(sinceSeenMs())),
    pastMs,
    refresh: () => Promise.resolve(),
    observe: (recordTimeMs) => {
      if (recordTimeMs > sinceSeenMs()) seen = { recordTimeMs, atMs: steadyMs() };
    },
  };
}

/**
 * Ledger time on a network whose time stands still until it is set: what the participant last said, or we saw. What we
 * saw are record times, which rise from one update to the next and so run ahead of a clock that does not, if only by
 * microseconds.
 */
export function createStaticLedgerClock(participant: Participant): LedgerClock {
  let saidMs = 0;
  let observedMs = 0;
  return {
    nowMs: () => Math.max(saidMs, observedMs),
    pastMs: () => saidMs,
    refresh: async (io) => {
      const { currentTime } = await participant.time.getTime({}, callOptions(io));
      if (currentTime === undefined) return;
      // Answers may come in another order than they were asked for; the time only goes forward.
      saidMs = Math.max(saidMs, Number(timestampToMicros(currentTime)) / 1_000);
    },
    observe: (recordTimeMs) => {
      observedMs = Math.max(observedMs, recordTimeMs);
    },
  };
}
