import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalnetOptions } from '../../localnet/localnet.ts';
import type { DecideDoubt } from '../../src/app/desk/decide-doubt.ts';
import { decideDoubt } from '../../src/app/desk/decide-doubt.ts';
import { prepareCommand } from '../../src/app/engine/attempts/prepare-command.ts';
import { createHear } from '../../src/app/engine/doubts/proof.ts';
import { knownLedger } from '../../src/app/engine/follow/recognise-ledger.ts';
import { recordAnswer } from '../../src/app/engine/attempts/record-answer.ts';
import type {
  ChangeRequest,
  RequestedChange,
} from '../../src/app/engine/requests/change-request.ts';
import { requestChange } from '../../src/app/engine/requests/request-change.ts';
import type { LedgerGateway } from '../../src/app/ports/ledger.ts';
import type { TokenRegistry } from '../../src/app/ports/registry.ts';
import { RegistryError } from '../../src/app/ports/registry.ts';
import type { LifecycleView } from '../../src/app/ports/views.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Change, ChangeState } from '../../src/domain/change.ts';
import type { ChangeId, CommandId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import type { LedgerTransaction } from '../../src/domain/ledger.ts';
import type { HistoryEntry } from '../../src/domain/lifecycle.ts';
import { createLedgerGateway } from '../../src/ledger/gateway.ts';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import type { Projector } from '../../src/projector/status.ts';
import { whyNotReady } from '../../src/projector/status.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { openQueue } from '../../src/queue/backend.ts';
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { startRelay } from '../../src/queue/relay.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import { Control } from '../contract/kit/faults.ts';
import { LedgerClient, PROVIDER_SIDE, exercise, io } from '../contract/kit/ledger-client.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { SUBSCRIPTIONS } from './contract/model.ts';
import { SUBSCRIPTION } from './contract/names.ts';
import { subscriptionPackage } from './ledger/package.ts';
import { allOf } from '../kit/all-of.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';

/*
 * Tenure with the subscription package: the parts of `src/main`, composed for another contract package. PostgreSQL,
 * queue, relay, worker and projector are the real ones. The ledger is that of LocalNet, which is called over gRPC.
 */

const wallClock = { nowMs: () => Date.now() };
/** All processes use the clock of this machine. */
const BOUNDS = { toleranceMs: 1_000, clockDifferenceMs: 0 };
const LOOK_MS = 20;

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** There is no token registry: the token's allocations do not pay subscriptions. */
const noToken = () => Promise.reject(new RegistryError('unavailable', 'there is no registry'));
const registry: TokenRegistry = { instrumentAdmin: noToken, settlementContext: noToken };

const callerOf = (party: Party, role: 'provider' | 'user'): Caller => ({
  party,
  roles: new Set([role]),
  via: 'bearer',
  tenantId: role,
  subject: role,
  name: role,
});

/** The parts of a request that a test can set. All other parts are always the same. */
export type Asked = Partial<Pick<ChangeRequest, 'target' | 'body' | 'commandId' | 'within'>>;

type Answer = Readonly<Record<string, string | undefined>>;

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > endsAtMs) throw new Error(`${what} did not come`);
    await sleep(LOOK_MS);
  }
}

/** Starts relay and worker, as `startSubmitting` of `src/main/system.ts` does. */
async function startSubmitting(
  deps: WorldDeps,
  under: PostgresStoreUnderTest,
  stack: AsyncDisposableStack,
): Promise<void> {
  const { gateway, model, outbox } = deps;
  const backend = await postgresBackend({ databaseUrl: under.url }, log);
  const queue = await openQueue(backend, log);
  stack.defer(() => queue.close());
  const judge = () => Promise.resolve(null);
  const worker = await startWorker({
    backend,
    log,
    processor: (job, bounds) =>
      submitCommand(
        job,
        {
          outbox,
          gateway,
          prepare: (attempt, within) => prepareCommand({ registry, model, judge }, attempt, within),
          newSubmissionId,
          recordAnswer: (change, submissionId, answer, within) =>
            recordAnswer(deps, change, submissionId, answer, within),
        },
        bounds,
      ),
  });
  worker.ended.catch(quiet);
  stack.defer(() => worker.stop());
  const relay = startRelay({ outbox, queue, log });
  stack.defer(() => relay.stop());
  const wake = () => relay.wake();
  stack.use(await under.listen({ onChanges: quiet, onEffects: wake }));
}

const depsOf = (client: LedgerClient, under: PostgresStoreUnderTest, gateway: LedgerGateway) => ({
  model: SUBSCRIPTIONS,
  store: under.store,
  outbox: under.outbox,
  hosting: client.hosting,
  ledgerClock: client.clock,
  gateway,
  wallClock,
  hear: createHear(gateway, wallClock, BOUNDS),
  random: Math.random,
});
type WorldDeps = ReturnType<typeof depsOf>;

/** A deployment of one vendor, with one customer. */
export class SubscriptionWorld implements AsyncDisposable {
  readonly vendor: Caller;
  readonly customer: Caller;
  readonly control: Control;
  readonly client: LedgerClient;
  readonly under: PostgresStoreUnderTest;
  readonly #deps: WorldDeps;
  readonly #stack: AsyncDisposableStack;
  #projector: Projector | null = null;
  #terms = 0;

  private constructor(
    client: LedgerClient,
    under: PostgresStoreUnderTest,
    deps: WorldDeps,
    stack: AsyncDisposableStack,
  ) {
    this.client = client;
    this.under = under;
    this.vendor = callerOf(client.provider, 'provider');
    this.customer = callerOf(client.user, 'user');
    this.control = new Control(client.network as never);
    this.#deps = deps;
    this.#stack = stack;
  }

  static async open(options: LocalnetOptions = {}): Promise<SubscriptionWorld> {
    await using stack = new AsyncDisposableStack();
    const under = stack.use(await postgresStore());
    const client = stack.use(
      await LedgerClient.open(
        {
          ledgerTimeToleranceMs: BOUNDS.toleranceMs,
          ...options,
          extraPackages: [subscriptionPackage],
        },
        (tokens) => tokens,
        SUBSCRIPTIONS,
      ),
    );
    const gateway = createLedgerGateway({
      argumentsOf: SUBSCRIPTIONS.argumentsOf,
      participants: client.participants,
      rights: client.discovered.rights,
      known: (name, bounds) => knownLedger(under.store, name, PROVIDER_SIDE, bounds),
    });
    const deps = depsOf(client, under, gateway);
    await startSubmitting(deps, under, stack);
    const world = new SubscriptionWorld(client, under, deps, stack.move());
    await world.follow();
    return world;
  }

  /** Starts a projector, and waits until it follows all streams or has failed. */
  async follow({ isReady = true } = {}): Promise<void> {
    this.#terms += 1;
    const { leases, rebuilds } = this.under;
    const projector = startProjector({
      ...this.#deps,
      leases,
      streams: this.client.streams,
      bounds: BOUNDS,
      log,
      holder: `projector-${this.#terms}`,
      isUnavailable: isDatabaseUnavailable,
      silenceMs: this.client.discovered.silenceMs,
      rebuilds,
    });
    this.#projector = projector;
    this.#stack.defer(() => projector.stop());
    await until('the projector', async () =>
      (whyNotReady(projector.status()) === null) === isReady &&
      projector.status().state !== 'starting'
        ? true
        : null,
    );
  }

  /** Returns what `/readyz` reports about the projector. */
  readiness(): string {
    return this.#projector === null ? 'none' : (whyNotReady(this.#projector.status()) ?? 'ok');
  }

  async unfollow(): Promise<void> {
    await this.#projector?.stop();
  }

  /** Requests an operation without waiting for its outcome. */
  request(caller: Caller, operation: string, asked: Asked = {}): Promise<RequestedChange> {
    const { target = null, body = {}, commandId = trusted<CommandId>(randomUUID()) } = asked;
    const within = asked.within === undefined ? {} : { within: asked.within };
    const request = { operation, target, body, commandId, ...within };
    return requestChange(this.#deps, caller, request, io());
  }

  async changeOf(id: ChangeId): Promise<Change> {
    const [change] = await this.under.store.reads.changesById([id], io());
    if (change === undefined) throw new Error(`no change ${id}`);
    return change;
  }

  /** Waits until the change has one of these states. */
  reach(id: ChangeId, ...states: readonly ChangeState[]): Promise<Change> {
    return until(`${id} in ${states.join(' or ')}`, async () => {
      const change = await this.changeOf(id);
      return states.includes(change.state) ? change : null;
    });
  }

  /** Waits for the outcome of the change. */
  outcome(id: ChangeId): Promise<Change> {
    return this.reach(id, 'succeeded', 'rejected', 'failed', 'cancelled');
  }

  /** Requests an operation, and waits for its outcome. */
  async ask(caller: Caller, operation: string, asked: Asked = {}): Promise<Change> {
    const { change } = await this.request(caller, operation, asked);
    return this.outcome(change.id);
  }

  /** Returns the body of the answer to an operation that must succeed. */
  async done(caller: Caller, operation: string, asked: Asked = {}): Promise<Answer> {
    const { result, error } = await this.ask(caller, operation, asked);
    if (result === null) throw new Error(`${operation}: ${error?.code} ${error?.message}`);
    return (result.body ?? {}) as Answer;
  }

  /** Creates a request of the customer that waits for the vendor's answer. @returns its contract ID */
  async wish(plan = 'basic'): Promise<string> {
    const body = { vendor: this.vendor.party, plan };
    const { contractId } = await this.done(this.customer, 'ask-for-subscription', { body });
    return contractId ?? '';
  }

  /** Creates a subscription whose first period is free. @returns its contract ID */
  async subscribe(freeMicros = '86400000000', plan = 'basic'): Promise<string> {
    const target = await this.wish(plan);
    const accepted = { target, body: { freeMicros } };
    const { contractId } = await this.done(this.vendor, 'accept-subscription', accepted);
    return contractId ?? '';
  }

  /** Creates an open invoice for a subscription. @returns its contract ID */
  async bill(target: string, amount = '5.0'): Promise<string> {
    const body = { amount, periodMicros: '1000000' };
    const { contractId } = await this.done(this.vendor, 'bill-subscription', { target, body });
    return contractId ?? '';
  }

  async view(id: string): Promise<LifecycleView> {
    const view = await this.under.store.reads.lifecycle(id, io());
    if (view === null) throw new Error(`no lifecycle of ${id}`);
    return view;
  }

  /** Waits until the lifecycle of a contract is in this state. */
  become(id: string, state: string): Promise<LifecycleView> {
    return until(`${id} ${state}`, async () => {
      const view = await this.under.store.reads.lifecycle(id, io());
      return view?.lifecycle.state === state ? view : null;
    });
  }

  async history(id: string): Promise<readonly HistoryEntry[]> {
    const { lifecycle } = await this.view(id);
    return allOf(this.under.store.reads.history(lifecycle.id, io()));
  }

  /** Returns the attempts of a change, oldest first. */
  attempts(id: ChangeId) {
    return this.under.store.reads.attempts(id, io());
  }

  /** Changes a plan as another client of the participant would. */
  async changePlanBeside(target: string, plan: string): Promise<LedgerTransaction> {
    const { lifecycle } = await this.view(target);
    const command = exercise(SUBSCRIPTION, lifecycle.contractId, 'Subscription_ChangePlan', {
      plan,
    });
    return this.client.transact(await this.client.request(this.vendor.party, command));
  }

  rebuild(isDryRun = false): Promise<JsonRecord> {
    return askForRebuild({
      databaseUrl: this.under.url,
      isDryRun,
      by: 'a person',
      waitMs: PATIENCE_MS,
    });
  }

  decide(asked: DecideDoubt): Promise<Change> {
    return decideDoubt(this.#deps, this.vendor, asked, io());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
