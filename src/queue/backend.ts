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
 * The store below BullMQ. Made by `postgresBackend` or `redisBackend`, which have spoken to the server and prepared it,
 * so a `QueueBackend` in hand means that queues and workers may be built. Everything else here is the same for both.
 */
export interface QueueBackend {
  readonly kind: 'postgres' | 'redis';
  /**
   * How many jobs are added in one call: `flows` of one job each, or in `bulk`. Flows are one statement of PostgreSQL,
   * where bulk creates two temporary tables for each call: that costs ten times a job, and churns the system catalogue.
   */
  readonly adds: 'flows' | 'bulk';
  /**
   * Opens all connections that a queue or a worker will need.
   *
   * @param shard the first unless told
   * @throws QueueStartError
   */
  connect(side: 'queue' | 'worker', log: QueueLog, shard?: number): Promise<QueueLink>;
}

/** The connections of one queue or one worker, open and tried. */
export interface QueueLink {
  /** Hands the connections to BullMQ. For one `Queue` or `Worker`. */
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** Told of everything that fails: what may be the store's fault is mended. */
  heed(error: unknown): void;
  /** Closes what BullMQ does not close itself; after the queue or worker is closed. */
  release(): Promise<void>;
}

/** An effect that is to be put on the queue. */
export interface Dispatch extends EffectJob {
  /** Which of the queues; the first unless told. */
  readonly shard?: number;
  /** Before all that waits, on the queue and in the worker; behind it unless told. */
  readonly isAhead?: boolean;
}

const optionsOf = ({ data, isAhead }: PlacedJob): JobsOptions => ({
  ...JOB_OPTIONS,
  jobId: idOfJob(data),
  ...(isAhead ? { lifo: true } : {}),
});

/** The side that puts work on the queue. */
export interface JobQueue {
  /**
   * Adds effects, several to a job; a job that is already there (the same dispatches of the same effects) is left as it
   * is. After a failure some of them may be there.
   *
   * @param isApart each in a job of its own, as workers of earlier versions know them
   * @throws QueueUnavailableError when the store did not take them in time
   * @throws TypeError for an id that is not safe as a job id; then none was added
   */
  add(effects: readonly Dispatch[], io: Io, isApart?: boolean): Promise<void>;
  /** How many jobs wait and run, for health and metrics. */
  counts(io: Io): Promise<{ readonly waiting: number; readonly active: number }>;
  close(): Promise<void>;
}

type SubmitQueue = Queue<JobData, void, string, JobData, void, string, IQueueBackend, object>;
export type SubmitJob = Job<JobData, void>;
type SubmitWorker = Worker<JobData, void, string, IQueueBackend, JobProgress, object>;

/** Failures are said, and heeded. */
function failuresTo(link: QueueLink, log: QueueLog, about: string): (error: unknown) => void {
  const complain = complaintsTo(log, about);
  return (error) => {
    complain(error);
    link.heed(error);
  };
}

const STREAMS = { events: { maxLen: QUEUE_LIMITS.eventsMax } } as const;

/**
 * Makes sure that what BullMQ has built is usable, or that nothing of it is left: its PostgreSQL backend remembers a
 * failed start for ever, and a worker on such a backend turns without pause.
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

/** BullMQ's own queue, and how to close it with its connections. */
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
 * Each job is a flow of its own, without children.
 *
 * @throws what the store said, for all of them: they are added in one statement
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
        throw new QueueUnavailableError(`the queue took no jobs: ${errorText(error)}`, {
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
  /** Jobs at a time. */
  readonly concurrency: number;
  readonly log: QueueLog;
  readonly shard: number;
}

/** A worker that is connected and has not begun to take jobs, and the links to release after it. */
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
      // Not before it is known to be connected: see `readyOrReleased`.
      autorun: false,
      concurrency,
      lockDuration: QUEUE_LIMITS.lockMs,
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
