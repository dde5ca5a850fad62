/*
 * Two clocks compared. What is asked over a round trip is told in its middle, give or take half of it; what a network
 * tells of itself is certain only where no order of events could explain it. Pure; milliseconds.
 */

/** By how much our clock is ahead of another, behind it where negative. */
export interface ClockDifference {
  readonly aheadMs: number;
  /** It may be so much more, or less. */
  readonly uncertainMs: number;
}

/** Another clock that was asked for its time. */
export interface RoundTrip {
  /** By our clock. */
  readonly askedAtMs: number;
  readonly tookMs: number;
  /** By the other. */
  readonly toldMs: number;
}

export const differenceOf = ({ askedAtMs, tookMs, toldMs }: RoundTrip): ClockDifference => ({
  aheadMs: askedAtMs + tookMs / 2 - toldMs,
  uncertainMs: tookMs / 2,
});

/** Whether they are apart by more than a bound, whatever the trip was like. */
export const isBeyond = ({ aheadMs, uncertainMs }: ClockDifference, boundMs: number): boolean =>
  Math.abs(aheadMs) - uncertainMs > boundMs;

/** A transaction of ours, and when it was sent and seen by the clock of the database. */
export interface SeenTransaction {
  readonly sentAtMs: number;
  readonly seenAtMs: number;
  /** By the clock of the participant that was asked. */
  readonly effectiveAtMs: number;
  /** By the clock of the sequencer. */
  readonly recordTimeMs: number;
}

/** 0 between two moments; else how far outside of them. */
const outside = (atMs: number, fromMs: number, toMs: number): number =>
  atMs < fromMs ? atMs - fromMs : Math.max(0, atMs - toMs);

const further = (a: number, b: number): number => (Math.abs(b) > Math.abs(a) ? b : a);

/**
 * By how much a clock of the network is certainly apart from the database's, ahead of it where positive: nothing is
 * read before it was sent or recorded after it was seen, and nothing is recorded before it was read.
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
