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
 * - `running`: looks for due effects when woken, when the next one is due, and every `relayPollMs`.
 * - `draining`: the round that is under way may finish; none is begun.
 * - `stopped`: nothing of it is left.
 */
type RelayState = 'running' | 'draining' | 'stopped';

export interface Relay {
  readonly state: RelayState;
  /**
   * Why the queue has taken nothing for `QUEUE_LIMITS.refusingMs` although it was asked; `null`: it takes effects, or
   * nothing was put on it lately.
   */
  refusal(): string | null;
  /** Effects may be due. Any number of calls before the next look cost one look. */
  wake(): void;
  /** Ends within `LIMITS.drainMs`. A round that was cut short has marked nothing: its effects stay due. */
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

/** By failures in a row; a wake-up does not cut it short, or an outage would be hammered. */
const BACKOFF: Backoff = {
  firstMs: QUEUE_LIMITS.relayBackoffMsMin,
  maxMs: QUEUE_LIMITS.relayBackoffMsMax,
  jitter: 0,
};

/** Remembers how long the queue has failed in a row, whatever the reason. */
class Refusals {
  #run: { readonly sinceMs: number; readonly lastMs: number; readonly why: string } | null = null;

  /** @param puts whether its success shows that the queue takes effects */
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

/** What one relay shares between its parts. */
interface RelayRun {
  readonly limits: RelayLimits;
  readonly wakeup: Wakeup;
  /** No round is begun any more. */
  readonly drain: AbortSignal;
  readonly complain: (error: unknown) => void;
  readonly refusals: Refusals;
  readonly io: (deadlineMs: number) => Io;
}

/** Makes what dispatches one batch and tells how long to wait for the next, in milliseconds. */
function createRound({ outbox, queue, log }: RelayParts, run: RelayRun): () => Promise<number> {
  const { limits, wakeup, drain, complain, refusals, io } = run;
  /** Effects put since the queue was last asked how full it is. */
  let uncounted = limits.relayBatchMax;
  /** Who has asked for what was put. */
  let recent: Recent = [];

  /** An unsafe id can only come from a bug of ours, and must not hold up the effects beside it. */
  const put = async (
    effects: readonly Dispatched[],
    shards: number,
    isApart: boolean,
  ): Promise<void> => {
    const safe = effects.filter(({ id }) => isSafeEffectId(id));
    for (const { id } of effects.filter((effect) => !safe.includes(effect))) {
      log.error({ effectId: id }, 'an effect cannot be dispatched: its id is not safe as a job id');
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
      // A round that is put once more is shared out as before, so that its jobs are the same.
      if (!(error instanceof NotAllPutError)) throw error;
      complain(error);
      recent = shared.recent;
      throw error;
    }
    recent = shared.recent;
  };
  /** Returns when the queue has room for a batch, or the relay is stopping. Asks once per batch put. */
  const untilRoom = async (): Promise<void> => {
    for (let turns = 1; uncounted >= limits.relayBatchMax && !drain.aborted; turns += 1) {
      const { waiting } = await refusals.watch(queue.counts(io(QUEUE_LIMITS.commandMs)), false);
      if (waiting < QUEUE_LIMITS.waitingMax) {
        uncounted = 0;
        return;
      }
      // Under load it is full for moments, and what waits in the outbox meanwhile is shared out.
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
 * Moves due effects from the outbox to the queue. One round at a time; several relays share the work, because the
 * outbox hands each effect to one of them. While the queue is down effects stay due and the relay tries again at
 * growing distances.
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
        if (failures > 0) log.info({ failures }, 'relay dispatches again');
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
        log.warn({}, 'relay abandons a round that does not end');
        abandon.abort(new Error('the relay is stopping'));
        await closeQuietly(ended, QUEUE_LIMITS.handBackMs);
      }
      state = 'stopped';
    },
  };
}
