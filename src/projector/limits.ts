import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

/** Bounds of the projector. Units are in the names. */
export const PROJECTOR_LIMITS = {
  /** Beyond every offset: until a stream is compared with its ledger, everything may still be told. */
  anyOffset: 2n ** 63n,
  /**
   * Attempts without an answer are looked for this often, so that their participants are asked and heard after them.
   */
  proofLookMs: 5 * SECOND_MS,
  /** The time of a synchronizer on which nothing happens is moved at most this often. */
  tickMs: 30 * SECOND_MS,
  /**
   * What has ended without an effect is looked through from the beginning again after a minute where some are left,
   * otherwise after an hour.
   */
  endedAgainMs: MINUTE_MS,
  endedLookMs: 60 * MINUTE_MS,
  /**
   * Asking the participants what the answers in one batch mean; what is not answered by then is asked again later.
   */
  batchAskMs: 2 * SECOND_MS,
  /** Stream elements applied in one transaction: at first, and as a backlog makes it grow. */
  batchElementsAtFirst: 256,
  batchElementsMin: 64,
  batchElementsMax: 1024,
  /** A transaction that takes less than the first lets the next be larger; more than the second, smaller. */
  batchMs: 500,
  batchMsMax: 2 * SECOND_MS,
  /** Active contracts stored per statement while bootstrapping. */
  snapshotChunk: 500,
  /** One transaction compares everything. */
  rebuildMs: 10 * MINUTE_MS,
  /** So many of those whose end was not seen are named by a rebuild. */
  rebuildNamedMax: 100,
  /** Whether the store is filled is looked at this often. */
  fillLookMs: 20,
  /** The projector is not ready when elements have waited longer without one being applied: a batch takes 2 s. */
  stallMs: 15_000,
  /** How often what waits is looked for while nothing arrives. */
  lookMs: 1_000,
  /** How often the projector asks whether its next term has to begin. */
  termLookMs: 3 * SECOND_MS,
  /**
   * Completions and updates of one command come on different streams a moment apart. Waiting this long for the other
   * after the first element lets them share a transaction, which costs less than a second one.
   */
  lingerMs: 1,
  /**
   * Commands that were sent together are told of one after the other. While transactions come that close, a batch waits
   * for the next one, for so long in all: a transaction of the store costs more than what is in it.
   */
  burstGapMs: 3,
  burstMs: 12,
  /**
   * How much later than it happened a checkpoint may tell of something: a participant takes them at a pace, and gives
   * them to a stream that says nothing else when that has been silent for a while (Canton, `IndexServiceConfig`: 15 s
   * and 60 s).
   */
  checkpointMs: 75_000,
  readings: 3,
  /** A stream that was opened and not refused for so long is open, although nothing happens on the ledger. */
  openMs: 250,
  /** One transaction reads the whole active contract set: a long one, and the only one. */
  bootstrapMs: 10 * MINUTE_MS,
  /** Elements are so far from each other, on a participant on which little else happens. */
  jumpMax: 64n,
} as const;
