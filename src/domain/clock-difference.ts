/*
 * Compares two clocks. A time that another clock reports counts as read in the middle of the round trip, plus or minus
 * half of the trip. For times reported by a network, a difference is certain only if no order of events could explain
 * it. Pure. Values are milliseconds.
 */

/** How far our clock is ahead of another one; negative if our clock is behind. */
export interface ClockDifference {
  readonly aheadMs: number;
  /** The possible error of `aheadMs`, in either direction. */
  readonly uncertainMs: number;
}

/** A round trip on which another clock's time was requested. */
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

/** Returns 0 for a time between two moments, otherwise the signed distance to the nearer one. */
const outside = (atMs: number, fromMs: number, toMs: number): number =>
  atMs < fromMs ? atMs - fromMs : Math.max(0, atMs - toMs);

const further = (a: number, b: number): number => (Math.abs(b) > Math.abs(a) ? b : a);

/**
 * Returns the minimum by which a clock of the network must differ from the database's clock; positive if the network's
 * clock is ahead. A transaction is always sent first, then read by its participant, then recorded, then seen here.
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
