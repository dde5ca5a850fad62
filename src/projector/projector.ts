import { applyLedger } from '../app/engine/follow/apply-ledger.ts';
import type { ParticipantCause } from '../domain/participant-health.ts';
import type { Hear, ProofBounds } from '../app/engine/doubts/proof.ts';
import { RecordClocks } from '../app/engine/doubts/record-clocks.ts';
import { Ticks } from '../app/engine/doubts/ticks.ts';
import { LeaseLostError, leased } from '../app/engine/lanes/leased.ts';
import { timesOf } from '../app/engine/lanes/lane.ts';
import type { Term } from '../app/engine/lanes/leased.ts';
import type { ContractModel } from '../app/contract/model.ts';
import type { LedgerClock, WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { Outbox } from '../app/ports/outbox.ts';
import type { Store } from '../app/ports/transaction.ts';
import type { Landmark } from '../app/ports/writes.ts';
import type { Rebuilds } from '../app/ports/rebuilds.ts';
import { PROJECTOR_LEASE } from '../app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { errorLine, errorText } from '../domain/error-text.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { CompletionElement, LedgerUpdate } from '../domain/ledger.ts';
import { PROJECTOR_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { isoToMs } from '../domain/time.ts';
import { Arrivals } from './arrivals.ts';
import { BatchSize, Stall, batchOf, readDuplicates, readLedgerEnds, streamOf } from './batch.ts';
import type { BootstrapDeps } from './bootstrap.ts';
import { hasStartedAnew, join, prepareUpdates } from './bootstrap.ts';
import type { StreamElement } from './inbox.ts';
import { Inbox } from './inbox.ts';
import { LedgerCheck } from './ledger-check.ts';
import { watchLanes } from './ended-watch.ts';
import { watchLost } from './lost-submissions.ts';
import { rebuild } from './rebuild.ts';
import type { Projector, ProjectorState, ProjectorStatus } from './status.ts';
import type { Trouble } from './stream-pump.ts';
import { StreamPump, cannotApply, refuseDefective } from './stream-pump.ts';
import { replayEnds, tellLost, tellReached } from './tell.ts';
import type { TimeWatchDeps } from './time-watch.ts';
import { watchTime } from './time-watch.ts';

export interface ProjectorDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly leases: Leases;
  readonly streams: LedgerStreams;
  readonly gateway: LedgerGateway;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  /** See `TimeWatchDeps`. */
  readonly wanted?: TimeWatchDeps['wanted'];
  readonly log: Log;
  readonly random: () => number;
  /** The name under which this process holds the lease. */
  readonly holder: string;
  /**
   * Returns whether an error means that the database is unavailable. Any other failure of a batch comes from its
   * content.
   */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Notified when a participant whose stream was interrupted has returned. @default no notification */
  readonly outbox?: Pick<Outbox, 'participantReached' | 'completionsBack'>;
  /** A stream that sends nothing for this long is reopened. */
  readonly silenceMs: number;
  /** @default false */
  readonly isTimeStatic?: boolean;
  readonly hear: Hear;
  readonly bounds: ProofBounds;
  /** Requests for a rebuild by operators. @default none */
  readonly rebuilds?: Rebuilds;
}

type AnyPump = Pick<StreamPump<never>, 'run' | 'refuse'>;
/** A batch that has begun is finished even while the projector stops: only its deadline limits it. */
const NEVER = new AbortController().signal;

type Pumps = ReadonlyMap<string, AnyPump>;

class RunningProjector implements Projector {
  readonly #deps: ProjectorDeps;
  readonly #stopping = new AbortController();
  readonly #broken = new Map<string, Trouble>();
  readonly #awaited = new Set<string>();
  readonly #done: Promise<void>;
  #state: ProjectorState = 'starting';
  #reason: string | null = null;
  readonly #cursors = new Map<string, bigint>();
  #landmarks = new Map<string, Landmark>();
  /** Offsets up to which streams are replayed since the database restarted. */
  #replays = new Map<string, bigint>();
  /** Renewed in each term, because other processes may have stored new findings since. */
  #clocks: RecordClocks;
  #ticks = new Ticks();
  readonly #arrivals = new Arrivals();
  /** Shared by all terms: a batch that is too large ends its term, and the next term must not start with its size. */
  readonly #size = new BatchSize();
  readonly #stall = new Stall(() => performance.now());

  constructor(deps: ProjectorDeps) {
    this.#deps = deps;
    this.#clocks = new RecordClocks(deps.bounds);
    this.#done = this.#run();
  }

  status(): ProjectorStatus {
    return {
      state: this.#state,
      reason: this.#reason,
      broken: this.#broken,
      awaited: this.#awaited,
      cursors: this.#cursors,
      stall: this.#stall,
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  #io(): Io {
    return { signal: this.#stopping.signal, deadlineMs: LIMITS.databaseStatementMs };
  }

  /** Acquires the lease and follows the streams, and starts again whenever one of the two ends, until it is stopped. */
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
    if (state === 'standby' || state === 'stopped') this.#stall.ended();
  }

  #failed(error: unknown): void {
    this.#stall.failed(errorText(error));
    this.#become(error instanceof LeaseLostError ? 'standby' : 'starting', errorText(error));
  }

  /**
   * Records or clears the trouble of one stream; the other streams continue. But while the updates belong to another
   * ledger, accepted changes cannot be answered.
   */
  #onTrouble(stream: string, trouble: Trouble | null): void {
    if (trouble === null) this.#broken.delete(stream);
    else this.#broken.set(stream, trouble);
    if (stream !== UPDATES_STREAM) return;
    if (trouble?.code === 'FOREIGN_LEDGER') this.#become('failed', trouble.reason);
    else if (this.#state === 'failed') this.#become('following', null);
  }

  /** Runs all work that belongs to one term of the lease. If one part ends, all parts end. */
  async #hold({ epoch, signal: termSignal }: Term): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, termSignal]);
    this.#become('preparing', null);
    this.#broken.clear();
    this.#clocks = new RecordClocks(this.#deps.bounds);
    this.#ticks = new Ticks();
    for (const stream of this.#streamNames()) this.#awaited.add(stream);
    await this.#rebuildIfAsked(epoch, signal);
    const marked = await this.#readCursors(signal);
    const inbox = new Inbox(2 * PROJECTOR_LIMITS.batchElementsMax);
    const onReplay = (stream: string, to: bigint) => this.#replays.set(stream, to);
    const leased = { ...this.#deps, leaseEpoch: epoch, onReplay };
    const ledgers = new LedgerCheck(leased, marked);
    const pumps = this.#pumps({ ...leased, ledgers }, inbox, signal);
    const parts = [
      ...[...pumps.values()].map((pump) => pump.run()),
      this.#follow(inbox, pumps, epoch, signal),
      ...this.#watchTime(epoch, signal),
      watchLanes(this.#deps, signal),
    ];
    const ended = parts.map((part) => part.finally(() => ending.abort()));
    try {
      await Promise.all(ended);
    } finally {
      await Promise.allSettled(ended);
    }
  }

  #watchTime(leaseEpoch: bigint, signal: AbortSignal): Promise<void>[] {
    const deps = { ...this.#deps, leaseEpoch, clocks: this.#clocks, ticks: this.#ticks };
    const lost = watchLost(deps, signal);
    const watched = { ...deps, arrivalOf: this.#arrivals.of, lost: lost.awaited };
    return [watchTime(watched, deps.streams.participants, signal), lost.done];
  }

  /** Runs a requested rebuild before the streams are followed, so that nothing else is written under the lease. */
  async #rebuildIfAsked(leaseEpoch: bigint, signal: AbortSignal): Promise<void> {
    const { rebuilds, isUnavailable } = this.#deps;
    const io = { ...this.#io(), signal };
    const asked = await rebuilds?.asked(io);
    if (rebuilds === undefined || asked === undefined || asked === null) return;
    const times = timesOf(this.#deps);
    try {
      const report = await rebuild({ ...this.#deps, rebuilds, leaseEpoch }, asked.isDryRun, times, {
        signal,
        deadlineMs: LIMITS.ledgerCallMs,
      });
      await rebuilds.answer(asked.id, { report }, io);
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLostError || isUnavailable(error)) throw error;
      await rebuilds.answer(asked.id, { error: errorLine(error) }, io);
    }
  }

  /**
   * Reads the current cursors and the foreign ledgers. Streams join one after another; until all have joined, batches
   * use the stored positions of the missing ones.
   */
  async #readCursors(signal: AbortSignal): Promise<readonly ParticipantCause[]> {
    const io = { ...this.#io(), signal };
    const [cursors, landmarks, marked, replays] = await this.#deps.store.transact(io, (tx) =>
      Promise.all([tx.cursors(), tx.landmarks(), tx.participantCauses(), tx.replays()]),
    );
    this.#cursors.clear();
    this.#replays = replayEnds(replays);
    this.#landmarks = new Map(landmarks);
    for (const stream of this.#streamNames()) {
      const at = cursors.get(stream);
      if (at !== undefined) this.#cursors.set(stream, at);
    }
    return marked;
  }

  #streamNames(): string[] {
    return [UPDATES_STREAM, ...this.#deps.streams.participants.map(completionsStream)];
  }

  #pumps(deps: BootstrapDeps, inbox: Inbox, signal: AbortSignal): Pumps {
    const { streams, log, wallClock, silenceMs, outbox } = this.#deps;
    const pumpDeps = {
      log,
      signal,
      silenceMs,
      nowMs: () => wallClock.nowMs(),
      room: (until: AbortSignal) => inbox.room(until),
    };
    const onTrouble = (participant: ParticipantName) => (name: string, trouble: Trouble | null) => {
      this.#onTrouble(name, trouble);
      if (trouble !== null || outbox === undefined) return;
      tellReached(outbox, log, participant, name, this.#io());
    };
    const readAs = new Set(streams.readAs);
    const updates = new StreamPump<LedgerUpdate>(
      {
        name: UPDATES_STREAM,
        repeated: 'drop',
        begin: (received, stop) =>
          this.#begin(deps.ledgers, UPDATES_STREAM, streams.projected, received, stop, (io) =>
            prepareUpdates(deps, io),
          ),
        open: (after, stop) => streams.updates(after, stop),
        hasReached: (offset, stop) => this.#hasReached(streams.projected, offset, stop),
      },
      {
        ...pumpDeps,
        onTrouble: onTrouble(streams.projected),
        hand: (element) => {
          refuseDefective(this.#deps.model, element, readAs);
          inbox.push({ stream: 'updates', element });
        },
      },
    );
    const completions = streams.participants.map((participant): [string, AnyPump] => {
      const name = completionsStream(participant);
      const pump = new StreamPump<CompletionElement>(
        {
          name,
          // Completions out of order would be a bug of the ledger, but a late success is still a success.
          repeated: 'hand-on',
          begin: (received, stop) =>
            this.#begin(deps.ledgers, name, participant, received, stop, async (io) => {
              await this.#filled(stop);
              return join(deps, participant, io);
            }),
          open: (after, stop) => streams.completions(participant, after, stop),
          hasReached: (offset, stop) => this.#hasReached(participant, offset, stop),
        },
        {
          ...pumpDeps,
          onTrouble: onTrouble(participant),
          hand: (element) => inbox.push({ stream: 'completions', element }),
        },
      );
      return [name, pump];
    });
    return new Map<string, AnyPump>([[UPDATES_STREAM, updates], ...completions]);
  }

  async #hasReached(
    participant: ParticipantName,
    offset: bigint,
    signal: AbortSignal,
  ): Promise<boolean> {
    const io: Io = { signal, deadlineMs: LIMITS.ledgerCallMs };
    return (await this.#deps.gateway.ledgerEnd(participant, io)) >= offset;
  }

  /**
   * Waits until the store has been filled. A change is accepted for a participant only once its completions are
   * followed, so completions must not be followed earlier: the effect of a change accepted before the snapshot that
   * fills an empty store would never be reported.
   */
  async #filled(signal: AbortSignal): Promise<void> {
    while (!this.#cursors.has(UPDATES_STREAM)) {
      await sleep(PROJECTOR_LIMITS.fillLookMs, signal);
      signal.throwIfAborted();
    }
  }

  /**
   * Called before every opening of a stream: the first time it joins the stream; later it checks that the ledger is the
   * same.
   */
  async #begin(
    ledgers: LedgerCheck,
    stream: string,
    participant: ParticipantName,
    received: bigint | null,
    signal: AbortSignal,
    first: (io: Io) => Promise<bigint>,
  ): Promise<bigint> {
    const io: Io = { signal, deadlineMs: LIMITS.ledgerCallMs };
    if (received !== null) {
      const landmark = this.#landmarks.get(stream) ?? null;
      await ledgers.check(participant, { stream, at: received, landmark }, io);
      return received;
    }
    const from = await first(io);
    this.#cursors.set(stream, from);
    this.#awaited.delete(stream);
    if (stream === UPDATES_STREAM) this.#become('following', null);
    return from;
  }

  async #follow(inbox: Inbox, pumps: Pumps, epoch: bigint, signal: AbortSignal): Promise<void> {
    let lookedAtMs = 0;
    let askedAtMs = 0;
    while (!signal.aborted) {
      if (performance.now() - askedAtMs > PROJECTOR_LIMITS.termLookMs) {
        askedAtMs = performance.now();
        if (await this.#isTermOver(signal)) return;
      }
      const elements = await inbox.take(this.#size.elements, PROJECTOR_LIMITS.lookMs, signal);
      if (signal.aborted && elements.length === 0) return;
      if (elements.length > 0) this.#stall.waits();
      const nowMs = performance.now();
      // Without new elements, changes that wait for a position that was already passed have to be searched for.
      if (elements.length === 0 && nowMs - lookedAtMs < PROJECTOR_LIMITS.lookMs / 2) continue;
      lookedAtMs = nowMs;
      await this.#applyOrRefuse(elements, inbox, pumps, epoch, signal);
      this.#size.took(elements.length, performance.now() - nowMs);
    }
  }

  /**
   * Returns whether a new term must begin, because a person has requested a rebuild, or because the database server has
   * restarted and the streams must be compared with their ledgers.
   */
  async #isTermOver(signal: AbortSignal): Promise<boolean> {
    const io = { ...this.#io(), signal };
    if (((await this.#deps.rebuilds?.asked(io)) ?? null) !== null) return true;
    const joined = this.#streamNames().filter((name) => !this.#awaited.has(name));
    return hasStartedAnew(this.#deps.store, joined, io);
  }

  /**
   * Applies a failed batch element by element, so that valid elements are applied. If an element fails alone, its
   * stream stops before it; the other streams continue.
   */
  async #applyOrRefuse(
    elements: readonly StreamElement[],
    inbox: Inbox,
    pumps: Pumps,
    epoch: bigint,
    signal: AbortSignal,
  ): Promise<void> {
    const [first] = elements;
    try {
      await this.#apply(elements, epoch, signal);
      return;
    } catch (error) {
      if (first === undefined || error instanceof LeaseLostError) throw error;
      if (this.#deps.isUnavailable(error)) {
        this.#size.failed();
        throw error;
      }
      if (elements.length === 1) {
        const stream = streamOf(first);
        const isOfIt = (element: StreamElement) => streamOf(element) === stream;
        inbox.discard(isOfIt);
        pumps.get(stream)?.refuse(cannotApply(first, error), this.#cursors.get(stream) ?? 0n);
        return;
      }
      this.#deps.log.warn({ elements: elements.length, error: String(error) }, 'one by one');
    }
    const refused = new Set<string>();
    for (const element of elements) {
      const stream = streamOf(element);
      if (refused.has(stream) || signal.aborted) continue;
      await this.#applyOrRefuse([element], inbox, pumps, epoch, signal);
      const isPast = (this.#cursors.get(stream) ?? 0n) >= element.element.offset;
      if (!isPast) refused.add(stream);
    }
  }

  async #apply(
    elements: readonly StreamElement[],
    epoch: bigint,
    signal: AbortSignal,
  ): Promise<void> {
    const { model, store, streams, gateway, ledgerClock, random } = this.#deps;
    const io: Io = { signal: NEVER, deadlineMs: LIMITS.databaseStatementMs };
    const batch = batchOf(elements, this.#cursors, this.#replays);
    for (const move of batch.moves) {
      if (move.recordTime !== null) ledgerClock.observe(isoToMs(move.recordTime));
    }
    // Taken before the ledger ends are read, so effects of attempts that are impossible from now on are before them.
    const times = timesOf(this.#deps);
    // Read concurrently: a participant that does not answer delays all outcomes, but at most for this timeout.
    const asking: Io = { signal, deadlineMs: PROJECTOR_LIMITS.batchAskMs };
    const [duplicates, ledgerEnds] = await Promise.all([
      readDuplicates(gateway, batch.completions, asking),
      readLedgerEnds(gateway, batch.completions, asking),
    ]);
    const buried = await applyLedger(
      {
        model,
        store,
        readAs: streams.readAs,
        projected: streams.projected,
        leaseEpoch: epoch,
        clocks: this.#clocks,
        ticks: this.#ticks,
        random,
      },
      { ...batch, duplicates, ledgerEnds },
      times,
      io,
    );
    if (buried.length > 0) tellLost(this.#deps.log, buried);
    if (elements.length > 0) this.#stall.ended();
    const isNews = (from: StreamElement) =>
      from.element.offset > (this.#cursors.get(streamOf(from)) ?? 0n);
    this.#arrivals.note(elements.filter(isNews), this.#deps.wallClock.nowMs());
    for (const { stream, to, landmark } of batch.moves) {
      this.#cursors.set(stream, to);
      if (landmark !== undefined && landmark !== null) this.#landmarks.set(stream, landmark);
    }
  }
}

/**
 * Starts the projector. It follows the ledger as soon as this process holds the projector's lease. After a failure of
 * the database or of a stream, it continues from the stored cursors; no update is lost or applied twice.
 */
export const startProjector = (deps: ProjectorDeps): Projector => new RunningProjector(deps);
