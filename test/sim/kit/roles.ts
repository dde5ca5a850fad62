import type { DecideDoubt } from '../../../src/app/decide-doubt.ts';
import { decideDoubt } from '../../../src/app/decide-doubt.ts';
import { NEWEST_MODEL } from '../../../src/app/commands.ts';
import type { Io, LedgerGateway, Leases, Outbox, Store } from '../../../src/app/ports.ts';
import { judgeAgain } from '../../../src/app/judge-policy.ts';
import { prepareCommand } from '../../../src/app/prepare-command.ts';
import type { ProofBounds } from '../../../src/app/proof.ts';
import { createHear } from '../../../src/app/proof.ts';
import { recordAnswer } from '../../../src/app/record-answer.ts';
import type { ChangeRequest, RequestedChange } from '../../../src/app/request-change.ts';
import { requestChange } from '../../../src/app/request-change.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { isDatabaseUnavailable } from '../../../src/store/deadline.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { startProjector } from '../../../src/projector/projector.ts';
import { createSignals } from '../../../src/queue/signals.ts';
import { startRelay } from '../../../src/queue/relay.ts';
import { submitCommand } from '../../../workers/submit-command.ts';
import type { MemoryDatabaseConnection } from '../memory/database.ts';
import type { MemoryQueueConnection } from '../memory/queue.ts';
import type { SimProcess } from './process.ts';
import type { LedgerSide } from './side.ts';
import { openLedgerSide } from './side.ts';
import type { World } from './world.ts';

/*
 * What the processes of Tenure run, wired as in `src/main/system.ts`, over the simulation's store, queue and network.
 */

/** Bugs that a test plants, to see them caught. */
export interface Plants {
  readonly gateway?: (gateway: LedgerGateway) => LedgerGateway;
  readonly outbox?: (outbox: Outbox) => Outbox;
  readonly store?: (store: Store) => Store;
  readonly leases?: (leases: Leases) => Leases;
}

export interface Life {
  readonly world: World;
  readonly process: SimProcess;
  readonly database: MemoryDatabaseConnection;
  readonly queue: MemoryQueueConnection;
  readonly plants: Plants;
}

export interface Running {
  /** As on SIGTERM. */
  stop(): Promise<void>;
}

/** What callers see of Tenure. */
export interface Api extends Running {
  request(caller: Caller, request: ChangeRequest): Promise<RequestedChange>;
  changes(ids: readonly ChangeId[]): Promise<readonly Change[]>;
  /** What a person has found about a change in doubt. */
  decide(caller: Caller, asked: DecideDoubt): Promise<Change>;
}

const wallClock = { nowMs: () => Date.now() };
/** The tolerance is the simulated network's; all clocks of a history are one, but for `clock-skew`. */
export const BOUNDS: ProofBounds = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const NEVER = new AbortController().signal;
const ASK: Io = { signal: NEVER, deadlineMs: 30_000 };

async function openSide({ world, process, plants }: Life): Promise<LedgerSide> {
  const side = await openLedgerSide(world, process);
  return { ...side, gateway: plants.gateway?.(side.gateway) ?? side.gateway };
}

const storeOf = ({ database, plants }: Life): Store =>
  plants.store?.(database.store) ?? database.store;

export async function startApi(life: Life): Promise<Api> {
  const ledger = await openSide(life);
  const store = storeOf(life);
  const hear = createHear(ledger.gateway, wallClock, BOUNDS);
  const deps = { ...ledger, hear, store, model: NEWEST_MODEL, wallClock, signals: createSignals() };
  return {
    request: (caller, request) => requestChange(deps, caller, request, ASK),
    changes: (ids) => store.reads.changesById(ids, ASK),
    decide: (caller, asked) => decideDoubt(deps, caller, asked, ASK),
    stop: () => Promise.resolve(),
  };
}

export async function startWorkerRole(life: Life): Promise<Running> {
  const { world, process, database, queue, plants } = life;
  const ledger = await openSide(life);
  const log = world.logOf(process);
  const signals = createSignals();
  const outbox = plants.outbox?.(database.outbox) ?? database.outbox;
  const deps = {
    store: storeOf(life),
    gateway: ledger.gateway,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    signals,
    random: Math.random,
  };
  const { policies } = database;
  const judge = judgeAgain.bind(null, { ...deps, policies, reads: deps.store.reads });
  const worker = queue.startWorker({
    log,
    processor: (job, io) =>
      submitCommand(
        job,
        {
          outbox,
          gateway: ledger.gateway,
          prepare: (attempt, within) =>
            prepareCommand(
              { registry: ledger.registry, model: NEWEST_MODEL, judge },
              attempt,
              within,
            ),
          recordAnswer: (change, submissionId, answer, within) =>
            recordAnswer(deps, change, submissionId, answer, within),
        },
        io,
      ),
  });
  const relay = startRelay({ outbox, queue: queue.queue, log });
  signals.onEffectsDue(() => relay.wake());
  database.listen({ onEffects: () => relay.wake() });
  return {
    stop: async () => {
      await relay.stop();
      await worker.stop();
    },
  };
}

export async function startProjectorRole(life: Life): Promise<Running> {
  const { world, process, database, plants } = life;
  const ledger = await openSide(life);
  return startProjector({
    store: storeOf(life),
    outbox: database.outbox,
    leases: plants.leases?.(database.leases) ?? database.leases,
    streams: ledger.streams,
    gateway: ledger.gateway,
    hear: createHear(ledger.gateway, wallClock, BOUNDS),
    bounds: BOUNDS,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    signals: createSignals(),
    log: world.logOf(process),
    random: Math.random,
    holder: process.name,
    isUnavailable: isDatabaseUnavailable,
    silenceMs: LIMITS.streamSilenceMs,
  });
}
