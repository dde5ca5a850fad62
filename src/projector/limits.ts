import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';

/** Limits of the projector. Names end in the unit. */
export const PROJECTOR_LIMITS = {
  /** Greater than every offset. Until a stream has been compared with its ledger, any offset may still be replayed. */
  anyOffset: 2n ** 63n,
  /** Interval between searches for unanswered attempts. Their participants are then called. */
  proofLookMs: 5 * SECOND_MS,
  /** Minimum interval between two time advances of an idle synchronizer. */
  tickMs: 30 * SECOND_MS,
  /**
   * Operations that ended without an effect are checked again after a minute if some have no verdict, otherwise after
   * an hour.
   */
  endedAgainMs: MINUTE_MS,
  endedLookMs: 60 * MINUTE_MS,
  /**
   * Timeout for reading from the participants the data that the answers of a batch refer to; missing data is read
   * later.
   */
  batchAskMs: 2 * SECOND_MS,
  /** Stream elements that one transaction applies: at the start, and the range within which the number changes. */
  batchElementsAtFirst: 256,
  batchElementsMin: 64,
  batchElementsMax: 1024,
  /**
   * After a transaction shorter than the first value, the next one may be larger; after one longer than the second, it
   * must be smaller.
   */
  batchMs: 500,
  batchMsMax: 2 * SECOND_MS,
  /** Active contracts that one statement stores while an empty store is filled. */
  snapshotChunk: 500,
  /** Timeout of a rebuild, which compares everything in one transaction. */
  rebuildMs: 10 * MINUTE_MS,
  /** Maximum number of lifecycles with an unobserved end that a rebuild's report names. */
  rebuildNamedMax: 100,
  /** Interval at which a stream checks whether the store has been filled. */
  fillLookMs: 20,
  /**
   * The projector is not ready if elements have waited longer than this while no batch was applied: a batch may take 2
   * s.
   */
  stallMs: 15_000,
  /** Interval between checks of waiting changes while no element arrives. */
  lookMs: 1_000,
  /** Interval at which the projector checks whether a new term must begin. */
  termLookMs: 3 * SECOND_MS,
  /**
   * The completion and the update of a command arrive on different streams, a moment apart. After the first of the two,
   * the projector waits this long for the other, so that both share a transaction, which costs less than a second one.
   */
  lingerMs: 1,
  /**
   * The elements of commands that were sent together arrive one after another. While the next element arrives within
   * the gap, a batch waits for that element, for at most `burstMs` in total: a transaction of the store costs more than
   * its content.
   */
  burstGapMs: 3,
  burstMs: 12,
  /**
   * How late a checkpoint may report an event: a participant sends checkpoints at intervals, and on an otherwise silent
   * stream only after a longer pause (Canton, `IndexServiceConfig`: 15 s and 60 s).
   */
  checkpointMs: 75_000,
  readings: 3,
  /** A stream that is not refused within this time after opening counts as open, even if the ledger is idle. */
  openMs: 250,
  /** Timeout of the one transaction that reads the whole active contract set. */
  bootstrapMs: 10 * MINUTE_MS,
  /** Maximum expected distance between offsets of successive elements, on a participant with little other activity. */
  jumpMax: 64n,
} as const;
