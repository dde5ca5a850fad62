import { setTimeout as sleep } from 'node:timers/promises';
import { applyLedger } from '../app/apply-ledger.ts';
import { LeaseLostError, leased } from '../app/leased.ts';
import type { Term } from '../app/leased.ts';
import type {
  Io,
  LedgerClock,
  LedgerGateway,
  LedgerStreams,
  Leases,
  Log,
  Signals,
  Store,
  WallClock,
} from '../app/ports.ts';
import { PROJECTOR_LEASE, UPDATES_STREAM, completionsStream } from '../app/ports.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { CompletionElement } from '../domain/ledger.ts';
import { LIMITS } from '../domain/limits.ts';
import { isoToMs } from '../domain/time.ts';
import { batchOf, readDuplicates, readLedgerEnds } from './batch.ts';
import type { BootstrapDeps } from './bootstrap.ts';
import { ForeignLedgerError, join, prepare } from './bootstrap.ts';
import type { StreamElement } from './inbox.ts';
import { Inbox } from './inbox.ts';
import type { PumpDeps, PumpSource } from './stream-pump.ts';
import { pump } from './stream-pump.ts';

export interface ProjectorDeps {
  readonly store: Store;
  readonly leases: Leases;
  readonly streams: LedgerStreams;
  readonly gateway: LedgerGateway;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly signals: Signals;
  readonly log: Log;
  readonly random: () => number;
  /** Names this process in the lease. */
  readonly holder: string;
}

/**
 * - `starting`: not yet holder of the lease.
 * - `standby`: another process is the projector; this one takes over when its lease runs out.
 * - `preparing`: comparing the store with the ledger, or filling it.
 * - `following`: applying the streams.
 * - `failed`: cannot go on without a person; `reason` says why.
 * - `stopped`: ended on request.
 */
export type ProjectorState =
  | 'starting'
  | 'standby'
  | 'preparing'
  | 'following'
  | 'failed'
  | 'stopped';

export interface ProjectorStatus {
  readonly state: ProjectorState;
  readonly reason: string | null;
  /** Streams that are not open now, with the reason of the last break. */
  readonly broken: ReadonlyMap<string, string>;
  readonly cursors: ReadonlyMap<string, bigint>;
}

export interface Projector {
  status(): ProjectorStatus;
  /** Finishes the batch in hand and gives the lease back. */
  stop(): Promise<void>;
}

const INBOX_CAPACITY = 4 * LIMITS.batchElementsMax;
/** Between tries to follow a participant that is away. */
const JOIN_MS = 2_000;
/** How often what waits is looked for while nothing arrives. */
const LOOK_MS = 1_000;

class RunningProjector implements Projector {
  readonly #deps: ProjectorDeps;
  readonly #stopping = new AbortController();
  readonly #broken = new Map<string, string>();
  readonly #done: Promise<void>;
  #state: ProjectorState = 'starting';
  #reason: string | null = null;
  readonly #cursors = new Map<string, bigint>();

  constructor(deps: ProjectorDeps) {
    this.#deps = deps;
    this.#done = this.#run();
  }

  status(): ProjectorStatus {
    return {
      state: this.#state,
      reason: this.#reason,
      broken: this.#broken,
      cursors: this.#cursors,
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  #io(): Io {
    return { signal: this.#stopping.signal, deadlineMs: LIMITS.databaseStatementMs };
  }

  /** Holds the lease, follows, and starts over whenever either ends; until stopped. */
  async #run(): Promise<void> {
    const { leases, holder, random } = this.#deps;
    const role = {
      leases,
      name: PROJECTOR_LEASE,
      holder,
      ttlMs: LIMITS.leaseMs,
      random,
      onStandby: () => this.#become('standby', null),
      onFailure: (error: unknown) => this.#failed(error),
    };
    await leased(role, this.#stopping.signal, (term) => this.#hold(term));
    this.#become('stopped', null);
  }

  #become(state: ProjectorState, reason: string | null): void {
    if (state !== this.#state || reason !== this.#reason) {
      this.#deps.log.info({ state, reason }, 'projector');
    }
    this.#state = state;
    this.#reason = reason;
  }

  #failed(error: unknown): void {
    const needsPerson = error instanceof ForeignLedgerError;
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof LeaseLostError) this.#become('standby', reason);
    else this.#become(needsPerson ? 'failed' : 'starting', reason);
  }

  /** Everything that runs under one epoch of the lease ends together. */
  async #hold({ epoch, signal: termSignal }: Term): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, termSignal]);
    this.#become('preparing', null);
    const deps = { ...this.#deps, leaseEpoch: epoch };
    const cursors = await prepare(deps, { ...this.#io(), signal });
    this.#cursors.clear();
    for (const [stream, offset] of cursors) this.#cursors.set(stream, offset);
    const inbox = new Inbox(INBOX_CAPACITY);
    this.#become('following', null);
    const parts = [...this.#pumps(deps, inbox, signal), this.#follow(inbox, epoch, signal)];
    const ended = parts.map((part) => part.finally(() => ending.abort()));
    try {
      await Promise.all(ended);
    } finally {
      await Promise.allSettled(ended);
    }
  }

  #pumps(deps: BootstrapDeps, inbox: Inbox, signal: AbortSignal): Promise<void>[] {
    const { streams, log } = this.#deps;
    const pumpDeps: PumpDeps = {
      log,
      signal,
      room: (until) => inbox.room(until),
      onState: (name, state, reason) => {
        if (state === 'open') this.#broken.delete(name);
        else this.#broken.set(name, reason ?? 'unknown');
      },
    };
    const updates = pump(
      { name: UPDATES_STREAM, open: (after, stop) => streams.updates(after, stop) },
      this.#cursors.get(UPDATES_STREAM) ?? 0n,
      (element) => inbox.push({ stream: 'updates', element }),
      pumpDeps,
    );
    const completions = streams.participants.map(async (participant) => {
      const name = completionsStream(participant);
      const from = await this.#joined(deps, participant, signal);
      if (from === null) return;
      const source: PumpSource<CompletionElement> = {
        name,
        open: (after, stop) => streams.completions(participant, after, stop),
      };
      await pump(
        source,
        from,
        (element) => inbox.push({ stream: 'completions', element }),
        pumpDeps,
      );
    });
    return [updates, ...completions];
  }

  /** Asks until the participant can be asked: one that is away does not keep the others waiting. */
  async #joined(
    deps: BootstrapDeps,
    participant: ParticipantName,
    signal: AbortSignal,
  ): Promise<bigint | null> {
    const name = completionsStream(participant);
    while (!signal.aborted) {
      try {
        const from = await join(deps, participant, { ...this.#io(), signal });
        this.#cursors.set(name, from);
        return from;
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
        if (signal.aborted) return null;
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#broken.get(name) !== reason) {
          this.#deps.log.warn({ participant, reason }, 'a participant cannot be followed yet');
        }
        this.#broken.set(name, reason);
        await sleep(JOIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  async #follow(inbox: Inbox, epoch: bigint, signal: AbortSignal): Promise<void> {
    let lookedAtMs = 0;
    while (!signal.aborted) {
      const elements = await inbox.take(LIMITS.batchElementsMax, LOOK_MS, signal);
      if (signal.aborted && elements.length === 0) return;
      const nowMs = performance.now();
      // On a ledger where nothing happens, what waits for a position that was passed has to be looked for.
      if (elements.length === 0 && nowMs - lookedAtMs < LOOK_MS / 2) continue;
      lookedAtMs = nowMs;
      await this.#apply(elements, epoch, signal);
    }
  }

  async #apply(
    elements: readonly StreamElement[],
    epoch: bigint,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, streams, gateway, ledgerClock, wallClock, random } = this.#deps;
    // A batch in hand is finished even while stopping: it is bounded by its deadline.
    const io: Io = {
      signal: AbortSignal.timeout(LIMITS.databaseStatementMs),
      deadlineMs: LIMITS.databaseStatementMs,
    };
    const batch = batchOf(elements, this.#cursors);
    for (const move of batch.moves) {
      if (move.recordTime !== null) ledgerClock.observe(isoToMs(move.recordTime));
    }
    // Before the ledger ends are read: what is no longer possible now, they have passed.
    const times = {
      now: new Date(wallClock.nowMs()).toISOString(),
      ledgerNowMs: ledgerClock.nowMs(),
    };
    const asking: Io = { signal, deadlineMs: LIMITS.submitDeadlineMs };
    const [duplicates, ledgerEnds] = await Promise.all([
      readDuplicates(gateway, batch.completions, asking),
      readLedgerEnds(gateway, batch.completions, asking),
    ]);
    const effectsDue = await applyLedger(
      { store, readAs: streams.readAs, projected: streams.projected, leaseEpoch: epoch, random },
      { ...batch, duplicates, ledgerEnds },
      times,
      io,
    );
    for (const move of batch.moves) this.#cursors.set(move.stream, move.to);
    if (effectsDue) this.#deps.signals.effectsDue();
  }
}

/**
 * Starts following the ledger as soon as this process holds the projector's lease. A database or stream
 * failure starts it over from the stored cursors; nothing is lost and nothing is applied twice.
 */
export const startProjector = (deps: ProjectorDeps): Projector => new RunningProjector(deps);
