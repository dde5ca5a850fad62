import { NEWEST_MODEL } from '../app/licensing/model.ts';
import type { BulkActs } from '../app/desk/bulk-acts.ts';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Alarms } from '../app/ports/alarms.ts';
import type { ClockCheck, WallClock } from '../app/ports/clocks.ts';
import type { Lanes } from '../app/ports/lanes.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { EagerDispatch, Outbox } from '../app/ports/outbox.ts';
import type { Store } from '../app/ports/transaction.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import type { Policies, PolicyDelays, Timers } from '../app/ports/policies.ts';
import type { AuditChain } from '../app/ports/audit-chain.ts';
import type { Retention } from '../app/ports/retention.ts';
import { eventSource } from '../app/engine/lanes/events.ts';
import { prepareCommand } from '../app/engine/attempts/prepare-command.ts';
import type { Hear } from '../app/engine/doubts/proof.ts';
import { createHear } from '../app/engine/doubts/proof.ts';
import { claimingTogether } from '../../workers/claims.ts';
import { recordingTogether } from '../app/engine/attempts/record-answer.ts';
import { openDoor } from '../app/engine/requests/request-change.ts';
import type { Deliveries } from '../app/ports/webhooks.ts';
import type { WebhookTargets } from '../auth/webhook-targets.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import type { IssuerDirectory } from '../auth/issuer-directory.ts';
import { createOutgoingHttp } from '../auth/outgoing-fetch.ts';
import type { Party } from '../domain/ids.ts';
import { MAIN_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { Admission } from '../http/kit/admission.ts';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import { buildServer } from '../http/server.ts';
import { onlyOnTime } from '../ops/clock-check.ts';
import { observeGateway, observeLeases } from '../ops/observed.ts';
import { traceSubmission } from '../ops/traced-submission.ts';
import type { JobQueue, QueueBackend } from '../queue/backend.ts';
import { createQueueBoard } from '../queue/board.ts';
import { SUBMIT_QUEUE } from '../queue/job.ts';
import { startRelay } from '../queue/relay.ts';
import { openShardedQueue } from '../queue/sharded-queue.ts';
import { hearChanges } from '../store/engine/change-listener.ts';
import { EFFECTS_CHANNEL } from '../store/sql/channels.ts';
import { isDatabaseUnavailable, outageWords } from '../store/sql/deadline.ts';
import { LedgerCallError, TokenError } from '../ledger/outcome.ts';
import { createDesk } from '../store/desk/desk.ts';
import { readFigures } from '../store/desk/figures.ts';
import type { Listener } from '../store/sql/listen.ts';
import { createOutbox } from '../store/engine/outbox.ts';
import type { Ask } from '../store/sql/ask.ts';
import type { QueueShards } from '../store/engine/queue-shards.ts';
import { createLanes } from '../store/engine/lanes.ts';
import { TrafficCount } from '../app/engine/lanes/traffic.ts';
import { createSealer } from '../domain/sealing.ts';
import { createRetention } from '../store/desk/retention.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import { openApiTables } from './api-side.ts';
import { WEB_ROOT, openBrowserSide, openRefusalLog, startPruning } from './browser-side.ts';
import { authentication, shareOfLimits } from './callers.ts';
import { checksOf } from './checks.ts';
import { openClockCheck } from './clock-check.ts';
import { openBothSides } from './both-sides.ts';
import { openSchedulerSide } from './scheduler-side.ts';
import type { Config } from './config.ts';
import { openFeed, openTargets, startDelivering, startNumbering } from './event-side.ts';
import { openRetentionPool, replicaOf, watchServers } from './database.ts';
import { watchMove } from './cell-watch.ts';
import type { CellSide } from './cells/ledger-users.ts';
import { openJudge } from './judge-side.ts';
import { startListening } from './listening.ts';
import type { StoreSide } from './store-side.ts';
import { openStoreSide } from './store-side.ts';
import type { Observation } from './observation.ts';
import { openObservation } from './observation.ts';
import { startManagement } from './management-side.ts';
import { startFollowing } from './projector-side.ts';
import { queueBackendOf, queueCheck } from './queue-side.ts';
import { openTables } from './tables.ts';
import { readShards, startShards } from './shard-side.ts';
import { openIssuers, openTenants, providerTenant } from './tenants.ts';
import { VERSION } from './version.ts';

/** The running roles of one process. */
export interface System {
  /** `null` if this process serves no HTTP. */
  readonly apiPort: number | null;
  /** The port that serves metrics and the reasons of readiness to operators' tools. */
  readonly managementPort: number;
  readonly providerParty: Party;
  /** The readiness checks. A program that starts a further dependency adds that dependency's check. */
  readonly checks: ReadinessCheck[];
  /** Resolves with a reason when a part without which the process cannot continue has ended. */
  readonly failed: Promise<string>;
  /** Stops the parts in the reverse order of their start. Current work is finished or returned to the queue. */
  stop(): Promise<void>;
}

/**
 * Wrappers around the ports of a system. Shipped programs use none; tests use them to kill a process at an exact place
 * or to falsify its clock.
 */
export interface Instruments {
  store(store: Store): Store;
  outbox(outbox: Outbox): Outbox;
  queue(queue: JobQueue): JobQueue;
  gateway(gateway: LedgerGateway): LedgerGateway;
  /** @default the clock of the process */
  readonly wallClock?: WallClock;
}

export const NO_INSTRUMENTS: Instruments = {
  store: (store) => store,
  outbox: (outbox) => outbox,
  queue: (queue) => queue,
  gateway: (gateway) => gateway,
};

interface Parts extends Observation, StoreSide {
  readonly config: Config;
  readonly log: Logger;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly alarms: Alarms;
  readonly auditChain: AuditChain;
  readonly events: EventLog;
  readonly policies: Policies & PolicyDelays;
  readonly timers: Timers;
  readonly retention: Retention;
  readonly lanes: Lanes;
  readonly bulkActs: BulkActs;
  readonly queueBackend: () => Promise<QueueBackend>;
  readonly shards: QueueShards;
  readonly deliveries: Deliveries;
  readonly targets: WebhookTargets;
  readonly tenants: TrustedTenants;
  readonly issuers: IssuerDirectory;
  readonly ledger: CellSide;
  readonly hear: Hear;
  /** Delivers notifications about commits of other processes. */
  readonly listener: Listener;
  readonly wallClock: WallClock;
  readonly clocks: ClockCheck;
  /** The name of this process in leases. It changes at a restart. */
  readonly holder: string;
  readonly pool: Pool;
  readonly checks: ReadinessCheck[];
  readonly instruments: Instruments;
  readonly fail: (reason: string) => void;
  readonly eager?: EagerDispatch | undefined;
}

/**
 * Starts the relay, which puts effects on the queue, and the worker, which submits them from the queue to the ledger.
 */
async function startSubmitting(
  parts: Parts,
  stack: AsyncDisposableStack,
): Promise<EagerDispatch | undefined> {
  const { config, log, outbox, ledger, signals, listener, wallClock, tracer } = parts;
  const store = parts.observedStore('record answer');
  const { ledgerClock } = ledger;
  const judge = openJudge(parts, store);
  const backend = await parts.queueBackend();
  const queue = await openShardedQueue(backend, log);
  stack.defer(() => queue.close());
  parts.readings.queue(queue);
  const deps = {
    model: ledger.model,
    store,
    gateway: ledger.gateway,
    wallClock,
    ledgerClock,
    random: Math.random,
  };
  const answers = recordingTogether({ ...deps, isUnavailable: isDatabaseUnavailable });
  const submitting = { ...outbox, startAttempt: claimingTogether(outbox) };
  const { workers, eager } = await startShards(
    parts,
    {
      queue,
      backend,
      processor: (job, io, { id, addedAtMs }, recorded) =>
        traceSubmission(tracer, { id, addedAtMs, queue: SUBMIT_QUEUE }, (observer) =>
          submitCommand(
            job,
            {
              outbox: submitting,
              gateway: ledger.gateway,
              observer,
              prepare: (attempt, bounds) => prepareCommand({ ...ledger, judge }, attempt, bounds),
              recordAnswer: answers,
              newSubmissionId: ledger.newSubmissionId,
            },
            io,
            recorded,
          ),
        ),
    },
    stack,
  );
  const relay = startRelay({ outbox, queue: parts.instruments.queue(queue), log });
  stack.defer(() => relay.stop());
  stack.defer(signals.onEffectsDue(() => relay.wake()));
  // The relay already knows about the commits of its own process.
  const onMessage = (process: string): void => {
    if (process !== parts.holder) relay.wake();
  };
  stack.defer(listener.on(EFFECTS_CHANNEL, { onMessage, onGap: () => relay.wake() }));
  parts.checks.push(queueCheck(config, relay), {
    name: 'worker',
    check: () =>
      workers.isRunning ? Promise.resolve() : Promise.reject(new Error('it does not run')),
  });
  return eager;
}

/** Starts the scheduler (role `clock`). Only one process at a time performs its duties; the others stand by. */
function startScheduler(parts: Parts, stack: AsyncDisposableStack): void {
  const { pool } = parts;
  parts.readings.database((io) => readFigures(pool, io));
  openSchedulerSide(parts, stack);
  startNumbering(parts, eventSource(parts.ledger.providerParty), stack);
}

/** Returns the functions that record callers' changes. */
function recordingSide({ config, ledger, wallClock, outcomes, eager }: Parts, store: Store) {
  const { hosting, model, ledgerClock } = ledger;
  const { mailboxMax, quotas } = config;
  const traffic = new TrafficCount();
  const deps = { store, hosting, model, wallClock, ledgerClock, mailboxMax, quotas, traffic };
  const isBusy = (): boolean => !outcomes.isEmpty;
  const ways = { isUnavailable: isDatabaseUnavailable, isBusy, ...(eager && { eager }) };
  return { ...deps, door: openDoor({ ...deps, ...ways }) };
}

/** Returns the function that runs operators' searches and counts, on the replica if there is one. */
function openSearching(
  { config, pool, log, readings }: Parts,
  stack: AsyncDisposableStack,
): Ask | undefined {
  const replica = config.roles.has('api') ? replicaOf(config, pool, log, stack) : null;
  if (replica !== null) readings.replica(replica);
  return replica?.ask;
}

/** Starts the HTTP server. Every process serves its health; only the role `api` serves the rest. */
async function startHttp(parts: Parts, stack: AsyncDisposableStack): Promise<number> {
  const { config, log, ledger } = parts;
  const { outcomes } = parts;
  stack.defer(
    hearChanges(parts.listener, {
      onChanges: (ids) => outcomes.onChanges(ids),
      onGap: () => outcomes.onGap(),
    }),
  );
  const provider = providerTenant(config, ledger);
  const tenants = parts.tenants.registrations;
  const tables = openApiTables(parts.pool, config);
  const { signIn, sessions } = openBrowserSide({ ...parts, provider });
  if (config.roles.has('api')) {
    const pruning = startPruning(sessions, tables.keptAnswers, log);
    stack.defer(() => pruning.stop());
  }
  const server = await buildServer({
    ...recordingSide(parts, parts.observedStore('record change')),
    authenticate: authentication(parts, signIn),
    signIn,
    sessions,
    outcomes,
    events: openFeed(parts, stack),
    ...tables,
    targetDefect: (url, party) => parts.targets.defectOf(url, party),
    alarms: parts.alarms,
    bulkActs: parts.bulkActs,
    queueBoard: createQueueBoard(parts.queueBackend, log, () => readShards(parts.shards)),
    policies: parts.policies,
    policyDelayMs: config.policyDelayMs,
    timers: parts.timers,
    desk: createDesk(parts.pool, NEWEST_MODEL.names, openSearching(parts, stack)),
    gateway: ledger.gateway,
    partyDirectory: ledger.partyDirectory,
    hear: parts.hear,
    webRoot: WEB_ROOT,
    rateLimits: config.rateLimits,
    corsOrigins: config.corsOrigins,
    limitShare: await shareOfLimits(parts),
    refusals: openRefusalLog({ ...parts, provider }, stack),
    trustsProxy: config.trustsProxy,
    hostCookies: config.isProduction,
    admission: new Admission({
      atOnce: LIMITS.recordedTogetherMax,
      waitMsMax: MAIN_LIMITS.admissionMs,
    }),
    authMode: config.authMode,
    tenants,
    issuerDefect: (issuer) => parts.issuers.defectOf(issuer),
    clocks: parts.clocks,
    readiness: parts.checks,
    metrics: parts.metrics,
    tracer: parts.tracer,
    databaseOutage: outageWords,
    isLedgerUnavailable: (error) => error instanceof LedgerCallError || error instanceof TokenError,
    provider: await watchMove(parts, stack),
    serves: config.roles.has('api') ? 'api' : 'health',
    log,
    version: VERSION,
  });
  stack.defer(() => server.close());
  await server.listen({ host: config.http.host, port: config.http.port });
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.http.port;
}

async function startRoles(
  parts: Parts,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<EagerDispatch | undefined> {
  const { roles } = parts.config;
  const eager = roles.has('worker') ? await startSubmitting(parts, stack) : undefined;
  if (roles.has('worker')) startDelivering(parts, stack);
  if (roles.has('projector')) await startFollowing(parts, stack, signal);
  if (roles.has('clock')) startScheduler(parts, stack);
  return eager;
}

/**
 * Connects and starts the parts of this process in the order of their dependencies.
 *
 * @throws Error with one line for the person who started the process; nothing is left open
 */
export async function startSystem(
  config: Config,
  log: Logger,
  signal: AbortSignal,
  instruments: Instruments = NO_INSTRUMENTS,
): Promise<System> {
  await using stack = new AsyncDisposableStack();
  const failure = Promise.withResolvers<string>();
  const http = createOutgoingHttp();
  stack.defer(() => http.close());
  const { pool, side } = await openBothSides({ config, fetch: http.fetch, log, signal }, stack);
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
  const observation = await openObservation(config, pool, holder, log, stack);
  const wallClock = instruments.wallClock ?? { nowMs: () => Date.now() };
  const seen = { ...observation, config, pool, ledger: side, holder, wallClock, log };
  const { clocks, ledgerClock } = await openClockCheck(seen, stack);
  const ledger = {
    ...side,
    ledgerClock,
    gateway: observeGateway(instruments.gateway(side.gateway), observation),
  };
  const tenants = await openTenants(config, ledger, pool, log, signal);
  watchServers(config.databaseUrl, log, stack);
  const { listener, leases } = startListening({ config, pool, holder, log }, stack);
  const storeSide = openStoreSide({
    pool,
    holder,
    observation,
    log,
    through: (store) => instruments.store(store),
  });
  const oldRows = await openRetentionPool(config, pool, stack, signal);
  const parts: Parts = {
    ...observation,
    ...storeSide,
    config,
    log,
    tenants,
    issuers: openIssuers(config, http, wallClock, stack),
    outbox: instruments.outbox(createOutbox(pool, config.eagerDispatch)),
    leases: observeLeases(onlyOnTime(leases, clocks), observation.metrics),
    ...openTables(pool, storeSide.observer, createSealer(config.secretKeys)),
    retention: createRetention(oldRows, ledger.streams.projected),
    lanes: createLanes(pool),
    targets: openTargets(config, ledger.providerParty, stack),
    ledger,
    hear: createHear(ledger.gateway, wallClock, config.proof),
    listener,
    wallClock,
    holder,
    pool,
    clocks,
    checks: checksOf(pool, ledger, clocks),
    queueBackend: queueBackendOf(config, log),
    instruments,
    fail: failure.resolve,
  };
  const eager = await startRoles(parts, stack, signal);
  const managementPort = await startManagement(parts, stack);
  const apiPort = await startHttp({ ...parts, eager }, stack);
  const held = stack.move();
  return {
    apiPort,
    managementPort,
    providerParty: ledger.providerParty,
    checks: parts.checks,
    failed: failure.promise,
    stop: () => held.disposeAsync(),
  };
}
