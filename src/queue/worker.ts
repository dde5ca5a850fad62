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
 * - `draining`: takes no new job; running jobs may finish until `LIMITS.drainMs`, then they are asked to stop and are
 *   returned to the queue.
 * - `stopped`: connections are closed; the process may exit with code 0.
 * - `failed`: could not start, or BullMQ's loop ended unexpectedly; the process should exit.
 */
type WorkerState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed';

/**
 * Processes one effect. `io.signal` fires when this process should no longer do the work.
 *
 * @param recorded the attempt, if it was started in the transaction that recorded the change
 */
export type EffectProcessor = (
  job: EffectJob,
  io: Io,
  onQueue: OnQueue,
  recorded?: RecordedAttempt,
) => Promise<void>;

/** A job, as it is on the queue. */
export interface OnQueue {
  readonly id: string;
  /** Wall time at which the job was added, by the clock of the process that added it. */
  readonly addedAtMs: number;
}

export interface QueueWorker {
  readonly state: WorkerState;
  /** Number of jobs in progress. */
  readonly running: number;
  /** Resolves once the worker has stopped; rejects if it fails after its start. */
  readonly ended: Promise<void>;
  /** Stops the worker, shortly after `LIMITS.drainMs` at the latest. Unfinished jobs are returned to the queue. */
  stop(): Promise<void>;
}

export interface WorkerParts {
  readonly backend: QueueBackend;
  readonly processor: EffectProcessor;
  readonly log: QueueLog;
  /** Maximum number of concurrent effects. @default `QUEUE_LIMITS.concurrencyDefault` */
  readonly concurrency?: number;
  /** Places for effects, if several workers share them. @default `concurrency` places for this worker */
  readonly slots?: Slots;
  /** Number of the worker's shard. @default the first */
  readonly shard?: number;
  readonly drainMs?: number;
}

/** The reason with which a job's signal is aborted; not an error of the work. */
class NotWantedError extends Error {
  override readonly name = 'NotWantedError';
}

interface RunningJob {
  readonly job: SubmitJob;
  readonly token: string;
  readonly abort: AbortController;
  /** The job's effects that have not ended. */
  readonly left: Set<EffectJob>;
}

/** Returns a job to the queue, without the effects that have already ended. */
async function handBack({ job, token, left }: RunningJob): Promise<void> {
  const [first, ...more] = left;
  if (first !== undefined && left.size < effectsOf(parseJob(job.data)).length) {
    await job.updateData(jobDataOf([first, ...more]));
  }
  await job.moveToWait(token);
}

/**
 * Runs jobs. Each effect of a job has its own place and ends separately: it finishes, it fails (which is logged; the
 * outbox dispatches the effect again), or it is returned to the queue. The job ends with its last effect.
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
        'job failed; the relay dispatches its effect again',
      );
    }
    left.delete(effect);
  }

  /** @throws TypeError for a job that Tenure did not add, which is logged */
  function effectsIn(job: SubmitJob): readonly EffectJob[] {
    try {
      return effectsOf(parseJob(job.data));
    } catch (error) {
      log.error(
        { job: job.id, error: errorText(error) },
        'job failed: its data does not come from Tenure',
      );
      throw error;
    }
  }

  async function run(job: SubmitJob, token = ''): Promise<void> {
    const effects = effectsIn(job);
    const entry = { job, token, abort: new AbortController(), left: new Set(effects) };
    // After this time the job's effects are dispatched again, and this run could only interfere.
    const overdue = setTimeout(() => {
      entry.abort.abort(new NotWantedError('the relay dispatches the effect again'));
    }, LIMITS.redispatchMs);
    running.add(entry);
    try {
      await Promise.all(effects.map((effect) => runEffect(effect, entry)));
      if (entry.left.size === 0) return;
      await handBack(entry);
      // Tells BullMQ that this worker does not finish the job.
      throw new WaitingError();
    } finally {
      clearTimeout(overdue);
      running.delete(entry);
    }
  }
  return {
    running,
    run,
    /** Asks running jobs to stop. */
    askBack(): void {
      handingBack = true;
      for (const { abort } of running) abort.abort(new NotWantedError('the worker is stopping'));
    },
    /** Returns to the queue the jobs that did not stop. */
    async takeBack(): Promise<void> {
      await Promise.allSettled([...running].map(handBack));
    },
  };
}

/** Takes no more jobs, lets running jobs finish or returns them to the queue, and closes the connections. */
async function drainAndClose(
  open: OpenWorker,
  runner: ReturnType<typeof createJobRunner>,
  drainMs: number,
  log: QueueLog,
): Promise<void> {
  // BullMQ's `close` waits for running jobs, renews their locks, and has no timeout.
  const closing = open.worker.close();
  if (!(await closeQuietly(closing, drainMs))) {
    log.warn({ jobs: runner.running.size }, 'jobs did not finish in time and return to the queue');
    runner.askBack();
    if (!(await closeQuietly(closing, QUEUE_LIMITS.handBackMs))) {
      await closeQuietly(runner.takeBack(), QUEUE_LIMITS.commandMs);
      await closeQuietly(open.worker.getBackend().close(true), QUEUE_LIMITS.connectMs);
    }
  }
  await closeQuietly(open.release(), QUEUE_LIMITS.connectMs);
}

/**
 * Starts to take jobs from the queue. A job runs only once at a time, and is never retried by BullMQ.
 *
 * If a process is killed, nothing is lost: its jobs run again in another process within `QUEUE_LIMITS.recoveryMsMax`
 * (see there for BullMQ's stalled check). If the queue has lost them as well, the outbox dispatches their effects
 * again.
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
  // Callers that do not handle `ended` can find the failure in the log.
  ended.promise.catch(() => undefined);
  open.worker.on('stalled', (jobId) => {
    log.warn({ job: jobId }, 'the worker of a job stopped responding, so the job runs again');
  });
  const fail = (error: Error) => {
    if (state !== 'running') return;
    enter('failed');
    log.error({ error: errorText(error) }, 'the loop of the worker has ended unexpectedly');
    ended.reject(error);
  };
  enter('running');
  const run = async (): Promise<void> => {
    try {
      await open.worker.run();
      fail(new Error('the worker has stopped taking jobs unexpectedly'));
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
