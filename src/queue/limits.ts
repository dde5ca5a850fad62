import { LIMITS } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of the queue. Units are in the names; what they must satisfy together is asserted below. */
export const QUEUE_LIMITS = {
  /** Effects the relay takes at once. */
  relayBatchMax: 100,
  /**
   * Effects of one job. The store finishes a job by a transaction of its own, so fewer jobs cost less; what a worker
   * has taken and not begun is lost to other workers, so they are no longer than pays.
   */
  jobEffectsMax: 8,
  /** The relay looks for due effects at least this often: what a lost notification costs. */
  relayPollMs: 5 * SECOND_MS,
  /** Keys that Redis looks through in one step. */
  scanCount: 1_000,
  /** Opening one connection. */
  connectMs: 3 * SECOND_MS,
  /** One statement or command of the queue's store. */
  commandMs: 3 * SECOND_MS,
  /**
   * A connection that was asked something and says nothing for so long is given up: behind a route that is lost it
   * would be silent for ever. Longer than any command of BullMQ's waits for work.
   */
  silenceMs: 5 * SECOND_MS,
  /** From the first connection until queue or worker is usable, migrations included. */
  startMs: 20 * SECOND_MS,
  /** Putting one batch on the queue; the relay holds rows of the outbox locked meanwhile. */
  putMs: 4 * SECOND_MS,
  /** One round of the relay: take due effects, put them, mark them. */
  dispatchMs: 8 * SECOND_MS,
  /** A queue that fails for so long is not ready; it is asked every second, so an older failure has passed. */
  refusingMs: 3 * SECOND_MS,
  refusedRecentMs: 15 * SECOND_MS,
  /** Pauses of the relay while database or queue fail: doubled from the first to the second. */
  relayBackoffMsMin: 50,
  relayBackoffMsMax: SECOND_MS,
  /** An effect that is due but locked by another relay, and a queue that was full, are looked at again after this. */
  relayAgainMsMin: 10,
  /**
   * Jobs that may wait on the queue; the rest waits in the outbox. An effect whose job has not run when it is due again
   * is dispatched again and leaves a stale job behind: a queue that took minutes to work off would hold nothing else.
   * What waits in the outbox is shared out; what waits here is worked off in its order, but for what goes ahead.
   */
  waitingMax: 32,
  /**
   * Effects of which a relay remembers who asked for them: about as many as the jobs that wait may hold. No more than a
   * quarter of them are put ahead of what waits.
   */
  sharesOf: 256,
  aheadMax: 64,
  /** Places of a worker that are given in a row to what goes ahead, while something else waits as well. */
  aheadInRow: 3,
  /** A queue that was full so often in a row has workers that do not keep up: after some two seconds. */
  fullTurns: 20,
  /**
   * Recovery from a killed worker. BullMQ takes a job back when its lock has expired and two checks in a row
   * have seen it running, so the work runs again at most `lockMs + 2 * stalledCheckMs` after the kill: the lock
   * was renewed just then, the check that follows its end may be a whole interval later, and where the killed
   * process was the one that checked, the next process's turn is up to one interval away. The outbox would
   * dispatch the effect again as well, but only after `LIMITS.redispatchMs`, which has to exceed the longest
   * honest submission; these two bring a kill down to seconds. They err on the side of running a job twice when
   * a live process stalls for more than half of `lockMs`, which costs a duplicate submission that the ledger
   * recognises by its command ID.
   */
  lockMs: 2 * SECOND_MS,
  stalledCheckMs: SECOND_MS,
  /** What the two above promise together. */
  recoveryMsMax: 5 * SECOND_MS,
  /**
   * A job that was lost this often leaves the queue, and the outbox brings it back at its slower pace: work that
   * kills its process must not take the process down every few seconds.
   */
  stalledCountMax: 5,
  /** A worker that waits looks for work at least this often: what a lost wake-up of the store costs. */
  idlePollMs: 4 * SECOND_MS,
  /**
   * What a queue is kept in is looked at this often, and after a failure once in the second. A look compares all there
   * is in a schema, over a connection of its own.
   */
  lookMs: 30 * SECOND_MS,
  mendMs: SECOND_MS,
  /** It is made anew although it looks right after so many failures in a row, each no further from the last. */
  suspicionsMax: 5,
  suspicionMs: 10 * SECOND_MS,
  /** How long Redis keeps why it was made anew, seconds. */
  anewKeptS: 7 * 24 * 3_600,
  /** Pause after the store failed a fetch; BullMQ itself asks again at once, or after 15 s. */
  retryMs: 250,
  /** From telling running jobs to give up until the queue takes them back from jobs that did not listen. */
  handBackMs: SECOND_MS,
  /** Effects that one worker process works on at a time unless configured. */
  concurrencyDefault: 32,
  /** Connections to PostgreSQL: of a queue, of a worker (which has one more to wait for work on). */
  queueConnections: 2,
  workerConnections: 4,
  /** Entries of BullMQ's event stream, which nothing of ours reads. */
  eventsMax: 1_000,
  /** The same complaint of a connection is logged at most this often. */
  complaintMs: 5 * SECOND_MS,
} as const;

assert(
  QUEUE_LIMITS.lockMs + 2 * QUEUE_LIMITS.stalledCheckMs <= QUEUE_LIMITS.recoveryMsMax,
  'a killed worker costs no more than the promised recovery time',
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
