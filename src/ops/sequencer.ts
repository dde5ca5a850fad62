import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLostError, leased } from '../app/leased.ts';
import type { Term } from '../app/leased.ts';
import type { EventLog, Io, Leases, Log } from '../app/ports.ts';
import { EVENTS_LEASE } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';

export interface SequencerDeps {
  readonly events: Pick<EventLog, 'number'>;
  /** After each batch of numbers, under the same lease. Those who follow events have been told by then. */
  readonly onNumbered?: (io: Io) => Promise<void>;
  readonly leases: Leases;
  readonly log: Log;
  readonly random: () => number;
  /** Names this process in the lease. */
  readonly holder: string;
}

export interface Sequencer {
  /** Events have been committed. */
  wake(): void;
  /** Finishes the batch in hand and gives the lease back. */
  stop(): Promise<void>;
}

/** Rings until somebody has heard. */
class Wakeable {
  #ring: () => void = () => undefined;
  #isRung = true;

  wake(): void {
    this.#isRung = true;
    this.#ring();
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung) {
      const over = new AbortController();
      this.#ring = () => over.abort();
      const any = AbortSignal.any([over.signal, signal]);
      await sleep(ms, undefined, { signal: any }).catch(() => undefined);
    }
    this.#isRung = false;
  }
}

/**
 * Gives events their numbers, in whichever process holds the lease: as soon as it is woken, and at least every poll
 * interval. What is committed within one gathering interval is numbered together, so that the numbering of many costs
 * few commits.
 */
export function startSequencer(deps: SequencerDeps): Sequencer {
  const stopping = new AbortController();
  const bell = new Wakeable();
  const work = async ({ epoch, signal }: Term): Promise<void> => {
    while (!signal.aborted) {
      const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
      const numbered = await deps.events.number(LIMITS.eventBatchMax, epoch, io);
      if (numbered === null) throw new LeaseLostError();
      if (numbered > 0) await deps.onNumbered?.(io);
      if (numbered === LIMITS.eventBatchMax) continue;
      await sleep(LIMITS.eventGatherMs, undefined, { signal }).catch(() => undefined);
      await bell.wait(LIMITS.eventPollMs, signal);
    }
  };
  const role = {
    leases: deps.leases,
    name: EVENTS_LEASE,
    holder: deps.holder,
    ttlMs: LIMITS.leaseMs,
    random: deps.random,
    onStandby: () => undefined,
    onFailure: (error: unknown) =>
      deps.log.warn({ error: String(error) }, 'events could not be numbered'),
  };
  const done = leased(role, stopping.signal, work);
  return {
    wake: () => bell.wake(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
