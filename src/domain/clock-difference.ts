/*
 * Compares two clocks. A time read over a round trip counts as read at its middle, plus or minus half of the trip. For
 * the times that a network reports, a difference is certain only if no order of events could explain it. Pure;
 * milliseconds.
 */

/** How far our clock is ahead of another; negative if it is behind. */
export interface ClockDifference {
  readonly aheadMs: number;
  /** The error of `aheadMs`, in either direction. */
  readonly uncertainMs: number;
}

/** A request for another clock's time. */
export interface RoundTrip {
  /** When the request was sent, by our clock. */
  readonly askedAtMs: number;
  readonly tookMs: number;
  /** The answer of the other clock. */
  readonly toldMs: number;
}

export const differenceOf = ({ askedAtMs, tookMs, toldMs }: RoundTrip): ClockDifference => ({
  aheadMs: askedAtMs + tookMs / 2 - toldMs,
  uncertainMs: tookMs / 2,
});

/** Whether the clocks differ by more than a bound, whatever the duration of the round trip. */
export const isBeyond = ({ aheadMs, uncertainMs }: ClockDifference, boundMs: number): boolean =>
  Math.abs(aheadMs) - uncertainMs > boundMs;

/** One of our transactions, with the times when it was sent and seen by the clock of the database. */
export interface SeenTransaction {
  readonly sentAtMs: number;
  readonly seenAtMs: number;
  /** Ledger time, by the clock of the submitting participant. */
  readonly effectiveAtMs: number;
  /** When it was sequenced, by the clock of the sequencer. */
  readonly recordTimeMs: number;
}

/** Returns 0 between two moments, else the distance to the nearer one. */
const outside = (atMs: number, fromMs: number, toMs: number): number =>
  atMs < fromMs ? atMs - fromMs : Math.max(0, atMs - toMs);

const further = (a: number, b: number): number => (Math.abs(b) > Math.abs(a) ? b : a);

/**
 * Returns the minimum by which a clock of the network differs from the database's; positive if it is ahead. The order
 * of events is known: sent, then read, then recorded, then seen.
 */
export const apartOf = ({
  sentAtMs,
  seenAtMs,
  effectiveAtMs,
  recordTimeMs,
}: SeenTransaction): number =>
  [
    outside(effectiveAtMs, sentAtMs, seenAtMs),
    outside(recordTimeMs, sentAtMs, seenAtMs),
    Math.max(0, effectiveAtMs - recordTimeMs),
  ].reduce(further, 0);
