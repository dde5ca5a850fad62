import type { JobQueue } from '../../../src/queue/backend.ts';
import type { JobData } from '../../../src/queue/job.ts';
import { jobIdOf, placedJobs } from '../../../src/queue/job.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import type { QueueWorker } from '../../../src/queue/worker.ts';
import type { After, Hooks } from './hooks.ts';
import { QueueJobs } from './queue-jobs.ts';
import { QueueLine } from './queue-line.ts';
import type { MemoryWorkerParts } from './queue-worker.ts';
import { MemoryWorker } from './queue-worker.ts';

export interface MemoryQueueOptions {
  /** The timers of the queue server's machine. */
  readonly after: After;
  /** How long after the death of its worker a job waits again. @default the longest time that the queue promises */
  readonly recoveryMs?: () => number;
  /** Notifies a worker that a job waits: now, later or never. @default at once */
  readonly deliver?: (to: string, hand: () => void) => void;
}

/** The connection of one simulated process to the queue, from its start to its end. */
export interface MemoryQueueConnection {
  readonly process: string;
  readonly queue: JobQueue;
  startWorker(parts: MemoryWorkerParts): QueueWorker;
  /** Ends the process. Its jobs wait again after the recovery time, and none of its calls is ever answered. */
  kill(): void;
}

export interface MemoryQueue {
  /** Connects a process, which may have the name of a process that is dead. */
  connect(process: string, hooks?: Hooks): MemoryQueueConnection;
  /** Kills every process of this name that is alive. */
  kill(process: string): void;
  /** Deletes all jobs, as if Redis had lost its memory. Runs in progress continue. */
  wipe(): void;
  /**
   * Makes the locks of a living process's jobs expire. The jobs wait again at once, and other processes run them as
   * well.
   */
  loseLocks(process: string): void;
  readonly waiting: readonly JobData[];
  readonly active: readonly { readonly job: JobData; readonly process: string }[];
}

const queueOf = (line: QueueLine, jobs: QueueJobs): JobQueue => ({
  async add(added, io) {
    if (added.length === 0) return;
    for (const job of added) jobIdOf(job);
    await line.call('queue.add', io, () => {
      for (const job of placedJobs(added, QUEUE_LIMITS.jobEffectsMax)) jobs.add(job);
    });
  },
  counts: (io) =>
    line.call('queue.counts', io, () => ({
      waiting: jobs.waiting.length,
      active: jobs.active.length,
    })),
  close: async () => undefined,
});

/**
 * The queue in memory, as relay and workers use it. It contains each dispatch once, lost jobs run again, and a wipe
 * deletes everything. All simulated processes use the same one.
 */
export function createMemoryQueue(options: MemoryQueueOptions): MemoryQueue {
  const deliver = options.deliver ?? ((_to: string, hand: () => void) => hand());
  const workers = new Set<MemoryWorker>();
  const lines = new Set<QueueLine>();
  const jobs = new QueueJobs({
    after: options.after,
    recoveryMs: options.recoveryMs ?? (() => QUEUE_LIMITS.lockMs + QUEUE_LIMITS.stalledCheckMs),
    onWork() {
      for (const worker of workers) deliver(worker.line.process, () => worker.wake());
    },
  });
  const bury = (line: QueueLine): void => {
    line.kill();
    lines.delete(line);
    for (const run of jobs.active) if (run.owner === line) jobs.abandon(run);
    for (const worker of workers) {
      if (worker.line !== line) continue;
      worker.bury();
      workers.delete(worker);
    }
  };
  return {
    connect(process, hooks = {}) {
      const line = new QueueLine(process, hooks);
      lines.add(line);
      return {
        process,
        queue: queueOf(line, jobs),
        startWorker(parts) {
          const worker = new MemoryWorker(parts, {
            jobs,
            line,
            after: hooks.after ?? options.after,
          });
          workers.add(worker);
          void worker.ended.then(() => workers.delete(worker));
          return worker;
        },
        kill: () => bury(line),
      };
    },
    kill(process) {
      for (const line of lines) if (line.process === process) bury(line);
    },
    wipe: () => jobs.wipe(),
    loseLocks(process) {
      for (const run of jobs.active) if (run.owner.process === process) jobs.lose(run);
    },
    get waiting() {
      return jobs.waiting;
    },
    get active() {
      return jobs.active.map(({ job, owner }) => ({ job, process: owner.process }));
    },
  };
}
