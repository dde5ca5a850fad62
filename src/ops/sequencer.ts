import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLostError, leased } from '../app/leased.ts';
import type { Term } from '../app/leased.ts';
import type { EventLog, Io, Leases, Log } from '../app/ports.ts';
import { EVENTS_LEASE } from '../app/ports.ts';
import { LIMITS } from '../domain/limits.ts';
import { Bell } from './bell.ts';

export interface SequencerDeps {
  readonly events: Pick<EventLog, 'number'>;
  /** Makes deliveries of what has been numbered, after each batch: those who follow events have been told by then. */
  readonly fanOut?: (leaseEpoch: bigint, io: Io) => Promise<boolean | null>;
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

async function fanOutAll({ fanOut }: SequencerDeps, epoch: bigint, io: Io): Promise<void> {
  if (fanOut === undefined) return;
  for (;;) {
    const more = await fanOut(epoch, io);
    if (more === null) throw new LeaseLostError();
    if (!more || io.signal.aborted) return;
  }
}

/**
 * Gives events their numbers, in whichever process holds the lease: as soon as it is woken, and at least every poll
 * interval. What is committed within one gathering interval is numbered together, so that the numbering of many costs
 * few commits.
 */
export function startSequencer(deps: SequencerDeps): Sequencer {
  const stopping = new AbortController();
  const bell = new Bell();
  const work = async ({ epoch, signal }: Term): Promise<void> => {
    let isFirst = true;
    while (!signal.aborted) {
      const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
      const numbered = await deps.events.number(LIMITS.eventBatchMax, epoch, io);
      if (numbered === null) throw new LeaseLostError();
      if (numbered > 0 || isFirst) await fanOutAll(deps, epoch, io);
      isFirst = false;
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
