import type { EffectJob, JobData, PlacedJob } from '../../../src/queue/job.ts';
import { idOfJob, jobDataOf } from '../../../src/queue/job.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import type { After } from './hooks.ts';
import type { QueueLine } from './queue-line.ts';

/** One run of a job by one worker. A worker with an older run, or without a run, has lost the lock. */
export interface Run {
  readonly id: string;
  readonly job: JobData;
  readonly isAhead: boolean;
  /** The connection of the process that runs the job. */
  readonly owner: QueueLine;
}

interface Waiting {
  /** The ID stays the same when a part of the job has ended. */
  readonly id: string;
  readonly job: JobData;
  readonly isAhead: boolean;
  /** How often a worker has lost the job. */
  readonly losses: number;
}

export interface QueueJobsOptions {
  readonly after: After;
  readonly recoveryMs: () => number;
  /** Called when a job is waiting. */
  readonly onWork: () => void;
}

/**
 * The jobs of the queue, waiting or run by a worker. Each job exists once; when its lock is lost it waits again after
 * the recovery time, ahead of all others.
 */
export class QueueJobs {
  readonly #options: QueueJobsOptions;
  #waiting: Waiting[] = [];
  readonly #ids = new Set<string>();
  readonly #active = new Map<string, { readonly run: Run; readonly losses: number }>();

  constructor(options: QueueJobsOptions) {
    this.#options = options;
  }

  get waiting(): readonly JobData[] {
    return this.#waiting.map(({ job }) => job);
  }

  get active(): readonly Run[] {
    return [...this.#active.values()].map(({ run }) => run);
  }

  /** Adds a job unless it exists already. */
  add({ data: job, isAhead }: PlacedJob): void {
    const id = idOfJob(job);
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const waiting = { id, job, isAhead, losses: 0 };
    if (isAhead) this.#waiting.unshift(waiting);
    else this.#waiting.push(waiting);
    this.#options.onWork();
  }

  /** Gives the first job to the owner, to run it. */
  take(owner: QueueLine): Run | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    const { id, job, isAhead, losses } = next;
    const run = { id, job, isAhead, owner };
    this.#active.set(id, { run, losses });
    return run;
  }

  /** Ends a run. @returns false, without any change, if the lock has been lost */
  finish(run: Run): boolean {
    const { id } = run;
    if (this.#active.get(id)?.run !== run) return false;
    this.#active.delete(id);
    this.#ids.delete(id);
    return true;
  }

  /** Returns the unfinished effects of a job to the queue. */
  handBack(run: Run, left: Iterable<EffectJob>): void {
    const { id, isAhead } = run;
    const entry = this.#active.get(id);
    const [first, ...more] = left;
    if (entry?.run !== run || first === undefined) return;
    this.#active.delete(id);
    const job = jobDataOf([first, ...more]);
    this.#waiting.unshift({ id, job, isAhead, losses: entry.losses });
    this.#options.onWork();
  }

  /** Stops renewing the job's lock: unless the job is finished by then, it waits again after the recovery time. */
  abandon(run: Run): void {
    this.#options.after(this.#options.recoveryMs(), () => this.lose(run));
  }

  /** Ends an expired lock: the job waits again, or is dropped if it has been lost too often. */
  lose(run: Run): void {
    const { id, job, isAhead } = run;
    const entry = this.#active.get(id);
    if (entry?.run !== run) return;
    this.#active.delete(id);
    const losses = entry.losses + 1;
    if (losses > QUEUE_LIMITS.stalledCountMax) {
      this.#ids.delete(id);
      return;
    }
    this.#waiting.unshift({ id, job, isAhead, losses });
    this.#options.onWork();
  }

  wipe(): void {
    this.#waiting = [];
    this.#active.clear();
    this.#ids.clear();
  }
}
