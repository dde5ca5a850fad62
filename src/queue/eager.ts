import { stopwatch } from '../app/engine/attempts/prepare-command.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { EagerDispatch, EagerPlace, Outbox, RecordedAttempt } from '../app/ports/outbox.ts';
import { effectIdOf } from '../app/engine/lanes/working-set.ts';
import { errorText } from '../domain/error-text.ts';
import type { EffectId, ParticipantName, SubmissionId } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import { closeQuietly } from './bounded.ts';
import { jobIdOf } from './job.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import type { Slots } from './turns.ts';
import type { EffectProcessor } from './worker.ts';

interface EagerParts {
  /** The places of this process's worker. */
  readonly slots: Slots;
  /** Total number of places. */
  readonly concurrency: number;
  /** The worker's processor, because no other code submits. */
  readonly processor: EffectProcessor;
  readonly outbox: Pick<Outbox, 'giveUp'>;
  /** Returns the name of the database session that shows that this process is running; `null` if there is none. */
  readonly session: () => string | null;
  readonly newSubmissionId: () => SubmissionId;
  readonly wallClock: WallClock;
  readonly wakeRelay: () => void;
  readonly log: QueueLog;
  readonly drainMs?: number;
}

interface EagerWorker extends EagerDispatch {
  /** Stops taking places. Attempts in progress may finish until `LIMITS.drainMs`; after that they are given up. */
  stop(): Promise<void>;
}

/** The reason with which an attempt's signal is aborted; not an error of the work. */
class NotWantedError extends Error {
  override readonly name = 'NotWantedError';
}

/**
 * Returns the maximum number of places for first attempts of one participant, so that a slow participant leaves places
 * free for the other participants.
 */
const shareOf = (concurrency: number): number => Math.max(1, Math.ceil((concurrency * 3) / 4));

/** A first attempt in progress, or one that may have been recorded and will not be sent. */
interface Running {
  readonly effect: EffectId;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The first attempts that this process has recorded and is working on. */
class Work {
  readonly #parts: Pick<EagerParts, 'outbox' | 'log' | 'drainMs'>;
  readonly #running = new Set<Running>();

  constructor(parts: Pick<EagerParts, 'outbox' | 'log' | 'drainMs'>) {
    this.#parts = parts;
  }

  begin(effect: EffectId, work: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    // After this time the effect is dispatched again, and this attempt could only interfere.
    const overdue = setTimeout(() => {
      abort.abort(new NotWantedError('the effect is dispatched again'));
    }, LIMITS.redispatchMs);
    const ended = work(abort.signal)
      .catch((error: unknown) => {
        const about = { effectId: effect, error: errorText(error) };
        this.#parts.log.error(
          about,
          'a first attempt failed; the relay dispatches its effect again',
        );
      })
      .finally(() => {
        clearTimeout(overdue);
        this.#running.delete(entry);
      });
    const entry: Running = { effect, abort, ended };
    this.#running.add(entry);
  }

  /**
   * Gives up attempts. If this fails, their effects are due after `LIMITS.redispatchMs`, or soon after the session
   * ends.
   */
  giveUp(effects: readonly EffectId[], signal: AbortSignal): Promise<void> {
    return this.#parts.outbox.giveUp(effects, { signal, deadlineMs: QUEUE_LIMITS.commandMs });
  }

  async #allEnded(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all([...this.#running].map(({ ended }) => ended));
    }
  }

  async drain(): Promise<void> {
    const { log, drainMs = LIMITS.drainMs } = this.#parts;
    if (await closeQuietly(this.#allEnded(), drainMs)) return;
    const left = [...this.#running];
    log.warn({ attempts: left.length }, 'gave up first attempts that did not end in time');
    for (const { abort } of left) abort.abort(new NotWantedError('the process is stopping'));
    await closeQuietly(this.#allEnded(), QUEUE_LIMITS.handBackMs);
    const effects = left.map(({ effect }) => effect);
    await closeQuietly(this.giveUp(effects, new AbortController().signal), QUEUE_LIMITS.commandMs);
  }
}

/** Submits an attempt with the worker's processor, as if its job had come from the queue. */
function submit(
  { processor, wallClock }: Pick<EagerParts, 'processor' | 'wallClock'>,
  effectId: EffectId,
  recorded: RecordedAttempt,
  signal: AbortSignal,
): Promise<void> {
  const job = { effectId, dispatchNo: 1 };
  const io: Io = { signal, deadlineMs: LIMITS.submitDeadlineMs };
  const addedAtMs = wallClock.nowMs() - recorded.elapsedMs();
  return processor(job, io, { id: jobIdOf(job), addedAtMs }, recorded);
}

/**
 * Submits first attempts that this process records together with their changes. They use the worker's places and
 * processor like jobs from the queue, but do not go through the queue.
 */
export function startEager(parts: EagerParts): EagerWorker {
  const { slots, session, wallClock } = parts;
  const most = shareOf(parts.concurrency);
  const taken = new Map<ParticipantName, number>();
  const work = new Work(parts);
  let isStopping = false;
  const count = (participant: ParticipantName, by: number): void => {
    taken.set(participant, (taken.get(participant) ?? 0) + by);
  };

  function placeFor(participant: ParticipantName, name: string): EagerPlace | null {
    if ((taken.get(participant) ?? 0) >= most) return null;
    const free = slots.takeFree();
    if (free === null) return null;
    count(participant, 1);
    const submissionId = parts.newSubmissionId();
    const elapsedMs = stopwatch(wallClock);
    const leave = (): void => {
      count(participant, -1);
      free();
    };
    const isDoubtful = (): boolean => session() !== name;
    return {
      session: name,
      submissionId,
      leave,
      submit(started) {
        const recorded = { started, submissionId, elapsedMs, isDoubtful };
        const effect = effectIdOf(started.change.id);
        work.begin(effect, (signal) => submit(parts, effect, recorded, signal).finally(leave));
      },
      giveUp(effect) {
        leave();
        work.begin(effect, (signal) => work.giveUp([effect], signal));
      },
    };
  }
  return {
    take(participants) {
      const name = session();
      if (name === null || isStopping) return participants.map(() => null);
      return participants.map((participant) => placeFor(participant, name));
    },
    left: () => parts.wakeRelay(),
    async stop() {
      isStopping = true;
      await work.drain();
    },
  };
}
