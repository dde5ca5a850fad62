import { LIMITS } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of the queue. Names end in the unit; relations between the limits are asserted below. */
export const QUEUE_LIMITS = {
  /** Maximum number of effects that the relay takes at once. */
  relayBatchMax: 100,
  /**
   * Maximum number of effects in one job. The store finishes each job in a separate transaction, so fewer jobs cost
   * less. But while a worker holds a job, no other worker can take its unstarted effects, so larger jobs would not pay
   * off.
   */
  jobEffectsMax: 8,
  /** Maximum interval between two searches of the relay for due effects: the delay after a lost notification. */
  relayPollMs: 5 * SECOND_MS,
  /** Number of keys that Redis scans in one step. */
  scanCount: 1_000,
  /** Timeout for opening one connection. */
  connectMs: 3 * SECOND_MS,
  /** Timeout for one statement or command of the queue's store. */
  commandMs: 3 * SECOND_MS,
  /**
   * A connection without an answer for this long is closed: if its network route is lost, no error would ever be
   * reported. Longer than BullMQ's commands wait for work.
   */
  silenceMs: 5 * SECOND_MS,
  /** Timeout from the first connection until the queue or worker is usable, including migrations. */
  startMs: 20 * SECOND_MS,
  /** Timeout for putting one batch on the queue. Meanwhile, the relay holds row locks in the outbox. */
  putMs: 4 * SECOND_MS,
  /** Timeout for one round of the relay: read due effects, put them on the queue, mark them. */
  dispatchMs: 8 * SECOND_MS,
  /**
   * A queue that has failed for this long is not ready. The queue is used at least every second, so if its last failure
   * is older than the second limit, it works again.
   */
  refusingMs: 3 * SECOND_MS,
  refusedRecentMs: 15 * SECOND_MS,
  /** Delays of the relay while the database or the queue fails: doubled from the minimum to the maximum. */
  relayBackoffMsMin: 50,
  relayBackoffMsMax: SECOND_MS,
  /** Delay before the relay retries if a due effect is locked by another relay, or if the queue is full. */
  relayAgainMsMin: 10,
  /**
   * Maximum number of jobs that wait on the queue; further effects wait in the outbox. If a job has not run when its
   * effect is due again, the effect is dispatched again and the old job is useless: a queue with a backlog of minutes
   * would fill with such jobs. Effects in the outbox are dispatched in fair shares, whereas waiting jobs run in order,
   * except those that go ahead.
   */
  waitingMax: 32,
  /**
   * How many recent effects a relay remembers with their callers: about as many as the waiting jobs can hold. At most a
   * quarter of them go ahead of waiting jobs.
   */
  sharesOf: 256,
  aheadMax: 64,
  /** How many places in a row a worker gives to effects that go ahead while other effects wait. */
  aheadInRow: 3,
  /** If a queue was full this many times in a row, about two seconds, its workers cannot keep up. */
  fullTurns: 20,
  /**
   * Recovery after a worker was killed. BullMQ returns a job to the queue when its lock has expired and two successive
   * checks have seen it running. So the job runs again at most `lockMs + 2 * stalledCheckMs` after the kill: the lock
   * may have been renewed just before, the first check after its expiry may be a whole interval later, and if the
   * killed process was the one that made the checks, another process takes over up to one interval later. The outbox
   * would also dispatch the effect again, but only after `LIMITS.redispatchMs`, which has to exceed the longest regular
   * submission; these two limits reduce the recovery to seconds. If a running process stalls for longer than `lockMs -
   * lockRenewMs`, its job runs twice, and the ledger recognises the duplicate submission by its command ID. A busy
   * machine stalls processes for a second and more. BullMQ renews locks that are older than half of `lockRenewMs`, so
   * most jobs end before their lock is renewed.
   */
  lockMs: 2.5 * SECOND_MS,
  lockRenewMs: 0.5 * SECOND_MS,
  stalledCheckMs: 0.75 * SECOND_MS,
  /** The maximum recovery time that results from the two values above. */
  recoveryMsMax: 5 * SECOND_MS,
  /**
   * A job that was lost this many times leaves the queue, and the outbox dispatches its effects again more slowly: work
   * that kills its process must not be repeated every few seconds.
   */
  stalledCountMax: 5,
  /** Maximum interval between two polls of a waiting worker: the delay after a lost wake-up from the store. */
  idlePollMs: 4 * SECOND_MS,
  /**
   * Interval between checks of a queue's storage, and minimum interval after failures. A check compares everything in a
   * schema, over a separate connection.
   */
  lookMs: 30 * SECOND_MS,
  mendMs: SECOND_MS,
  /**
   * After this many failures in a row, each within the interval after the previous one, the storage is replaced
   * although the check finds no damage.
   */
  suspicionsMax: 5,
  suspicionMs: 10 * SECOND_MS,
  /** How long Redis stores the reason of a replacement, in seconds. */
  anewKeptS: 7 * 24 * 3_600,
  /** Pause of a worker after a failed fetch from the store; BullMQ itself retries at once, or after 15 s. */
  retryMs: 250,
  /** Time between asking running jobs to stop and returning unfinished jobs to the queue. */
  handBackMs: SECOND_MS,
  /** Default for the number of effects that one worker process handles at the same time. */
  concurrencyDefault: 32,
  /** Number of PostgreSQL connections of a queue, and of a worker, which has one more on which it waits for work. */
  queueConnections: 2,
  workerConnections: 4,
  /** Maximum number of entries in BullMQ's event stream, which Tenure does not read. */
  eventsMax: 1_000,
  /** Minimum interval between log entries for the same connection failure. */
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
