import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { judgeAgain } from '../../../src/app/policies/judge-policy.ts';
import { prepareCommand } from '../../../src/app/engine/attempts/prepare-command.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { continueLane, findInterrupted } from '../../../src/app/engine/lanes/lane.ts';
import { applyLedger } from '../../../src/app/engine/follow/apply-ledger.ts';
import type { LedgerBatch } from '../../../src/app/engine/follow/apply-ledger.ts';
import type { LedgerClock } from '../../../src/app/ports/clocks.ts';
import type { LedgerGateway } from '../../../src/app/ports/ledger.ts';
import type { Store } from '../../../src/app/ports/transaction.ts';
import { SCHEDULER_LEASE, PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { recordAnswer } from '../../../src/app/engine/attempts/record-answer.ts';
import type {
  ChangeRequest,
  RequestChangeDeps,
  RequestedChange,
} from '../../../src/app/engine/requests/change-request.ts';
import { requestChange } from '../../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { ActiveContract, LedgerTransaction } from '../../../src/domain/ledger.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { NO_TRACER } from '../../../src/app/ports/tracing.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import { createPolicyDuty } from '../../../src/ops/policy-duty.ts';
import { batchOf, readDuplicates, readLedgerEnds } from '../../../src/projector/batch.ts';
import { join, prepareUpdates } from '../../../src/projector/bootstrap.ts';
import { LedgerCheck } from '../../../src/projector/ledger-check.ts';
import type { StreamElement } from '../../../src/projector/inbox.ts';
import type { SubmitCommandJob } from '../../../workers/submit-command.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { TimeWatch } from '../../../src/projector/time-watch.ts';
import { submitCommand } from '../../../workers/submit-command.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import type { DatabaseContents, MemoryDatabaseConnection } from '../../sim/memory/database.ts';
import type { Commit } from '../../sim/memory/server.ts';
import { Watcher, cursorsOf } from '../../sim/kit/evidence.ts';
import { judgeEnd } from '../../sim/kit/judge.ts';
import type { Finding } from '../../sim/kit/judge.ts';
import { Truth } from '../../sim/kit/truth.ts';
import type { World } from '../../sim/kit/world.ts';
import { IO, NEVER } from './io.ts';
import { openQuietLedger } from './quiet-ledger.ts';
import type { QuietLedger } from './quiet-ledger.ts';
import { newSubmissionId } from '../../kit/submission-ids.ts';

/*
 * The whole system, one step at a time: the real use cases, worker, batches and ledger, with a store in memory, and a
 * clock that a test advances. Nothing interferes except other clients of the ledger.
 */

const START = '2026-01-01T00:00:00Z';
const YEAR_MS = 366 * 86_400_000;
/**
 * The maximum number of rounds until everything has settled. A change that fails after all its attempts takes about
 * thirty.
 */
const ROUNDS_MAX = 100;
/** How often to check whether the clock has done its work. */
const LOOK_MS = 5;
const PATIENCE_MS = 60_000;

interface Parts {
  readonly ledger: QuietLedger;
  readonly connection: MemoryDatabaseConnection;
  readonly contents: DatabaseContents;
  readonly clock: { nowMs: number };
  readonly leaseEpoch: bigint;
  readonly truth: Truth;
  readonly watcher: Watcher;
  readonly seen: (transaction: LedgerTransaction) => LedgerTransaction;
  readonly clocks: Readonly<Record<Part, LedgerClock>>;
}

/** The parts of Tenure whose clock may be wrong. */
type Part = 'api' | 'projector';

export interface QuietOptions {
  /** Wraps the gateway to the participants. @default the gateway itself */
  readonly gateway?: (real: LedgerGateway) => LedgerGateway;
  /** Returns the ledger clocks of those parts whose clock is not right. @default all are right */
  readonly clocks?: (nowMs: () => number) => Partial<Record<Part, LedgerClock>>;
  /** Changes a transaction as Tenure sees it, for example to one with templates of a later package. */
  readonly seen?: (transaction: LedgerTransaction) => LedgerTransaction;
  /** Called for every commit. */
  readonly onCommit?: (commit: Commit) => void;
}

const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 1_000 };

export class QuietSystem implements AsyncDisposable {
  #timeWatches: readonly TimeWatch[] | null = null;
  readonly ledger: QuietLedger;
  readonly store: Store;
  readonly contents: DatabaseContents;
  /** The batch that is being projected at present. */
  applying: LedgerBatch | null = null;
  readonly #parts: Parts;
  readonly #clocks = new RecordClocks({ toleranceMs: 0, clockDifferenceMs: Infinity });
  readonly #ticks = new Ticks();
  #cursors: ReadonlyMap<string, bigint>;

  private constructor(parts: Parts, cursors: ReadonlyMap<string, bigint>) {
    this.ledger = parts.ledger;
    this.store = parts.connection.store;
    this.contents = parts.contents;
    this.#parts = parts;
    this.#cursors = cursors;
  }

  static async open(options: QuietOptions = {}): Promise<QuietSystem> {
    const clock = { nowMs: Date.parse(START) };
    const opened = await openQuietLedger(START);
    const ledger = { ...opened, gateway: options.gateway?.(opened.gateway) ?? opened.gateway };
    const watcher = new Watcher();
    const database = createMemoryDatabase({
      now: () => clock.nowMs,
      onCommit: (commit) => {
        watcher.onCommit(commit, () => cursorsOf(database.contents));
        options.onCommit?.(commit);
      },
    });
    const { contents } = database;
    const connection = database.connect('quiet');
    const { store, leases } = connection;
    const leaseEpoch = await leases.acquire(PROJECTOR_LEASE, 'quiet', YEAR_MS, IO);
    if (leaseEpoch === null) throw new Error('nobody else is here');
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const leased = { store, streams: ledger.streams, gateway: ledger.gateway, leaseEpoch, log };
    const deps = { ...leased, model: NEWEST_MODEL, ledgers: new LedgerCheck(leased, []) };
    await prepareUpdates(deps, IO);
    for (const participant of ledger.streams.participants) await join(deps, participant, IO);
    const cursors = await store.transact(IO, (tx) => tx.cursors());
    const truth = new Truth(ledger.network, () => undefined);
    const { seen = (transaction) => transaction } = options;
    const { ledgerClock } = ledger;
    const clocks = {
      api: ledgerClock,
      projector: ledgerClock,
      ...options.clocks?.(() => clock.nowMs),
    };
    const parts = { ledger, connection, contents, clock, leaseEpoch, truth, watcher, seen, clocks };
    return new QuietSystem(parts, cursors);
  }

  /** The wall time, which is also the ledger time here. */
  get nowMs(): number {
    return this.#parts.clock.nowMs;
  }

  readonly #wallClock = { nowMs: () => this.#parts.clock.nowMs };

  pass(ms: number): void {
    this.#parts.clock.nowMs += ms;
    this.ledger.network.setTime(BigInt(this.#parts.clock.nowMs) * 1_000n);
  }

  /** @throws ProblemError if the request is refused at once */
  ask(
    party: Party,
    request: ChangeRequest,
    deps: RequestChangeDeps = this.deps,
  ): Promise<RequestedChange> {
    const caller: Caller = {
      party,
      roles: new Set(),
      via: 'bearer',
      tenantId: 'tenant',
      subject: 'somebody',
      name: 'Somebody',
    };
    return requestChange(deps, caller, request, IO);
  }

  /** The dependencies of the use cases. */
  get deps() {
    const { hosting } = this.ledger;
    return {
      store: this.store,
      hosting,
      model: NEWEST_MODEL,
      wallClock: this.#wallClock,
      ledgerClock: this.#parts.clocks.api,
      hear: createHear(this.ledger.gateway, this.#wallClock, BOUNDS),
    };
  }

  /** Sets the provider's expiry policy. The policy is on and has no grace unless `over` says otherwise. */
  async setExpiry(over: Partial<ExpiryPolicy> = {}): Promise<void> {
    const policy = { ...DEFAULT_EXPIRY_POLICY, mode: 'on' as const, ...over };
    const at = new Date(this.nowMs).toISOString();
    const { provider } = this.ledger;
    const { policies } = this.#parts.connection;
    await policies.setExpiry({ provider, policy, bySubject: 'somebody', at }, IO);
  }

  /** Lets the provider's policies fire due timers, until `isDone`. */
  async fire(isDone: () => boolean): Promise<void> {
    const { leases, policies, timers } = this.#parts.connection;
    const epoch = (await leases.acquire(SCHEDULER_LEASE, 'quiet', YEAR_MS, IO)) ?? 0n;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const stopping = new AbortController();
    const clock = createPolicyDuty({
      ...this.deps,
      policies,
      timers,
      log,
      random: () => 0.5,
      tracer: NO_TRACER,
      isUnavailable: () => false,
      isTimeStatic: true,
    });
    const running = clock.run({ epoch, signal: stopping.signal });
    running.catch(() => stopping.abort());
    const giveUp = AbortSignal.timeout(PATIENCE_MS);
    while (!isDone() && !stopping.signal.aborted && !giveUp.aborted) await pause(LOOK_MS);
    stopping.abort();
    assert(!giveUp.aborted, 'the policies have done what they are waited for');
    await running.catch((error: unknown) => {
      // The test stops the clock, perhaps during its next check. The error of that check is ignored.
      if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    });
  }

  /** Submits due effects and projects their results until no change is open. Advances the time as far as necessary. */
  async settle(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const applied = await this.follow();
      if ((await this.continueLanes()) > 0) continue;
      if ((await this.work()) > 0 || applied > 0) continue;
      if (!this.contents.changes().some(({ change }) => isOpen(change.state))) return;
      const dueInMs = await this.#parts.connection.outbox.nextDueInMs(IO);
      // An effect that waits for a proof is not due. The ledger's time must advance for it.
      this.pass(Math.max(1, dueInMs ?? PROJECTOR_LIMITS.proofLookMs));
    }
    const open = this.contents.changes().filter(({ change }) => isOpen(change.state));
    throw new Error(`still open: ${open.map(({ change }) => change.commandId).join(', ')}`);
  }

  /**
   * Applies everything that the ledger has reported since the last call. @returns how many transactions and completions
   * there were
   */
  async follow(): Promise<number> {
    const elements = [...(await this.#updates()), ...(await this.#completions())];
    const { gateway, streams } = this.ledger;
    const ledgerClock = this.#parts.clocks.projector;
    const batch = batchOf(elements, this.#cursors);
    for (const { recordTime } of batch.moves) {
      if (recordTime !== null) ledgerClock.observe(isoToMs(recordTime));
    }
    const times = {
      now: new Date(this.nowMs).toISOString(),
      ledgerNowMs: ledgerClock.nowMs(),
      ledgerCertainMs: ledgerClock.certainMs(),
    };
    const whole: LedgerBatch = {
      ...batch,
      duplicates: await readDuplicates(gateway, batch.completions, IO),
      ledgerEnds: await readLedgerEnds(gateway, batch.completions, IO),
    };
    this.applying = whole;
    await applyLedger(
      {
        model: NEWEST_MODEL,
        store: this.store,
        readAs: streams.readAs,
        projected: streams.projected,
        leaseEpoch: this.#parts.leaseEpoch,
        clocks: this.#clocks,
        ticks: this.#ticks,
        random: () => 0.5,
      },
      whole,
      times,
      IO,
    );
    this.applying = null;
    this.#cursors = batch.cursors;
    for (const watch of this.#watches()) await watch.look(IO);
    return whole.transactions.length + whole.completions.length;
  }

  /** Continues each interrupted lane once. @returns the number of lanes */
  async continueLanes(): Promise<number> {
    const deps = { ...this.deps, ledgerClock: this.#parts.clocks.projector };
    const lanes = await findInterrupted(deps, IO);
    for (const lane of lanes) await continueLane(deps, lane, IO);
    return lanes.length;
  }

  /** Returns the tasks that make proofs possible. They run in the same process as the projector. */
  #watches(): readonly TimeWatch[] {
    const { gateway, streams } = this.ledger;
    this.#timeWatches ??= streams.participants.map(
      (participant) =>
        new TimeWatch(
          {
            model: NEWEST_MODEL,
            store: this.store,
            gateway,
            hear: this.deps.hear,
            bounds: BOUNDS,
            wallClock: this.#wallClock,
            log: { debug() {}, info() {}, warn() {}, error() {} },
            leaseEpoch: this.#parts.leaseEpoch,
            clocks: this.#clocks,
            ticks: this.#ticks,
            arrivalOf: () => null,
          },
          participant,
        ),
    );
    return this.#timeWatches;
  }

  /** Returns the invariants of the promise that are violated, as sentences. */
  async findings(): Promise<readonly Finding[]> {
    const { gateway, streams } = this.ledger;
    const end = await gateway.ledgerEnd(streams.projected, IO);
    const active: ActiveContract[] = [];
    for await (const contract of streams.activeContracts(end, NEVER)) active.push(contract);
    // The part of a world that the simulation's judge reads.
    const databaseMs = () => this.nowMs;
    const delays = { early: [] };
    const world = { ...this.#parts, database: this, databaseMs, delays } as unknown as World;
    return judgeEnd(world, active);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.connection.kill();
    await this.ledger[Symbol.asyncDispose]();
  }

  /** Runs the due jobs. @returns the number of jobs */
  async work(): Promise<number> {
    const jobs: SubmitCommandJob[] = [];
    await this.#parts.connection.outbox.dispatchDue(
      100,
      async (effects) => {
        jobs.push(...effects.map(({ id, dispatchNo }) => ({ effectId: id, dispatchNo })));
      },
      IO,
    );
    const { gateway, registry, ledgerClock } = this.ledger;
    const answering = {
      model: NEWEST_MODEL,
      store: this.store,
      gateway,
      wallClock: this.#wallClock,
      ledgerClock,
      random: () => 0.5,
    };
    const { outbox, policies } = this.#parts.connection;
    const judging = {
      policies,
      reads: this.store.reads,
      wallClock: this.#wallClock,
      ledgerClock,
      clocks: { ownDefect: () => null },
      subscription: async () => null,
    };
    const judge = judgeAgain.bind(null, judging);
    const deps = {
      outbox,
      gateway,
      prepare: (attempt: Parameters<typeof prepareCommand>[1]) =>
        prepareCommand({ registry, model: NEWEST_MODEL, judge }, attempt, IO),
      newSubmissionId,
      recordAnswer: recordAnswer.bind(null, answering),
    };
    for (const job of jobs) await submitCommand(job, deps, IO);
    return jobs.length;
  }

  #cursor(stream: string): bigint {
    return this.#cursors.get(stream) ?? 0n;
  }

  async #updates(): Promise<StreamElement[]> {
    const { streams, gateway } = this.ledger;
    const end = await gateway.ledgerEnd(streams.projected, IO);
    const elements = await until(end, (signal) =>
      streams.updates(this.#cursor(UPDATES_STREAM), signal),
    );
    return elements.map((element) => {
      const seen = element.kind === 'transaction' ? this.#parts.seen(element) : element;
      return { stream: 'updates', element: seen } as const;
    });
  }

  async #completions(): Promise<StreamElement[]> {
    const { streams, gateway } = this.ledger;
    const found: StreamElement[] = [];
    for (const participant of streams.participants) {
      const from = this.#cursor(completionsStream(participant));
      const end = await gateway.ledgerEnd(participant, IO);
      const elements = await until(end, (signal) => streams.completions(participant, from, signal));
      found.push(...elements.map((element) => ({ stream: 'completions', element }) as const));
    }
    return found;
  }
}

/** Returns the elements of a stream up to an offset; none if the stream is already there. */
async function until<T extends { readonly offset: bigint; readonly kind: string }>(
  end: bigint,
  open: (signal: AbortSignal) => AsyncIterable<T>,
): Promise<T[]> {
  const found: T[] = [];
  const enough = new AbortController();
  for await (const element of open(enough.signal)) {
    found.push(element);
    if (element.kind === 'position' && element.offset >= end) break;
  }
  return found;
}
