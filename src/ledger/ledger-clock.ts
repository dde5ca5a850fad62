import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import { LEDGER_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Participant } from './channel.ts';
import { callOptions } from './channel.ts';
import { timestampToMicros } from './instants.ts';

/** By how much record times are ahead of our own steady clock, at the most, of late; `null`: none has been seen. */
interface Lead {
  readonly fromMs: number;
  readonly now: number | null;
  readonly before: number | null;
}

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

export interface WallLedgerClockOptions {
  /** How far the clocks of participants and sequencers may be apart. */
  readonly clockDifferenceMs: number;
  /**
   * How much later than the time by which it is judged a transaction may be sequenced: so long after a window has
   * closed something may still come that was read while it was open.
   */
  readonly toleranceMs: number;
  /** A clock that only goes forward, from any beginning; for tests. */
  readonly steadyMs?: () => number;
}

/**
 * Ledger time on a network that runs on wall time: behind our own clock by a margin, never behind a record time that
 * was seen, and behind what was seen of late and has gone on since then by a small margin. That it goes on makes a
 * network on which nothing happens known as well as a busy one, whatever our own wall clock says. It is forgotten after
 * two minutes at the latest: a record time that was too far ahead is then over, and clocks do not run apart by much.
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
  /** What was seen of late and has gone on since; `null`: nothing was. */
  const goneOnMs = (): number | null => {
    const atMs = steadyMs();
    const { now, before } = turn(atMs);
    const aheadMs = later(now, before);
    // Whole milliseconds, as all times: rounded towards the past.
    return aheadMs === null ? null : Math.floor(aheadMs + atMs) - LEDGER_LIMITS.ledgerLagMs;
  };
  const provenMs = () => Math.max(seenMs, goneOnMs() ?? seenMs);
  const ownMs = () => wallClock.nowMs() - LIMITS.ledgerSkewMs;
  return {
    nowMs: () => Math.max(ownMs(), provenMs()),
    provenMs,
    certainMs: () => Math.max(0, provenMs() - clockDifferenceMs - toleranceMs),
    // Nothing here can.
    ask: () => undefined,
    // Our own clock may be ahead: the ledger would refuse what comes from its future.
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

/** The time that was set, in milliseconds since the epoch. @throws LedgerCallError, TokenError */
export async function readStaticTime({ time }: Participant, io: Io): Promise<number> {
  const { currentTime } = await time.getTime({}, callOptions(io));
  return currentTime === undefined ? 0 : Number(timestampToMicros(currentTime)) / 1_000;
}

/**
 * Ledger time on a network whose time stands still until it is set: what the participant last said, or we saw. What we
 * saw are record times, which rise from one update to the next and so run ahead of a clock that does not, if only by
 * microseconds.
 *
 * @param toldMs what the participant has said before
 */
export function createStaticLedgerClock(participant: Participant, toldMs: number): LedgerClock {
  let saidMs = toldMs;
  let observedMs = 0;
  const nowMs = () => Math.max(saidMs, observedMs);
  return {
    nowMs,
    provenMs: nowMs,
    // There is but one clock, and whoever set it tells it.
    certainMs: nowMs,
    ask: () => undefined,
    pastMs: () => saidMs,
    refresh: async (io) => {
      // Answers may come in another order than they were asked for; the time only goes forward.
      saidMs = Math.max(saidMs, await readStaticTime(participant, io));
    },
    observe: (recordTimeMs) => {
      observedMs = Math.max(observedMs, recordTimeMs);
    },
  };
}
