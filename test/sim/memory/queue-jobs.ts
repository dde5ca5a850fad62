import type { EffectJob, JobData, PlacedJob } from '../../../src/queue/job.ts';
import { idOfJob, jobDataOf } from '../../../src/queue/job.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import type { After } from './hooks.ts';
import type { QueueLine } from './queue-line.ts';

/** One run of a job by one worker. A worker whose run is not the newest has lost the job's lock. */
export interface Run {
  readonly id: string;
  readonly job: JobData;
  readonly isAhead: boolean;
  /** The connection of the process that runs the job. */
  readonly owner: QueueLine;
}

interface Waiting {
  /** The ID of the job. It does not change when a part of the job has ended. */
  readonly id: string;
  readonly job: JobData;
  readonly isAhead: boolean;
  /** How often workers have lost the job. */
  readonly losses: number;
}

export interface QueueJobsOptions {
  readonly after: After;
  readonly recoveryMs: () => number;
  /** Called when a job waits. */
  readonly onWork: () => void;
}

/**
 * The jobs of the queue, waiting or run by a worker. No job exists twice. If a job's lock is lost, the job waits again
 * after the recovery time, before all others.
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

  /** Gives the first waiting job to the owner to run; `null` if there is none. */
  take(owner: QueueLine): Run | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    const { id, job, isAhead, losses } = next;
    const run = { id, job, isAhead, owner };
    this.#active.set(id, { run, losses });
    return run;
  }

  /** Ends a run. @returns false if the lock has been lost; then nothing changes */
  finish(run: Run): boolean {
    const { id } = run;
    if (this.#active.get(id)?.run !== run) return false;
    this.#active.delete(id);
    this.#ids.delete(id);
    return true;
  }

  /** Returns those effects of a job that are not finished to the queue. */
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

  /**
   * Stops renewing the job's lock. If the job is not finished before the lock expires, it waits again after the
   * recovery time.
   */
  abandon(run: Run): void {
    this.#options.after(this.#options.recoveryMs(), () => this.lose(run));
  }

  /** Ends a lock that has expired. The job waits again; if it has been lost too often, it is dropped. */
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
