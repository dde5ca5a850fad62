import { LIMITS } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the queue. Units are in the names; relations between them are asserted below. */
export const QUEUE_LIMITS = {
  /** Effects the relay takes at once. */
  relayBatchMax: 100,
  /**
   * Effects of one job. The store finishes each job in a separate transaction, so fewer jobs cost less. But other
   * workers cannot take effects that a worker holds without having begun, so jobs are no longer than worthwhile.
   */
  jobEffectsMax: 8,
  /** Longest interval between two searches of the relay for due effects: the cost of a lost notification. */
  relayPollMs: 5 * SECOND_MS,
  /** Keys that Redis scans in one step. */
  scanCount: 1_000,
  /** Timeout for opening one connection. */
  connectMs: 3 * SECOND_MS,
  /** Timeout of one statement or command of the queue's store. */
  commandMs: 3 * SECOND_MS,
  /**
   * A connection without an answer for this long is closed: after the loss of its route it would be silent for ever.
   * Longer than any wait for work of a BullMQ command.
   */
  silenceMs: 5 * SECOND_MS,
  /** Timeout from the first connection until queue or worker is usable, migrations included. */
  startMs: 20 * SECOND_MS,
  /** Timeout for putting one batch on the queue; the relay holds row locks of the outbox during this. */
  putMs: 4 * SECOND_MS,
  /** Timeout of one round of the relay: read due effects, put them on the queue, mark them. */
  dispatchMs: 8 * SECOND_MS,
  /**
   * A queue that fails for this long is not ready. It is used at least every second, so an older failure has passed.
   */
  refusingMs: 3 * SECOND_MS,
  refusedRecentMs: 15 * SECOND_MS,
  /** Pauses of the relay while database or queue fail: doubled from the minimum to the maximum. */
  relayBackoffMsMin: 50,
  relayBackoffMsMax: SECOND_MS,
  /** Retry interval for a due effect that another relay has locked, and for a full queue. */
  relayAgainMsMin: 10,
  /**
   * Jobs that may wait on the queue; further effects wait in the outbox. An effect whose job has not run when it is due
   * again is dispatched again and leaves a stale job: a queue that needs minutes would fill with such jobs. Effects in
   * the outbox are dispatched in fair shares; waiting jobs run in order, except those that go ahead.
   */
  waitingMax: 32,
  /**
   * Recent effects whose callers a relay remembers: about as many as the waiting jobs may hold. At most a quarter of
   * them are put ahead of waiting jobs.
   */
  sharesOf: 256,
  aheadMax: 64,
  /** Places of a worker given in a row to effects that go ahead, while others wait too. */
  aheadInRow: 3,
  /** After a queue was full this often in a row, its workers cannot keep up: about two seconds. */
  fullTurns: 20,
  /**
   * Recovery from a killed worker. BullMQ takes a job back when its lock has expired and two checks in a row
   * have seen it running, so the work runs again at most `lockMs + 2 * stalledCheckMs` after the kill: the lock
   * was renewed just then, the check that follows its end may be a whole interval later, and where the killed
   * process was the one that checked, the next process's turn is up to one interval away. The outbox would
   * dispatch the effect again as well, but only after `LIMITS.redispatchMs`, which has to exceed the longest
   * honest submission; these two bring a kill down to seconds. They err on the side of running a job twice when
   * a live process stalls for longer than `lockMs - lockRenewMs`, which costs a duplicate submission that the ledger
   * recognises by its command ID. A busy machine stalls processes for a second and more. BullMQ renews locks that
   * are older than half of `lockRenewMs`, so ordinary jobs end before their lock is renewed.
   */
  lockMs: 2.5 * SECOND_MS,
  lockRenewMs: 0.5 * SECOND_MS,
  stalledCheckMs: 0.75 * SECOND_MS,
  /** The recovery time that the two values above guarantee together. */
  recoveryMsMax: 5 * SECOND_MS,
  /**
   * A job that was lost this often leaves the queue, and the outbox dispatches it again more slowly: work that kills
   * its process must not do so every few seconds.
   */
  stalledCountMax: 5,
  /** Longest interval between two polls of a waiting worker: the cost of a lost wake-up of the store. */
  idlePollMs: 4 * SECOND_MS,
  /**
   * Interval of the check of a queue's storage, and shortest interval after failures. A check compares everything in a
   * schema, over a separate connection.
   */
  lookMs: 30 * SECOND_MS,
  mendMs: SECOND_MS,
  /**
   * The storage is replaced although it looks right after this number of failures in a row, each within the interval.
   */
  suspicionsMax: 5,
  suspicionMs: 10 * SECOND_MS,
  /** How long Redis keeps the reason of a replacement, in seconds. */
  anewKeptS: 7 * 24 * 3_600,
  /** Pause after a failed fetch of the store; BullMQ itself retries at once, or after 15 s. */
  retryMs: 250,
  /** Time from asking running jobs to stop until jobs that did not stop are returned to the queue. */
  handBackMs: SECOND_MS,
  /** Effects that one worker process works on at a time by default. */
  concurrencyDefault: 32,
  /** PostgreSQL connections of a queue, and of a worker (which has one more to wait for work on). */
  queueConnections: 2,
  workerConnections: 4,
  /** Entries of BullMQ's event stream, which Tenure does not read. */
  eventsMax: 1_000,
  /** Shortest interval between log entries for the same failure of a connection. */
  complaintMs: 5 * SECOND_MS,
} as const;

assert(
  QUEUE_LIMITS.lockMs + 2 * QUEUE_LIMITS.stalledCheckMs <= QUEUE_LIMITS.recoveryMsMax,
  'a killed worker costs no more than the promised recovery time',
);
assert(
  QUEUE_LIMITS.lockMs >= 5 * QUEUE_LIMITS.lockRenewMs,
  'a lock outlives a stall of several lockRenewMs',
);
assert(
  QUEUE_LIMITS.recoveryMsMax < LIMITS.redispatchMs,
  'the queue recovers before the outbox has to',
);
assert(
  QUEUE_LIMITS.relayBatchMax < QUEUE_LIMITS.sharesOf,
  'a round is shared out by more than itself',
);
assert(
  QUEUE_LIMITS.idlePollMs < QUEUE_LIMITS.silenceMs,
  'a connection that waits for work is not taken for a dead one',
);
assert(QUEUE_LIMITS.commandMs <= QUEUE_LIMITS.putMs, 'one command fits into one put');
assert(
  QUEUE_LIMITS.putMs < QUEUE_LIMITS.dispatchMs,
  'a put that times out leaves time to roll back',
);
assert(
  QUEUE_LIMITS.dispatchMs < LIMITS.redispatchMs,
  'a round ends before its effects are due again',
);
assert(
  QUEUE_LIMITS.relayBackoffMsMax <= QUEUE_LIMITS.relayPollMs,
  'an outage costs no more than a poll once over',
);
assert(QUEUE_LIMITS.relayPollMs < LIMITS.redispatchMs, 'a lost wake-up costs less than a lost job');
