import { LeaseLostError, leased } from '../app/engine/lanes/leased.ts';
import type { Term } from '../app/engine/lanes/leased.ts';
import type { AuditChain } from '../app/ports/audit-chain.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import { EVENTS_LEASE } from '../app/ports/leases.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';

export interface SequencerDeps {
  readonly events: Pick<EventLog, 'number'>;
  /** Creates deliveries for numbered events, up to a bound: see `Deliveries`. */
  readonly fanOut?: (leaseEpoch: bigint, io: Io) => Promise<boolean | null>;
  /** Adds rows of the audit log to its hash chain after their commit. */
  readonly audit?: AuditChain;
  readonly leases: Leases;
  readonly log: Log;
  readonly random: () => number;
  /** The name of this process in the lease. */
  readonly holder: string;
}

export interface Sequencer {
  /** Ends the wait for work. Called when events have been committed. */
  wake(): void;
  /** Finishes the current batch and releases the lease. */
  stop(): Promise<void>;
}

interface Round {
  readonly deps: SequencerDeps;
  readonly term: Term;
  /** Woken when new events for webhooks have numbers. */
  readonly numbered: Wakeup;
}

/** Returns a wake-up that is already set, because there may be events from before the start. */
const awake = (): Wakeup => {
  const wakeup = new Wakeup();
  wakeup.wake();
  return wakeup;
};

const ioWithin = (signal: AbortSignal): Io => ({ signal, deadlineMs: LIMITS.databaseStatementMs });

async function numberAll({ deps, term, numbered }: Round, arrivals: Wakeup): Promise<void> {
  const { epoch, signal } = term;
  while (!signal.aborted) {
    const done = await deps.events.number(LIMITS.eventBatchMax, epoch, ioWithin(signal));
    if (done === null) throw new LeaseLostError();
    if (done.isForWebhooks) numbered.wake();
    if (done.count >= LIMITS.eventBatchMax) continue;
    // The pause lets the first events of an operation wait for its last ones. This saves a numbering under load.
    if (await arrivals.wait(OPS_LIMITS.eventLookMs, signal)) {
      await sleep(OPS_LIMITS.eventGatherMs, signal);
      arrivals.clear();
    }
  }
}

/**
 * Does work other than numbering, in rounds and concurrently with the numbering. Failed work is retried; only a lost
 * lease ends the term.
 */
async function beside(
  { deps, term: { signal } }: Round,
  due: Wakeup,
  failure: string,
  /** Returns whether more work is left; `null` if another process holds the lease. */
  work: (io: Io) => Promise<boolean | null>,
): Promise<void> {
  while (!signal.aborted) {
    await due.wait(OPS_LIMITS.eventLookMs, signal);
    try {
      for (let more: boolean | null = true; more && !signal.aborted;) {
        more = await work(ioWithin(signal));
        if (more === null) throw new LeaseLostError();
      }
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError) throw error;
      deps.log.warn({ error: String(error) }, failure);
      await sleep(OPS_LIMITS.eventLookMs, signal);
    }
  }
}

async function fanOutAll(round: Round): Promise<void> {
  const { fanOut } = round.deps;
  if (fanOut === undefined) return;
  const { epoch } = round.term;
  await beside(round, round.numbered, 'deliveries of new events could not be created', (io) =>
    fanOut(epoch, io),
  );
}

/**
 * Chains the audit log, and logs the end of the chain: a comparison with the log then shows if someone has replaced the
 * whole chain.
 */
async function chainAll(round: Round): Promise<void> {
  const { audit, log } = round.deps;
  if (audit === undefined) return;
  await beside(
    round,
    awake(),
    'new rows of the audit log could not be linked by hashes',
    async (io) => {
      const done = await audit.chain(OPS_LIMITS.auditChainedMax, round.term.epoch, io);
      if (done === null) return null;
      const { count, seq, hash } = done;
      if (count > 0)
        log.info({ count, seq: String(seq), hash }, 'linked rows of the audit log by hashes');
      return count === OPS_LIMITS.auditChainedMax;
    },
  );
}

/**
 * Numbers events in the process that holds the lease: shortly after each wake-up, and at least once per poll interval.
 * Events that are committed during the short delay are numbered together, so that many events need few commits.
 */
export function startSequencer(deps: SequencerDeps): Sequencer {
  const stopping = new AbortController();
  const arrivals = awake();
  const work = async (given: Term): Promise<void> => {
    const over = new AbortController();
    const signal = AbortSignal.any([given.signal, over.signal]);
    const round: Round = { deps, term: { ...given, signal }, numbered: awake() };
    const all = [numberAll(round, arrivals), fanOutAll(round), chainAll(round)];
    try {
      await Promise.all(all);
    } finally {
      over.abort();
      await Promise.allSettled(all);
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
      deps.log.warn({ error: String(error) }, 'new events could not be numbered'),
  };
  const done = leased(role, stopping.signal, work);
  return {
    wake: () => arrivals.wake(),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
