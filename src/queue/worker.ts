import { WaitingError } from 'bullmq';
import type { Io } from '../app/ports/io.ts';
import { asError, errorText } from '../domain/error-text.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { OpenWorker, QueueBackend, SubmitJob } from './backend.ts';
import { openWorker } from './backend.ts';
import { closeQuietly } from './bounded.ts';
import type { EffectJob } from './job.ts';
import { parseEffectJob } from './job.ts';
import type { QueueLog } from './queue-log.ts';

/**
 * - `starting`: connecting; no job is taken.
 * - `running`: taking jobs.
 * - `draining`: no new job is taken; running jobs may finish until `LIMITS.drainMs`, then they are told to give up and
 *   handed back to the queue.
 * - `stopped`: connections closed; the process may exit 0.
 * - `failed`: it could not start, or BullMQ's loop ended by itself; the process should end.
 */
type WorkerState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed';

/** Does the work of one job. `io.signal` ends when the work is no longer wanted here. */
export type EffectProcessor = (job: EffectJob, io: Io, onQueue: OnQueue) => Promise<void>;

/** A job as the queue knows it. */
export interface OnQueue {
  readonly id: string;
  /** Wall time of the process that put it there. */
  readonly addedAtMs: number;
}

export interface QueueWorker {
  readonly state: WorkerState;
  /** Jobs being worked on now. */
  readonly running: number;
  /** Resolves once stopped; rejects when it fails after the start. */
  readonly ended: Promise<void>;
  /** Ends within `LIMITS.drainMs` and a moment. Jobs that did not finish are on the queue again. */
  stop(): Promise<void>;
}

export interface WorkerParts {
  readonly backend: QueueBackend;
  readonly processor: EffectProcessor;
  readonly log: QueueLog;
  /** Jobs at a time, default `QUEUE_LIMITS.concurrencyDefault`. */
  readonly concurrency?: number;
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
}

/**
 * Jobs that run now, and how each ends: it finishes, it fails (which is logged and not repeated: the outbox dispatches
 * the effect again), or it is handed back.
 */
function createJobRunner(processor: EffectProcessor, log: QueueLog) {
  const running = new Set<RunningJob>();
  let handingBack = false;

  async function end(error: unknown, entry: RunningJob): Promise<never> {
    const { job, token } = entry;
    if (handingBack && entry.abort.signal.aborted) {
      await job.moveToWait(token);
      // Tells BullMQ that the job is no longer ours to finish.
      throw new WaitingError();
    }
    log.error(
      { job: job.id, error: errorText(error) },
      'job failed; its effect is dispatched again',
    );
    throw error;
  }
  return {
    running,
    async run(job: SubmitJob, token = ''): Promise<void> {
      const abort = new AbortController();
      const entry = { job, token, abort };
      // By then its effect is dispatched again, and this run can only be in the way.
      const overdue = setTimeout(() => {
        abort.abort(new NotWantedError('the effect is dispatched again'));
      }, LIMITS.redispatchMs);
      running.add(entry);
      try {
        await processor(
          parseEffectJob(job.data),
          { signal: abort.signal, deadlineMs: LIMITS.submitDeadlineMs },
          { id: job.id ?? '', addedAtMs: job.timestamp },
        );
      } catch (error) {
        await end(error, entry);
      } finally {
        clearTimeout(overdue);
        running.delete(entry);
      }
    },
    /** Tells the jobs that still run to give up. */
    askBack(): void {
      handingBack = true;
      for (const { abort } of running) abort.abort(new NotWantedError('the worker is stopping'));
    },
    /** Gives the queue the jobs that did not listen, from under them. */
    async takeBack(): Promise<void> {
      await Promise.allSettled([...running].map(({ job, token }) => job.moveToWait(token)));
    },
  };
}

/** Stops taking jobs, lets the running ones finish or hands them back, and closes. */
async function drainAndClose(
  open: OpenWorker,
  runner: ReturnType<typeof createJobRunner>,
  drainMs: number,
  log: QueueLog,
): Promise<void> {
  // Closing waits for running jobs, keeps their locks meanwhile, and has no bound of its own.
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
 * A process that is killed loses nothing: its jobs run again elsewhere within `QUEUE_LIMITS.recoveryMsMax` (BullMQ's
 * stalled check, whose times are explained there), or where the queue has lost them too, when the outbox dispatches
 * their effects again.
 *
 * @throws QueueStartError
 */
export async function startWorker(parts: WorkerParts): Promise<QueueWorker> {
  const { backend, processor, log } = parts;
  const concurrency = parts.concurrency ?? QUEUE_LIMITS.concurrencyDefault;
  const runner = createJobRunner(processor, log);
  let state: WorkerState = 'starting';
  const enter = (next: WorkerState) => {
    state = next;
    log.info({ state, backend: backend.kind, concurrency }, `worker ${state}`);
  };

  let open: OpenWorker;
  try {
    open = await openWorker(backend, (job, token) => runner.run(job, token), concurrency, log);
  } catch (error) {
    enter('failed');
    throw error;
  }
  const ended = Promise.withResolvers<void>();
  // Whoever does not ask how it ended has seen it in the log.
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
