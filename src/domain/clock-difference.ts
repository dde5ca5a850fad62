/*
 * Compares two clocks. The time that another clock reports is assumed to have been read in the middle of the round
 * trip, with an error of at most half of the round trip. For times reported by a network, a difference is certain only
 * if no order of events could explain it. Pure. Values are milliseconds.
 */

/** How far our clock is ahead of another one; negative if our clock is behind. */
export interface ClockDifference {
  readonly aheadMs: number;
  /** The possible error of `aheadMs`, in either direction. */
  readonly uncertainMs: number;
}

/** A request for another clock's time, and the answer. */
export interface RoundTrip {
  /** When the request was sent, by our clock. */
  readonly askedAtMs: number;
  readonly tookMs: number;
  /** The time that the other clock reported. */
  readonly toldMs: number;
}

export const differenceOf = ({ askedAtMs, tookMs, toldMs }: RoundTrip): ClockDifference => ({
  aheadMs: askedAtMs + tookMs / 2 - toldMs,
  uncertainMs: tookMs / 2,
});

/** Returns whether the clocks certainly differ by more than a bound, allowing for the duration of the round trip. */
export const isBeyond = ({ aheadMs, uncertainMs }: ClockDifference, boundMs: number): boolean =>
  Math.abs(aheadMs) - uncertainMs > boundMs;

/** One of our transactions, with the times at which it was sent and seen, by the database's clock. */
export interface SeenTransaction {
  readonly sentAtMs: number;
  readonly seenAtMs: number;
  /** Ledger time, by the clock of the submitting participant. */
  readonly effectiveAtMs: number;
  /** When the transaction was sequenced, by the clock of the sequencer. */
  readonly recordTimeMs: number;
}

/** Returns 0 for a time between `fromMs` and `toMs`, otherwise the signed distance to the nearer of the two. */
const outside = (atMs: number, fromMs: number, toMs: number): number =>
  atMs < fromMs ? atMs - fromMs : Math.max(0, atMs - toMs);

const further = (a: number, b: number): number => (Math.abs(b) > Math.abs(a) ? b : a);

/**
 * Returns a lower bound of the difference between the network's clocks and the database's clock; positive if the
 * network's clock is ahead. It relies on the order of events: a transaction is sent, then read by its participant, then
 * recorded, then seen here.
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
