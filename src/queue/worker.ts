import { WaitingError } from 'bullmq';
import type { Io } from '../app/ports/io.ts';
import type { RecordedAttempt } from '../app/ports/outbox.ts';
import { asError, errorText } from '../domain/error-text.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { OpenWorker, QueueBackend, SubmitJob } from './backend.ts';
import { openWorker } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import type { EffectJob } from './job.ts';
import { effectsOf, jobDataOf, parseJob } from './job.ts';
import type { QueueLog } from './queue-log.ts';
import type { Slots } from './turns.ts';
import { createSlots } from './turns.ts';

/**
 * - `starting`: connecting; takes no job.
 * - `running`: takes jobs.
 * - `draining`: takes no new job; running jobs may finish until `LIMITS.drainMs`, then they are told to stop and are
 *   returned to the queue.
 * - `stopped`: connections are closed; the process may exit 0.
 * - `failed`: it could not start, or BullMQ's loop ended by itself; the process should end.
 */
type WorkerState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed';

/**
 * Processes one effect. `io.signal` fires when the work is no longer wanted here.
 *
 * @param recorded the attempt, if the transaction that recorded the change has started it
 */
export type EffectProcessor = (
  job: EffectJob,
  io: Io,
  onQueue: OnQueue,
  recorded?: RecordedAttempt,
) => Promise<void>;

/** A job's data on the queue. */
export interface OnQueue {
  readonly id: string;
  /** Wall time of the process that added it. */
  readonly addedAtMs: number;
}

export interface QueueWorker {
  readonly state: WorkerState;
  /** Jobs in progress. */
  readonly running: number;
  /** Resolves once stopped; rejects if it fails after the start. */
  readonly ended: Promise<void>;
  /** Ends shortly after `LIMITS.drainMs` at the latest. Unfinished jobs are on the queue again. */
  stop(): Promise<void>;
}

export interface WorkerParts {
  readonly backend: QueueBackend;
  readonly processor: EffectProcessor;
  readonly log: QueueLog;
  /** Effects at a time. @default `QUEUE_LIMITS.concurrencyDefault` */
  readonly concurrency?: number;
  /** Places for effects that several workers share. @default `concurrency` places */
  readonly slots?: Slots;
  /** The shard. @default the first */
  readonly shard?: number;
  readonly drainMs?: number;
}

/** Why a job's signal was aborted; not an error of the work. */
class NotWantedError extends Error {
  override readonly name = 'NotWantedError';
}

interface RunningJob {
  readonly job: SubmitJob;
  readonly token: string;
  readonly abort: AbortController;
  /** Its effects that have not ended. */
  readonly left: Set<EffectJob>;
}

/** Returns a job to the queue, without the effects that have ended. */
async function handBack({ job, token, left }: RunningJob): Promise<void> {
  const [first, ...more] = left;
  if (first !== undefined && left.size < effectsOf(parseJob(job.data)).length) {
    await job.updateData(jobDataOf([first, ...more]));
  }
  await job.moveToWait(token);
}

/**
 * The running jobs. Each effect of a job has its own place and ends separately: it finishes, it fails (which is logged
 * and not repeated, because the outbox dispatches it again), or it is returned to the queue. The job ends with its last
 * effect.
 */
function createJobRunner(processor: EffectProcessor, slots: Slots, log: QueueLog) {
  const running = new Set<RunningJob>();
  let handingBack = false;
  const isHandedBack = (abort: AbortController): boolean => handingBack && abort.signal.aborted;

  /** Never rejects. */
  async function runEffect(effect: EffectJob, { job, abort, left }: RunningJob): Promise<void> {
    const io = { signal: abort.signal, deadlineMs: LIMITS.submitDeadlineMs };
    try {
      const giveBack = await slots.take(abort.signal, job.opts.lifo === true);
      try {
        await processor(effect, io, { id: job.id ?? '', addedAtMs: job.timestamp });
      } finally {
        giveBack();
      }
    } catch (error) {
      if (isHandedBack(abort)) return;
      log.error(
        { job: job.id, effectId: effect.effectId, error: errorText(error) },
        'job failed; its effect is dispatched again',
      );
    }
    left.delete(effect);
  }

  /** @throws TypeError for a job that Tenure did not add, which is logged */
  function effectsIn(job: SubmitJob): readonly EffectJob[] {
    try {
      return effectsOf(parseJob(job.data));
    } catch (error) {
      log.error({ job: job.id, error: errorText(error) }, 'job failed: its data is not ours');
      throw error;
    }
  }

  async function run(job: SubmitJob, token = ''): Promise<void> {
    const effects = effectsIn(job);
    const entry = { job, token, abort: new AbortController(), left: new Set(effects) };
    // After this time its effects are dispatched again, and this run could only interfere.
    const overdue = setTimeout(() => {
      entry.abort.abort(new NotWantedError('the effect is dispatched again'));
    }, LIMITS.redispatchMs);
    running.add(entry);
    try {
      await Promise.all(effects.map((effect) => runEffect(effect, entry)));
      if (entry.left.size === 0) return;
      await handBack(entry);
      // Tells BullMQ that this worker no longer finishes the job.
      throw new WaitingError();
    } finally {
      clearTimeout(overdue);
      running.delete(entry);
    }
  }
  return {
    running,
    run,
    /** Tells running jobs to stop. */
    askBack(): void {
      handingBack = true;
      for (const { abort } of running) abort.abort(new NotWantedError('the worker is stopping'));
    },
    /** Returns jobs that did not stop to the queue. */
    async takeBack(): Promise<void> {
      await Promise.allSettled([...running].map(handBack));
    },
  };
}

/** Takes no more jobs, lets running ones finish or returns them to the queue, and closes. */
async function drainAndClose(
  open: OpenWorker,
  runner: ReturnType<typeof createJobRunner>,
  drainMs: number,
  log: QueueLog,
): Promise<void> {
  // Closing waits for running jobs, keeps their locks, and has no timeout of its own.
  const closing = open.worker.close();
  if (!(await closeQuietly(closing, drainMs))) {
    log.warn({ jobs: runner.running.size }, 'jobs did not finish in time and are handed back');
    runner.askBack();
    if (!(await closeQuietly(closing, QUEUE_LIMITS.handBackMs))) {
      await closeQuietly(runner.takeBack(), QUEUE_LIMITS.commandMs);
      await closeQuietly(open.worker.getBackend().close(true), QUEUE_LIMITS.connectMs);
    }
  }
  await closeQuietly(open.release(), QUEUE_LIMITS.connectMs);
}

/**
 * Starts to take jobs from the queue, each at most once at a time; never retries one.
 *
 * A killed process loses nothing: its jobs run again elsewhere within `QUEUE_LIMITS.recoveryMsMax` (see there for
 * BullMQ's stalled check) or, if the queue has lost them too, when the outbox dispatches their effects again.
 *
 * @throws QueueStartError
 */
export async function startWorker(parts: WorkerParts): Promise<QueueWorker> {
  const { backend, processor, log } = parts;
  const concurrency = parts.concurrency ?? QUEUE_LIMITS.concurrencyDefault;
  const runner = createJobRunner(processor, parts.slots ?? createSlots(concurrency), log);
  let state: WorkerState = 'starting';
  const enter = (next: WorkerState) => {
    state = next;
    log.info({ state, backend: backend.kind, concurrency }, `worker ${state}`);
  };

  let open: OpenWorker;
  try {
    open = await openWorker(backend, (job, token) => runner.run(job, token), {
      concurrency,
      log,
      shard: parts.shard ?? 0,
    });
  } catch (error) {
    enter('failed');
    throw error;
  }
  const ended = Promise.withResolvers<void>();
  // Callers that ignore the end can find it in the log.
  ended.promise.catch(() => undefined);
  open.worker.on('stalled', (jobId) => {
    log.warn({ job: jobId }, 'job was lost by its worker and runs again');
  });
  const fail = (error: Error) => {
    if (state !== 'running') return;
    enter('failed');
    log.error({ error: errorText(error) }, 'the loop of the worker has ended');
    ended.reject(error);
  };
  enter('running');
  const run = async (): Promise<void> => {
    try {
      await open.worker.run();
      fail(new Error('the worker has stopped taking jobs by itself'));
    } catch (error) {
      fail(asError(error));
    }
  };
  void run();

  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    if (state === 'running') enter('draining');
    await drainAndClose(open, runner, parts.drainMs ?? LIMITS.drainMs, log);
    if (state === 'draining') enter('stopped');
    ended.resolve();
  };
  return {
    get state() {
      return state;
    },
    get running() {
      return runner.running.size;
    },
    ended: ended.promise,
    stop: () => (stopping ??= stop()),
  };
}
