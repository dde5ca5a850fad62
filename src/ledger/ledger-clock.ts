import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import { LEDGER_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { timestampToMicros } from './instants.ts';

/** The largest recent lead of record times over our own steady clock; `null` if no record time has been seen. */
interface Lead {
  readonly fromMs: number;
  readonly now: number | null;
  readonly before: number | null;
}

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

export interface WallLedgerClockOptions {
  /** The tolerated difference between the clocks of participants and sequencers. */
  readonly clockDifferenceMs: number;
  /**
   * How long after its ledger time a transaction may be sequenced. For this long after a window has closed, a
   * transaction whose ledger time is within the window may still be sequenced.
   */
  readonly toleranceMs: number;
  /** A monotonic clock whose zero is arbitrary; replaced in tests. */
  readonly steadyMs?: () => number;
}

/**
 * Creates the clock for a network that uses wall time. Its time is the latest of three: our own clock minus a margin;
 * every record time that was seen; and recent record times, extrapolated, minus a small margin. Because of the
 * extrapolation, the time of an idle network is known as well as that of a busy one, even if our wall clock is wrong.
 * Each extrapolation is dropped after two minutes at most: by then a record time that was too far ahead has passed, and
 * clocks have not drifted much.
 */
export function createWallLedgerClock(
  wallClock: WallClock,
  { clockDifferenceMs, toleranceMs, steadyMs = () => performance.now() }: WallLedgerClockOptions,
): LedgerClock {
  let seenMs = 0;
  let lead: Lead = { fromMs: steadyMs(), now: null, before: null };
  const turn = (atMs: number): Lead => {
    const ageMs = atMs - lead.fromMs;
    if (ageMs < LEDGER_LIMITS.ledgerLeadMs) return lead;
    const before = ageMs < 2 * LEDGER_LIMITS.ledgerLeadMs ? lead.now : null;
    lead = { fromMs: atMs, now: null, before };
    return lead;
  };
  /** Returns recent record times, extrapolated by our steady clock; `null` if there are none. */
  const goneOnMs = (): number | null => {
    const atMs = steadyMs();
    const { now, before } = turn(atMs);
    const aheadMs = later(now, before);
    // Rounded down to whole milliseconds, like all times here.
    return aheadMs === null ? null : Math.floor(aheadMs + atMs) - LEDGER_LIMITS.ledgerLagMs;
  };
  const provenMs = () => Math.max(seenMs, goneOnMs() ?? seenMs);
  const ownMs = () => wallClock.nowMs() - LIMITS.ledgerSkewMs;
  return {
    nowMs: () => Math.max(ownMs(), provenMs()),
    provenMs,
    certainMs: () => Math.max(0, provenMs() - clockDifferenceMs - toleranceMs),
    // There is no other clock to ask.
    ask: () => undefined,
    // Our own clock may be ahead, and the ledger would refuse a time in its future.
    pastMs: () => Math.min(ownMs(), goneOnMs() ?? ownMs()),
    refresh: () => Promise.resolve(),
    observe: (recordTimeMs) => {
      const atMs = steadyMs();
      const { now } = turn(atMs);
      lead = { ...lead, now: later(now, recordTimeMs - atMs) };
      seenMs = Math.max(seenMs, recordTimeMs);
    },
  };
}

/** Returns the time that was set, in milliseconds since 1970. @throws LedgerCallError, TokenError */
export async function readStaticTime({ time }: Participant, io: Io): Promise<number> {
  const { currentTime } = await time.getTime({}, callOptions(io));
  return currentTime === undefined ? 0 : Number(timestampToMicros(currentTime)) / 1_000;
}

/**
 * Creates the clock for a network whose time stands still until someone sets it. Its time is the later of the
 * participant's last answer and the record times that were seen. Record times increase with every update, so they are
 * ahead of a clock that stands still, if only by microseconds.
 *
 * @param toldMs an earlier answer of the participant
 */
export function createStaticLedgerClock(participant: Participant, toldMs: number): LedgerClock {
  let saidMs = toldMs;
  let observedMs = 0;
  const nowMs = () => Math.max(saidMs, observedMs);
  return {
    nowMs,
    provenMs: nowMs,
    // There is only one clock, and the participant reports exactly the time that was set.
    certainMs: nowMs,
    ask: () => undefined,
    pastMs: () => saidMs,
    refresh: async (io) => {
      // Answers may arrive out of order, but the time only advances.
      saidMs = Math.max(saidMs, await readStaticTime(participant, io));
    },
    observe: (recordTimeMs) => {
      observedMs = Math.max(observedMs, recordTimeMs);
    },
  };
}
