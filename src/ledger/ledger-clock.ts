import type { LedgerClock, WallClock } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { timestampToMicros } from './instants.ts';

/** Ledger time on a network that runs on wall time: behind our own clock, but never behind what we have seen. */
export function createWallLedgerClock(wallClock: WallClock): LedgerClock {
  let observedMs = 0;
  return {
    nowMs: () => Math.max(wallClock.nowMs() - LIMITS.ledgerSkewMs, observedMs),
    pastMs: () => wallClock.nowMs() - LIMITS.ledgerSkewMs,
    refresh: () => Promise.resolve(),
    observe: (recordTimeMs) => {
      observedMs = Math.max(observedMs, recordTimeMs);
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
