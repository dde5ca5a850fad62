import type { Io } from '../app/ports/io.ts';
import type { Dispatched, Outbox } from '../app/ports/outbox.ts';
import { NotAllPutError } from '../app/ports/outbox.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import type { Backoff } from '../domain/backoff.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { errorText } from '../domain/error-text.ts';
import { LIMITS } from '../domain/limits.ts';
import type { JobQueue } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import { isSafeEffectId } from './job.ts';
import type { QueueLog } from './queue-log.ts';
import { complaintsTo } from './queue-log.ts';
import type { Recent } from './turns.ts';
import { shareOut } from './turns.ts';
import { shardOf } from './shards.ts';

/**
 * - `running`: searches for due effects when woken, when the next effect is due, and every `relayPollMs`.
 * - `draining`: the current round may finish; no other round begins.
 * - `stopped`: all work has ended.
 */
type RelayState = 'running' | 'draining' | 'stopped';

export interface Relay {
  readonly state: RelayState;
  /**
   * Returns why the queue has accepted no effects for `QUEUE_LIMITS.refusingMs` although the relay tried; `null` if the
   * queue accepts effects, or if the relay has not tried recently.
   */
  refusal(): string | null;
  /** Reports that effects may be due. Any number of calls before the next search cause only one search. */
  wake(): void;
  /** Stops the relay within `LIMITS.drainMs`. An interrupted round has marked nothing, so its effects stay due. */
  stop(): Promise<void>;
}

export interface RelayLimits {
  readonly relayBatchMax: number;
  readonly relayPollMs: number;
}

export interface RelayParts {
  readonly outbox: Pick<Outbox, 'dispatchDue' | 'nextDueInMs'>;
  readonly queue: Pick<JobQueue, 'add' | 'counts'>;
  readonly log: QueueLog;
  readonly limits?: RelayLimits;
}

/** Delays by the number of failures in a row. A wake-up does not shorten them, so that an outage causes few calls. */
const BACKOFF: Backoff = {
  firstMs: QUEUE_LIMITS.relayBackoffMsMin,
  maxMs: QUEUE_LIMITS.relayBackoffMsMax,
  jitter: 0,
};

/** Measures how long the queue has been failing without a success, for any reason. */
class Refusals {
  #run: { readonly sinceMs: number; readonly lastMs: number; readonly why: string } | null = null;

  /** @param puts whether a success shows that the queue accepts effects */
  async watch<T>(call: Promise<T>, puts: boolean): Promise<T> {
    try {
      const answer = await call;
      if (puts) this.#run = null;
      return answer;
    } catch (error) {
      const lastMs = performance.now();
      this.#run = { sinceMs: this.#run?.sinceMs ?? lastMs, lastMs, why: errorText(error) };
      throw error;
    }
  }

  why(): string | null {
    const run = this.#run;
    const isRecent = run !== null && performance.now() - run.lastMs < QUEUE_LIMITS.refusedRecentMs;
    return isRecent && run.lastMs - run.sinceMs >= QUEUE_LIMITS.refusingMs ? run.why : null;
  }
}

/** The state that the functions of one relay share. */
interface RelayRun {
  readonly limits: RelayLimits;
  readonly wakeup: Wakeup;
  /** Fires when no further round may begin. */
  readonly drain: AbortSignal;
  readonly complain: (error: unknown) => void;
  readonly refusals: Refusals;
  readonly io: (deadlineMs: number) => Io;
}

/** Returns a function that dispatches one batch and returns the milliseconds to wait before the next batch. */
function createRound({ outbox, queue, log }: RelayParts, run: RelayRun): () => Promise<number> {
  const { limits, wakeup, drain, complain, refusals, io } = run;
  /** Number of effects put on the queue since the queue's length was last read. */
  let uncounted = limits.relayBatchMax;
  /** The recently dispatched effects with their callers. */
  let recent: Recent = [];

  /**
   * Puts a batch on the queue. Skips an effect with an unsafe ID: it can only come from a bug in Tenure, and must not
   * delay the other effects.
   */
  const put = async (
    effects: readonly Dispatched[],
    shards: number,
    isApart: boolean,
  ): Promise<void> => {
    const safe = effects.filter(({ id }) => isSafeEffectId(id));
    for (const { id } of effects.filter((effect) => !safe.includes(effect))) {
      log.error(
        { effectId: id },
        'an effect cannot be dispatched, because its ID is not valid as a job ID',
      );
    }
    const shared = shareOut(recent, safe);
    const jobs = safe.map((effect) => ({
      effectId: effect.id,
      dispatchNo: effect.dispatchNo,
      shard: shardOf(effect.lane, shards),
      isAhead: shared.ahead.has(effect),
    }));
    try {
      await refusals.watch(queue.add(jobs, io(QUEUE_LIMITS.putMs), isApart), true);
    } catch (error) {
      // After any other failure the round is repeated with the same shares, so that it produces the same jobs.
      if (!(error instanceof NotAllPutError)) throw error;
      complain(error);
      recent = shared.recent;
      throw error;
    }
    recent = shared.recent;
  };
  /** Waits until the queue has room for a batch, or the relay is stopping. Reads the queue's length once per batch. */
  const untilRoom = async (): Promise<void> => {
    for (let turns = 1; uncounted >= limits.relayBatchMax && !drain.aborted; turns += 1) {
      const { waiting } = await refusals.watch(queue.counts(io(QUEUE_LIMITS.commandMs)), false);
      if (waiting < QUEUE_LIMITS.waitingMax) {
        uncounted = 0;
        return;
      }
      // Under load, the queue is often full for a moment, while effects in the outbox are shared fairly among callers.
      if (turns > QUEUE_LIMITS.fullTurns) {
        complain(new Error('the queue is full: effects wait until workers have caught up'));
      }
      await sleep(
        Math.min(QUEUE_LIMITS.relayAgainMsMin * turns, QUEUE_LIMITS.relayBackoffMsMax),
        drain,
      );
    }
  };
  return async () => {
    await untilRoom();
    if (drain.aborted) return 0;
    wakeup.clear();
    const taken = await outbox.dispatchDue(limits.relayBatchMax, put, io(QUEUE_LIMITS.dispatchMs));
    uncounted += taken;
    if (taken >= limits.relayBatchMax || wakeup.isPending || drain.aborted) return 0;
    const dueInMs = await outbox.nextDueInMs(io(QUEUE_LIMITS.commandMs));
    if (dueInMs === null) return limits.relayPollMs;
    return Math.min(Math.max(dueInMs, QUEUE_LIMITS.relayAgainMsMin), limits.relayPollMs);
  };
}

/**
 * Moves due effects from the outbox to the queue, one round at a time. Several relays share the work, because the
 * outbox gives each effect to only one of them. While the queue is unavailable, effects stay due and the relay retries
 * with growing delays.
 */
export function startRelay(parts: RelayParts): Relay {
  const { log } = parts;
  const complain = complaintsTo(log, 'relay');
  const wakeup = new Wakeup();
  const drain = new AbortController();
  const abandon = new AbortController();
  const refusals = new Refusals();
  let state: RelayState = 'running';
  const round = createRound(parts, {
    limits: parts.limits ?? QUEUE_LIMITS,
    wakeup,
    drain: drain.signal,
    complain,
    refusals,
    io: (deadlineMs) => ({ signal: abandon.signal, deadlineMs }),
  });
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!drain.signal.aborted) {
      try {
        const waitMs = await round();
        if (failures > 0) log.info({ failures }, 'the relay dispatches effects again');
        failures = 0;
        if (waitMs > 0) await wakeup.wait(waitMs, drain.signal);
      } catch (error) {
        failures += 1;
        if (!abandon.signal.aborted) complain(error);
        await sleep(backoffDelayMs(BACKOFF, failures - 1), drain.signal);
      }
    }
  };
  const ended = run();
  return {
    get state() {
      return state;
    },
    refusal: () => refusals.why(),
    wake: () => {
      wakeup.wake();
    },
    async stop() {
      if (state === 'running') {
        state = 'draining';
        drain.abort();
      }
      const drained = await closeQuietly(ended, LIMITS.drainMs);
      if (!drained) {
        log.warn({}, 'the relay gives up a round that does not end');
        abandon.abort(new Error('the relay is stopping'));
        await closeQuietly(ended, QUEUE_LIMITS.handBackMs);
      }
      state = 'stopped';
    },
  };
}
