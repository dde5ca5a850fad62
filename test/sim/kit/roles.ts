import type { BulkAct, BulkRequest } from '../../../src/app/desk/bulk-acts.ts';
import { applyBulk, previewBulk } from '../../../src/app/desk/bulk-acts.ts';
import type { DecideDoubt } from '../../../src/app/desk/decide-doubt.ts';
import { decideDoubt } from '../../../src/app/desk/decide-doubt.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { scopeOf } from '../../../src/app/ports/ops-scope.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type { Leases } from '../../../src/app/ports/leases.ts';
import type { LedgerGateway } from '../../../src/app/ports/ledger.ts';
import type { EagerDispatch, Outbox } from '../../../src/app/ports/outbox.ts';
import type { LicenseFacts, Subscriptions } from '../../../src/app/ports/subscriptions.ts';
import type { Store } from '../../../src/app/ports/transaction.ts';
import type {
  Policies,
  PolicyChange,
  PolicyConfirmation,
  PolicySet,
  PolicyUndone,
} from '../../../src/app/ports/policies.ts';
import { cancelChange } from '../../../src/app/desk/cancel-change.ts';
import { judgeAgain } from '../../../src/app/policies/judge-policy.ts';
import { prepareCommand } from '../../../src/app/engine/attempts/prepare-command.ts';
import type { ProofBounds } from '../../../src/app/engine/doubts/proof.ts';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { claimingTogether } from '../../../workers/claims.ts';
import { recordingTogether } from '../../../src/app/engine/attempts/record-answer.ts';
import type {
  ChangeRequest,
  RequestedChange,
} from '../../../src/app/engine/requests/change-request.ts';
import { openDoor } from '../../../src/app/engine/requests/request-change.ts';
import type { SeenSynchronizer } from '../../../src/app/desk/give-up-synchronizer.ts';
import { giveUpSynchronizer } from '../../../src/app/desk/give-up-synchronizer.ts';
import type { Act } from '../../../src/domain/act.ts';
import { retryChange } from '../../../src/app/desk/retry-change.ts';
import type { NewWebhook } from '../../../src/app/ports/webhooks.ts';
import type { Delivery, Webhook } from '../../../src/domain/webhook.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import type { Pause } from '../../../src/domain/pause.ts';
import type { RenewalPolicy } from '../../../src/domain/renewal-policy.ts';
import type { Actor } from '../../../src/domain/caller.ts';
import type { ChangeId, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { SubscriptionTerms } from '../../../src/domain/subscription.ts';
import { judgeSubscription } from '../../../src/app/subscriptions/judge.ts';

import { fail } from '../../../src/domain/problems.ts';
import { isDatabaseUnavailable } from '../../../src/store/sql/deadline.ts';
import { LEDGER_LIMITS } from '../../../src/ledger/limits.ts';
import { MAIN_LIMITS } from '../../../src/main/limits.ts';
import { startDeliverer } from '../../../src/ops/deliverer.ts';
import type { RunningClockCheck } from '../../../src/ops/clock-check.ts';
import { onlyOnTime, startClockCheck, withClockCheck } from '../../../src/ops/clock-check.ts';
import { startProjector } from '../../../src/projector/projector.ts';
import { startEager } from '../../../src/queue/eager.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { startRelay } from '../../../src/queue/relay.ts';
import { createSlots } from '../../../src/queue/turns.ts';
import type { EffectProcessor } from '../../../src/queue/worker.ts';
import { submitCommand } from '../../../workers/submit-command.ts';
import type { MemoryDatabaseConnection } from '../memory/database.ts';
import type { MemoryQueueConnection } from '../memory/queue.ts';
import type { SimProcess } from './process.ts';
import type { LedgerSide } from './side.ts';
import { PROJECTED, openLedgerSide } from './side.ts';
import { postTo } from './targets.ts';
import type { World } from './world.ts';
import { newSubmissionId } from '../../kit/submission-ids.ts';

/*
 * The parts of Tenure's processes, composed as in `src/main/system.ts`, on the simulation's store, queue and network.
 */

/** Bugs that a test plants to check that they are detected. */
export interface Plants {
  readonly gateway?: (gateway: LedgerGateway) => LedgerGateway;
  readonly outbox?: (outbox: Outbox) => Outbox;
  readonly store?: (store: Store) => Store;
  readonly leases?: (leases: Leases) => Leases;
  readonly policies?: (policies: Policies) => Policies;
  readonly facts?: (facts: LicenseFacts) => LicenseFacts;
}

export interface Life {
  readonly world: World;
  readonly process: SimProcess;
  readonly database: MemoryDatabaseConnection;
  readonly queue: MemoryQueueConnection;
  readonly plants: Plants;
}

export interface Running {
  /** Stops the role as on SIGTERM. */
  stop(): Promise<void>;
}

/** The API as its callers see it. */
export interface Api extends Running {
  request(caller: Caller, request: ChangeRequest): Promise<RequestedChange>;
  changes(ids: readonly ChangeId[]): Promise<readonly Change[]>;
  /** Records what an operator found about a change in doubt. */
  decide(caller: Caller, asked: DecideDoubt): Promise<Change>;
  retry(id: ChangeId, act: Act): Promise<RequestedChange>;
  cancel(id: ChangeId, act: Act): Promise<Change>;
  setExpiry(policy: ExpiryPolicy, confirmed?: PolicyConfirmation): Promise<PolicySet>;
  /** Undoes a version of the expiry policy. */
  undoExpiry(version: number): Promise<PolicyUndone>;
  setRenewal(policy: RenewalPolicy): Promise<PolicySet>;
  pause(asked: Pick<Pause, 'scope' | 'name' | 'mode' | 'reason'>, by: Caller): Promise<Pause>;
  resume(id: string, by: Caller): Promise<Pause | null>;
  preview(by: Caller, request: BulkRequest): ReturnType<typeof previewBulk>;
  apply(by: Caller, asked: Parameters<typeof applyBulk>[2]): Promise<BulkAct>;
  stopAct(id: string, by: Caller): Promise<BulkAct | null>;
  giveUp(seen: SeenSynchronizer, act: Act): Promise<string>;
  addWebhook(webhook: NewWebhook): Promise<Webhook | null>;
  /** Makes a licence renew itself. */
  subscribe(license: Lifecycle, terms: SubscriptionTerms): Promise<unknown>;
  cancelSubscription(license: Lifecycle): Promise<unknown>;
  suspend(license: Lifecycle, isSuspended: boolean): Promise<void>;
  redeliver(webhookId: string, deliveryId: string, by: Caller): Promise<Delivery | null>;
}

const wallClock = { nowMs: () => Date.now() };
/**
 * The tolerance is that of the simulated network. Without the fault `clock-skew`, all clocks of a history show the same
 * time.
 */
export const BOUNDS: ProofBounds = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const NEVER = new AbortController().signal;
/** The person who changes subscriptions. */
const PERSON: Actor = { party: trusted<Party>('provider'), subject: 'somebody' };
const ASK: Io = { signal: NEVER, deadlineMs: 30_000 };

type SubscriptionReads = Omit<Subscriptions, 'page' | 'count'>;

/** A process's connection to the ledger, and its comparison of the ledger's time with other clocks. */
export interface TimedSide extends LedgerSide {
  readonly clocks: RunningClockCheck;
}

export async function openSide({ world, process, database, plants }: Life): Promise<TimedSide> {
  const side = await openLedgerSide(world, process);
  const clocks = startClockCheck({
    clocks: database.processClocks,
    process: process.name,
    roles: process.name,
    boundMs: BOUNDS.clockDifferenceMs,
    isTimeStatic: false,
    wallClock,
    log: world.logOf(process),
  });
  await clocks.compare();
  const want = (untilMs: number): void => {
    const wantedMs = untilMs + BOUNDS.clockDifferenceMs + BOUNDS.toleranceMs;
    database.timeWanted.ask(PROJECTED, wantedMs, ASK).catch(() => undefined);
  };
  return {
    ...side,
    clocks,
    ledgerClock: withClockCheck(side.ledgerClock, clocks, want),
    gateway: plants.gateway?.(side.gateway) ?? side.gateway,
  };
}

/** Returns leases that a process cannot take while its clock is wrong. */
export const leasesOf = ({ database, plants }: Life, { clocks }: TimedSide): Leases =>
  onlyOnTime(plants.leases?.(database.leases) ?? database.leases, clocks);

export const storeOf = ({ database, plants }: Life): Store =>
  plants.store?.(database.store) ?? database.store;

/**
 * Makes an API refuse calls while the clock of its process is wrong. `src/http/kit/permissions.ts` does this for each
 * request.
 */
function onTime({ clocks }: TimedSide, api: Api): Api {
  const guarded = Object.entries(api).map(([name, call]) => [
    name,
    name === 'stop'
      ? call
      : async (...asked: readonly never[]): Promise<unknown> => {
          const why = clocks.ownDefect();
          if (why !== null) fail('CLOCK_WRONG', why);
          return (call as (...given: readonly never[]) => Promise<unknown>)(...asked);
        },
  ]);
  return Object.fromEntries(guarded) as Api;
}

/** Returns the subscriptions of the store, with the facts that a planted bug changes. */
export function subscriptionsOf({ database: { subscriptions }, plants }: Life): SubscriptionReads {
  return {
    ...subscriptions,
    facts: async (license, io) => {
      const facts = await subscriptions.facts(license, io);
      return facts === null ? null : (plants.facts?.(facts) ?? facts);
    },
  };
}

export async function startApi(life: Life): Promise<Api> {
  const ledger = await openSide(life);
  const store = storeOf(life);
  const { policies, pauses, bulkActs, webhooks, subscriptions } = life.database;
  const hear = createHear(ledger.gateway, wallClock, BOUNDS);
  const deps = { ...ledger, hear, store, model: NEWEST_MODEL, wallClock };
  const worker = life.world.isEager ? await startWorkerRole(life, ledger) : null;
  const door = openDoor({
    ...deps,
    isUnavailable: isDatabaseUnavailable,
    isBusy: () => true,
    ...(worker && { eager: worker.eager }),
  });
  const byPerson = <Policy>(policy: Policy): PolicyChange<Policy> => ({
    provider: life.world.ledger.provider,
    policy,
    bySubject: 'somebody',
    at: new Date().toISOString(),
  });
  return onTime(ledger, {
    request: (caller, request) => door(caller, request, ASK),
    changes: (ids) => store.reads.changesById(ids, ASK),
    decide: (caller, asked) => decideDoubt(deps, caller, asked, ASK),
    retry: (id, act) => retryChange(deps, id, act, ASK),
    cancel: (id, act) => cancelChange(deps, id, act, ASK),
    setExpiry: (policy, confirmed) =>
      policies.setExpiry(
        { ...byPerson(policy), ...(confirmed === undefined ? {} : { confirmed }) },
        ASK,
      ),
    undoExpiry: (version) => {
      const { provider, bySubject, at } = byPerson(null);
      const reason = 'too many';
      return policies.undo({ name: 'expiry', provider, version, bySubject, reason, at }, ASK);
    },
    setRenewal: (policy) => policies.setRenewal(byPerson(policy), ASK),
    pause: (asked, { party: byParty, subject: bySubject }) =>
      pauses.put(asked, { byParty, bySubject }, ASK),
    resume: (id, { party: byParty, subject: bySubject }) =>
      pauses.remove(id, { byParty, bySubject, reason: 'it is over' }, ASK),
    preview: (by, request) => previewBulk(bulkActs, by, scopeOf(by, ledger.hosting), request, ASK),
    apply: (by, asked) => applyBulk(bulkActs, by, asked, ASK),
    stopAct: (id, by) =>
      bulkActs.stop(id, scopeOf(by, ledger.hosting), { by, reason: 'enough of it' }, ASK),
    giveUp: (seen, act) => giveUpSynchronizer(deps, seen, act, ASK),
    addWebhook: (webhook) => webhooks.add(webhook, ASK),
    subscribe: ({ id: licenseId, provider, appUser }, terms) =>
      subscriptions.set({ licenseId, provider, appUser }, terms, undefined, PERSON, ASK),
    cancelSubscription: ({ id }) => subscriptions.cancel(id, PERSON, ASK),
    suspend: ({ id }, isSuspended) => subscriptions.suspend(id, isSuspended, ASK),
    redeliver: (id, deliveryId, by) => webhooks.redeliver(id, deliveryId, by, ASK),
    stop: async () => {
      await worker?.stop();
      await ledger.clocks.stop();
    },
  });
}

interface WorkerRole extends Running {
  readonly eager: EagerDispatch;
}

/** @param side the connection to the ledger, if the process has another role that uses the same connection */
export async function startWorkerRole(life: Life, side?: TimedSide): Promise<WorkerRole> {
  const { world, process, database, queue, plants } = life;
  const ledger = side ?? (await openSide(life));
  const log = world.logOf(process);
  const outbox = plants.outbox?.(database.outbox) ?? database.outbox;
  const deps = {
    model: NEWEST_MODEL,
    store: storeOf(life),
    gateway: ledger.gateway,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    random: Math.random,
  };
  const { policies } = database;
  const judge = judgeAgain.bind(null, {
    ...deps,
    subscription: judgeSubscription({
      subscriptions: subscriptionsOf(life),
      policies,
      reads: deps.store.reads,
      ledgerClock: ledger.ledgerClock,
    }),
    policies,
    reads: deps.store.reads,
    clocks: ledger.clocks,
  });
  const answers = recordingTogether({ ...deps, isUnavailable: isDatabaseUnavailable });
  const submitting = { ...outbox, startAttempt: claimingTogether(outbox) };
  const processor: EffectProcessor = (job, io, _onQueue, recorded) =>
    submitCommand(
      job,
      {
        outbox: submitting,
        gateway: ledger.gateway,
        prepare: (attempt, within) =>
          prepareCommand(
            { registry: ledger.registry, model: NEWEST_MODEL, judge },
            attempt,
            within,
          ),
        newSubmissionId,
        recordAnswer: answers,
      },
      io,
      recorded,
    );
  const concurrency = QUEUE_LIMITS.concurrencyDefault;
  const slots = createSlots(concurrency);
  const worker = queue.startWorker({ log, processor, slots, concurrency });
  const relay = startRelay({ outbox, queue: queue.queue, log });
  database.listen({ onEffects: () => relay.wake() });
  const eager = startEager({
    slots,
    concurrency,
    processor,
    outbox,
    session: database.session,
    newSubmissionId,
    wallClock,
    wakeRelay: () => relay.wake(),
    log,
  });
  const deliverer = startDeliverer({
    deliveries: database.deliveries,
    post: postTo(world, process, MAIN_LIMITS.webhookExchangeMs),
    wallClock,
    random: Math.random,
    log,
  });
  return {
    eager,
    stop: async () => {
      await deliverer.stop();
      await relay.stop();
      await eager.stop();
      await worker.stop();
      if (side === undefined) await ledger.clocks.stop();
    },
  };
}

export async function startProjectorRole(life: Life): Promise<Running> {
  const { world, process, database } = life;
  const ledger = await openSide(life);
  const projector = startProjector({
    model: NEWEST_MODEL,
    store: storeOf(life),
    outbox: database.outbox,
    leases: leasesOf(life, ledger),
    streams: ledger.streams,
    gateway: ledger.gateway,
    hear: createHear(ledger.gateway, wallClock, BOUNDS),
    bounds: BOUNDS,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    wanted: async (participant, io) => {
      const proofAt = await database.timeWanted.wanted(participant, io);
      if (proofAt === null) return null;
      const { provider } = ledger.hosting;
      const submitter = await ledger.hosting.submitterFor(provider, io);
      return submitter?.participant === participant ? { proofAt, submitter, provider } : null;
    },
    log: world.logOf(process),
    random: Math.random,
    holder: process.name,
    isUnavailable: isDatabaseUnavailable,
    silenceMs: LEDGER_LIMITS.streamSilenceMs,
    rebuilds: database.rebuilds,
  });
  return {
    stop: async () => {
      await projector.stop();
      await ledger.clocks.stop();
    },
  };
}
