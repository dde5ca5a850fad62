import type { BackendFactory, IQueueBackend, JobProgress, JobsOptions, Processor } from 'bullmq';
import { Job, Queue, Worker } from 'bullmq';
import type { Io } from '../app/ports/io.ts';
import { bounded, closeQuietly } from './bounded.ts';
import type { EffectJob, JobData, PlacedJob } from './job.ts';
import { JOB_OPTIONS, SUBMIT_JOB, idOfJob, jobIdOf, placedJobs } from './job.ts';
import { QueueStartError, QueueUnavailableError } from './queue-error.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { complaintsTo } from './queue-log.ts';
import { queueNameOf } from './shards.ts';
import { errorText } from '../domain/error-text.ts';

/**
 * The store that BullMQ uses. `postgresBackend` and `redisBackend` return a backend after they have contacted and
 * prepared the server, so queues and workers can be created on any `QueueBackend`. The rest of this file is the same
 * for both.
 */
export interface QueueBackend {
  readonly kind: 'postgres' | 'redis';
  /**
   * How several jobs are added in one call: as `flows` of one job each, or in `bulk`. Flows are one PostgreSQL
   * statement. Bulk creates two temporary tables for each call, which costs ten times as much as a job and leaves many
   * dead rows in the system catalogue.
   */
  readonly adds: 'flows' | 'bulk';
  /**
   * Opens all connections that a queue or a worker will need.
   *
   * @param shard number of the shard, the first by default
   * @throws QueueStartError
   */
  connect(side: 'queue' | 'worker', log: QueueLog, shard?: number): Promise<QueueLink>;
}

/** The connections of one queue or one worker, opened and tested. */
export interface QueueLink {
  /** Gives the connections to BullMQ, for one `Queue` or `Worker`. */
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** Must be called with every failure. If a failure may come from damaged storage, the storage is checked. */
  heed(error: unknown): void;
  /** Closes connections that BullMQ leaves open; must be called after the queue or worker is closed. */
  release(): Promise<void>;
}

/** An effect to be put on the queue. */
export interface Dispatch extends EffectJob {
  /** Number of the effect's shard. @default the first */
  readonly shard?: number;
  /** Whether the effect goes before all waiting jobs, on the queue and in the worker. @default behind them */
  readonly isAhead?: boolean;
}

const optionsOf = ({ data, isAhead }: PlacedJob): JobsOptions => ({
  ...JOB_OPTIONS,
  jobId: idOfJob(data),
  ...(isAhead ? { lifo: true } : {}),
});

/** Puts work on the queue. */
export interface JobQueue {
  /**
   * Adds effects, several to a job. A job that already exists (with the same dispatches of the same effects) is not
   * changed. After a failure, some jobs may have been added.
   *
   * @param isApart one effect per job, for workers of earlier versions
   * @throws QueueUnavailableError if the store did not accept the jobs in time
   * @throws TypeError for an effect ID that is not safe in a job ID; then no job was added
   */
  add(effects: readonly Dispatch[], io: Io, isApart?: boolean): Promise<void>;
  /** Returns how many jobs are waiting and running, for health and metrics. */
  counts(io: Io): Promise<{ readonly waiting: number; readonly active: number }>;
  close(): Promise<void>;
}

type SubmitQueue = Queue<JobData, void, string, JobData, void, string, IQueueBackend, object>;
export type SubmitJob = Job<JobData, void>;
type SubmitWorker = Worker<JobData, void, string, IQueueBackend, JobProgress, object>;

/** Logs failures, and passes them to the link. */
function failuresTo(link: QueueLink, log: QueueLog, about: string): (error: unknown) => void {
  const complain = complaintsTo(log, about);
  return (error) => {
    complain(error);
    link.heed(error);
  };
}

const STREAMS = { events: { maxLen: QUEUE_LIMITS.eventsMax } } as const;

/**
 * Waits until the parts that BullMQ has created are usable; if one is not, closes all of them. BullMQ's PostgreSQL
 * backend never recovers from a failed start, and a worker on such a backend loops without a pause.
 */
async function readyOrReleased(
  what: string,
  built: { waitUntilReady(): Promise<unknown>; close(): Promise<void> },
  link: QueueLink,
): Promise<void> {
  try {
    await bounded(
      built.waitUntilReady(),
      { signal: new AbortController().signal, deadlineMs: QUEUE_LIMITS.startMs },
      () =>
        new QueueStartError(
          'QUEUE_START_TIMEOUT',
          `the ${what} was not ready within ${QUEUE_LIMITS.startMs} ms`,
        ),
    );
  } catch (error) {
    await closeQuietly(built.close(), QUEUE_LIMITS.connectMs);
    await closeQuietly(link.release(), QUEUE_LIMITS.connectMs);
    if (error instanceof QueueStartError) throw error;
    throw new QueueStartError(
      'QUEUE_UNREACHABLE',
      `cannot start the ${what}: ${errorText(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** BullMQ's own queue, and a function that closes it with its connections. */
interface RawQueue {
  readonly queue: SubmitQueue;
  heed(error: unknown): void;
  close(): Promise<void>;
}

/** @throws QueueStartError */
export async function openRawQueue(
  backend: QueueBackend,
  log: QueueLog,
  shard = 0,
): Promise<RawQueue> {
  const link = await backend.connect('queue', log, shard);
  const queue: SubmitQueue = new Queue(
    queueNameOf(shard),
    { connection: {}, defaultJobOptions: JOB_OPTIONS, streams: STREAMS },
    link.factory,
  );
  queue.on('error', failuresTo(link, log, 'queue'));
  await readyOrReleased('queue', queue, link);
  return {
    queue,
    heed: (error) => link.heed(error),
    async close() {
      await closeQuietly(queue.close(), QUEUE_LIMITS.connectMs);
      await closeQuietly(link.release(), QUEUE_LIMITS.connectMs);
    },
  };
}

/**
 * Adds each job as a flow without children.
 *
 * @throws the store's error for all jobs, because they are added in one statement
 */
async function addAsFlows(queue: SubmitQueue, jobs: readonly PlacedJob[]): Promise<void> {
  const entries = jobs.map((job) => {
    const jobId = idOfJob(job.data);
    const added = new Job(queue, SUBMIT_JOB, job.data, optionsOf(job), jobId);
    const { name: queueName, opts } = queue;
    const prefix = opts.prefix ?? '';
    return { jobData: added.asJSON(), jobId, parentKeyOpts: {}, prefix, queueName };
  });
  for (const [error] of await queue.getBackend().addFlow(entries)) {
    if (error !== null) throw error;
  }
}

/** @throws QueueStartError */
export async function openQueue(
  backend: QueueBackend,
  log: QueueLog,
  shard = 0,
): Promise<JobQueue> {
  const raw = await openRawQueue(backend, log, shard);
  const { queue } = raw;
  const addAll = async (jobs: readonly PlacedJob[]): Promise<void> => {
    if (backend.adds === 'flows') return addAsFlows(queue, jobs);
    await queue.addBulk(
      jobs.map((job) => ({ name: SUBMIT_JOB, data: job.data, opts: optionsOf(job) })),
    );
    return undefined;
  };
  return {
    async add(effects, io, isApart = false) {
      if (effects.length === 0) return;
      for (const effect of effects) jobIdOf(effect);
      const jobs = placedJobs(effects, isApart ? 1 : QUEUE_LIMITS.jobEffectsMax);
      try {
        await bounded(addAll(jobs), io, () => new Error(`no answer within ${io.deadlineMs} ms`));
      } catch (error) {
        raw.heed(error);
        throw new QueueUnavailableError(`the queue did not accept the jobs: ${errorText(error)}`, {
          cause: error,
        });
      }
    },
    async counts(io) {
      const counts = await bounded(
        queue.getJobCounts('waiting', 'active'),
        io,
        () => new QueueUnavailableError(`no answer within ${io.deadlineMs} ms`),
      ).catch((error: unknown) => {
        raw.heed(error);
        throw error;
      });
      return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0 };
    },
    close: () => raw.close(),
  };
}

export interface WorkerSettings {
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number;
  readonly log: QueueLog;
  readonly shard: number;
}

/** A connected worker that has not started taking jobs, and the links to release after it. */
export interface OpenWorker {
  readonly worker: SubmitWorker;
  release(): Promise<void>;
}

/** @throws QueueStartError */
export async function openWorker(
  backend: QueueBackend,
  run: Processor<JobData, void>,
  { concurrency, log, shard }: WorkerSettings,
): Promise<OpenWorker> {
  const link = await backend.connect('worker', log, shard);
  const worker: SubmitWorker = new Worker(
    queueNameOf(shard),
    run,
    {
      connection: {},
      // The worker is started only after it is known to be connected: see `readyOrReleased`.
      autorun: false,
      concurrency,
      lockDuration: QUEUE_LIMITS.lockMs,
      lockRenewTime: QUEUE_LIMITS.lockRenewMs,
      stalledInterval: QUEUE_LIMITS.stalledCheckMs,
      maxStalledCount: QUEUE_LIMITS.stalledCountMax,
      drainDelay: QUEUE_LIMITS.idlePollMs / 1_000,
      runRetryDelay: QUEUE_LIMITS.retryMs,
    },
    link.factory,
  );
  worker.on('error', failuresTo(link, log, 'worker'));
  await readyOrReleased('worker', worker, link);
  return { worker, release: () => link.release() };
}
