import type { Term } from '../app/engine/lanes/leased.ts';
import { LeaseLostError, leased } from '../app/engine/lanes/leased.ts';
import type { Log } from '../app/ports/io.ts';
import type { Leases } from '../app/ports/leases.ts';
import { SCHEDULER_LEASE } from '../app/ports/leases.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { backoffMs } from '../app/engine/outcomes/decide.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';

/** A task of the process that holds the lease of the scheduler. */
export interface Duty {
  /** The name of the task in the log. */
  readonly name: string;
  /** Runs until the term ends. Its writes name the term's epoch, so that a process without the lease writes nothing. */
  run(term: Term): Promise<void>;
}

export interface SchedulerDeps {
  readonly leases: Leases;
  readonly log: Log;
  readonly random: () => number;
  /** The name of this process in the lease. */
  readonly holder: string;
  readonly duties: readonly Duty[];
}

export interface Scheduler {
  /** Finishes the current work and releases the lease. */
  stop(): Promise<void>;
}

/** Runs a duty, and restarts it after a failure without ending other duties. Only a lost lease ends all duties. */
async function perform(deps: SchedulerDeps, duty: Duty, term: Term): Promise<void> {
  for (let failures = 0; !term.signal.aborted;) {
    const beganMs = performance.now();
    try {
      await duty.run(term);
      return;
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      if (term.signal.aborted) return;
      failures = performance.now() - beganMs > OPS_LIMITS.dutyLastedMs ? 1 : failures + 1;
      deps.log.warn(
        { duty: duty.name, error: String(error) },
        'a periodic task failed and starts again',
      );
    }
    const pauseMs = backoffMs(failures, deps.random());
    await sleep(pauseMs, term.signal);
  }
}

/** Runs all time-driven duties in the process that holds their lease; the other processes stand by. */
export function startScheduler(deps: SchedulerDeps): Scheduler {
  const stopping = new AbortController();
  const role = {
    leases: deps.leases,
    name: SCHEDULER_LEASE,
    holder: deps.holder,
    ttlMs: LIMITS.leaseMs,
    random: deps.random,
    onStandby: () => undefined,
    onFailure: (error: unknown) =>
      deps.log.warn({ error: String(error) }, 'the heartbeat of this process was late'),
  };
  const done = leased(role, stopping.signal, async (term) => {
    // When the first duty ends, the others are stopped.
    const over = new AbortController();
    const within = { epoch: term.epoch, signal: AbortSignal.any([term.signal, over.signal]) };
    const performed = deps.duties.map((duty) =>
      perform(deps, duty, within).finally(() => over.abort()),
    );
    const [failed] = (await Promise.allSettled(performed)).filter(
      (each) => each.status === 'rejected',
    );
    if (failed !== undefined) throw failed.reason;
  });
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
