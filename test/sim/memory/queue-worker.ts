import { errorText } from '../../../src/domain/error-text.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { EffectJob } from '../../../src/queue/job.ts';
import { effectsOf } from '../../../src/queue/job.ts';
import type { QueueLog } from '../../../src/queue/queue-log.ts';
import type { Slots } from '../../../src/queue/turns.ts';
import { createSlots } from '../../../src/queue/turns.ts';
import type { EffectProcessor, QueueWorker } from '../../../src/queue/worker.ts';
import type { After } from './hooks.ts';
import type { QueueJobs, Run } from './queue-jobs.ts';
import type { QueueLine } from './queue-line.ts';

/** The arguments of `startWorker`, without the backend. */
export interface MemoryWorkerParts {
  readonly processor: EffectProcessor;
  readonly log?: QueueLog;
  readonly concurrency?: number;
  readonly slots?: Slots;
  readonly drainMs?: number;
}

interface Surroundings {
  readonly jobs: QueueJobs;
  readonly line: QueueLine;
  /** The timers of the process; if it has none, those of the world. */
  readonly after: After;
}

interface Running {
  readonly run: Run;
  readonly abort: AbortController;
  /** The effects of the job that have not ended. */
  readonly left: Set<EffectJob>;
}

const NO_LOG: QueueLog = { info() {}, warn() {}, error() {} };

/** Takes jobs and runs the processor on them: what `src/queue/worker.ts` and BullMQ do together. */
export class MemoryWorker implements QueueWorker {
  readonly ended: Promise<void>;
  readonly #parts: MemoryWorkerParts;
  readonly #log: QueueLog;
  readonly #around: Surroundings;
  readonly #running = new Set<Running>();
  readonly #slots: Slots;
  readonly #ended = Promise.withResolvers<void>();
  #state: QueueWorker['state'] = 'running';
  #taking = false;
  #wokenMeanwhile = false;
  #handingBack = false;
  #cancelPoll: () => void = () => undefined;
  #onQuiet: () => void = () => undefined;
  #stopping: Promise<void> | null = null;

  constructor(parts: MemoryWorkerParts, around: Surroundings) {
    this.#parts = parts;
    this.#log = parts.log ?? NO_LOG;
    this.#around = around;
    this.#slots = parts.slots ?? createSlots(parts.concurrency ?? QUEUE_LIMITS.concurrencyDefault);
    this.ended = this.#ended.promise;
    this.#say();
    this.wake();
  }

  get state(): QueueWorker['state'] {
    return this.#state;
  }

  get running(): number {
    return this.#running.size;
  }

  get line(): QueueLine {
    return this.#around.line;
  }

  /** Tells the worker that a job may be waiting. */
  wake(): void {
    this.#wokenMeanwhile = true;
    if (this.#taking || this.#state !== 'running' || this.#around.line.isKilled) return;
    void this.#takeAll();
  }

  /** Called when the process is dead. The worker does nothing after this. */
  bury(): void {
    this.#cancelPoll();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  #say(): void {
    const { concurrency = QUEUE_LIMITS.concurrencyDefault } = this.#parts;
    const state = this.#state;
    this.#log.info({ state, backend: 'memory', concurrency }, `worker ${state}`);
  }

  /**
   * Takes jobs as long as one waits and a slot is free. Checks again when it is woken, when a slot becomes free, and
   * periodically.
   */
  async #takeAll(): Promise<void> {
    const { concurrency = QUEUE_LIMITS.concurrencyDefault } = this.#parts;
    this.#taking = true;
    this.#cancelPoll();
    let pauseMs: number = QUEUE_LIMITS.idlePollMs;
    try {
      do {
        this.#wokenMeanwhile = false;
        while (this.#state === 'running' && this.#running.size < concurrency) {
          const run = await this.#take();
          if (run === null) break;
          void this.#work(run);
        }
      } while (this.#wokenMeanwhile && this.#running.size < concurrency);
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'the queue gave no job');
      pauseMs = QUEUE_LIMITS.retryMs;
    }
    this.#taking = false;
    this.#checkQuiet();
    if (this.#state !== 'running') return;
    this.#cancelPoll = this.#around.after(pauseMs, () => this.wake());
  }

  async #take(): Promise<Run | null> {
    const { line, jobs } = this.#around;
    await line.step('queue.take', 'before');
    const run = jobs.take(line);
    if (run === null) return null;
    try {
      await line.step('queue.take', 'after');
      return run;
    } catch (error) {
      // If the worker does not get the answer, it does not renew the job's lock any more.
      jobs.abandon(run);
      throw error;
    }
  }

  async #work(run: Run): Promise<void> {
    const abort = new AbortController();
    const entry = { run, abort, left: new Set(effectsOf(run.job)) };
    this.#running.add(entry);
    // After this time, the job's effects are dispatched again, and this run could only get in the way.
    const cancelOverdue = this.#around.after(LIMITS.redispatchMs, () =>
      abort.abort(new Error('the relay dispatches the effect again')),
    );
    await Promise.all([...entry.left].map((effect) => this.#runEffect(effect, entry)));
    cancelOverdue();
    await this.#finish(entry);
    this.#running.delete(entry);
    this.#checkQuiet();
    this.wake();
  }

  async #runEffect(effect: EffectJob, { run, abort, left }: Running): Promise<void> {
    const io = { signal: abort.signal, deadlineMs: LIMITS.submitDeadlineMs };
    try {
      const giveBack = await this.#slots.take(abort.signal, run.isAhead);
      try {
        await this.#parts.processor(effect, io, { id: run.id, addedAtMs: 0 });
      } finally {
        giveBack();
      }
    } catch (error) {
      if (this.#handingBack && abort.signal.aborted) return;
      this.#log.error(
        { job: run.id, effectId: effect.effectId, error: errorText(error) },
        'job failed; the relay dispatches its effect again',
      );
    }
    left.delete(effect);
  }

  async #finish({ run, left }: Running): Promise<void> {
    const { line, jobs } = this.#around;
    try {
      await line.step('queue.finish', 'before');
      if (left.size > 0) jobs.handBack(run, left);
      else jobs.finish(run);
      await line.step('queue.finish', 'after');
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, 'the queue did not hear how a job ended');
      jobs.abandon(run);
    }
  }

  #checkQuiet(): void {
    if (this.#running.size === 0 && !this.#taking) this.#onQuiet();
  }

  /** Waits for the end of all runs, at most for this number of milliseconds. Returns whether all have ended. */
  #quietWithin(ms: number): Promise<boolean> {
    if (this.#running.size === 0 && !this.#taking) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#around.after(ms, () => resolve(false));
      this.#onQuiet = () => {
        cancel();
        resolve(true);
      };
    });
  }

  /** Stops taking jobs. Lets running jobs finish, or returns them to the queue. */
  async #drain(): Promise<void> {
    this.#state = 'draining';
    this.#say();
    this.#cancelPoll();
    if (!(await this.#quietWithin(this.#parts.drainMs ?? LIMITS.drainMs))) {
      this.#log.warn(
        { jobs: this.#running.size },
        'jobs did not finish in time and return to the queue',
      );
      this.#handingBack = true;
      for (const { abort } of this.#running) abort.abort(new Error('the worker is stopping'));
      if (!(await this.#quietWithin(QUEUE_LIMITS.handBackMs))) {
        for (const { run, left } of this.#running) this.#around.jobs.handBack(run, left);
      }
    }
    this.#state = 'stopped';
    this.#say();
    this.#ended.resolve();
  }
}
