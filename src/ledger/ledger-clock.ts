import type { LedgerClock, WallClock } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { timestampToMicros } from './instants.ts';

/** A static clock moves only when somebody sets it: asking more often tells nothing. */
const STATIC_AGE_MS_MAX = 250;

/** Ledger time on a network that runs on wall time: behind our own clock, but never behind what we have seen. */
export function createWallLedgerClock(wallClock: WallClock): LedgerClock {
  let observedMs = 0;
  return {
    nowMs: () => Math.max(wallClock.nowMs() - LIMITS.ledgerSkewMs, observedMs),
    refresh: () => Promise.resolve(),
    observe: (recordTimeMs) => {
      observedMs = Math.max(observedMs, recordTimeMs);
    },
  };
}

/** Ledger time on a network whose time stands still until it is set: what the participant last said, or we saw. */
export function createStaticLedgerClock(
  participant: Participant,
  wallClock: WallClock,
): LedgerClock {
  let ledgerMs = 0;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const observe = (timeMs: number): void => {
    ledgerMs = Math.max(ledgerMs, timeMs);
  };
  return {
    nowMs: () => ledgerMs,
    refresh: async (io) => {
      if (wallClock.nowMs() - askedAtMs < STATIC_AGE_MS_MAX) return;
      const { currentTime } = await participant.time.getTime({}, callOptions(io));
      askedAtMs = wallClock.nowMs();
      if (currentTime !== undefined) observe(Number(timestampToMicros(currentTime) / 1_000n));
    },
    observe,
  };
}
