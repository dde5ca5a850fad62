import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

/** Bounds of the projector. Units are in the names. */
export const PROJECTOR_LIMITS = {
  /** Greater than every offset: until a stream is compared with its ledger, any offset may still be reported. */
  anyOffset: 2n ** 63n,
  /** Interval of the search for unanswered attempts, after which their participants are asked and read again. */
  proofLookMs: 5 * SECOND_MS,
  /** Shortest interval between two time advances of an idle synchronizer. */
  tickMs: 30 * SECOND_MS,
  /**
   * Operations that ended without an effect are walked again after a minute if some are left, otherwise after an hour.
   */
  endedAgainMs: MINUTE_MS,
  endedLookMs: 60 * MINUTE_MS,
  /** Timeout for reading from the participants what the answers of a batch mean; missing reads are repeated later. */
  batchAskMs: 2 * SECOND_MS,
  /** Stream elements applied in one transaction: at first, and the range in which a backlog changes it. */
  batchElementsAtFirst: 256,
  batchElementsMin: 64,
  batchElementsMax: 1024,
  /** A transaction shorter than the first value lets the next be larger; one longer than the second, smaller. */
  batchMs: 500,
  batchMsMax: 2 * SECOND_MS,
  /** Active contracts stored per statement while bootstrapping. */
  snapshotChunk: 500,
  /** Timeout of a rebuild: one transaction compares everything. */
  rebuildMs: 10 * MINUTE_MS,
  /** A rebuild names at most this number of lifecycles whose end was not seen. */
  rebuildNamedMax: 100,
  /** Interval at which the projector checks whether the store is filled. */
  fillLookMs: 20,
  /** The projector is not ready when elements have waited longer without one being applied: a batch takes 2 s. */
  stallMs: 15_000,
  /** Interval of the check of waiting changes while no element arrives. */
  lookMs: 1_000,
  /** Interval at which the projector checks whether its next term has to begin. */
  termLookMs: 3 * SECOND_MS,
  /**
   * Completions and updates of one command arrive on different streams a moment apart. After the first of the two,
   * waiting this long for the other lets them share a transaction, which costs less than a second one.
   */
  lingerMs: 1,
  /**
   * Commands that were sent together are reported one after the other. While elements arrive within the gap, a batch
   * waits for the next one, for `burstMs` in total: a transaction of the store costs more than its content.
   */
  burstGapMs: 3,
  burstMs: 12,
  /**
   * How late a checkpoint may report an event: a participant sends checkpoints at intervals, and sends them on an
   * otherwise silent stream only after a pause (Canton, `IndexServiceConfig`: 15 s and 60 s).
   */
  checkpointMs: 75_000,
  readings: 3,
  /** A stream that was not refused within this time after opening counts as open, even if the ledger is idle. */
  openMs: 250,
  /** Timeout for the one transaction that reads the whole active contract set. */
  bootstrapMs: 10 * MINUTE_MS,
  /** Largest expected distance between elements, on a participant with little other activity. */
  jumpMax: 64n,
} as const;
