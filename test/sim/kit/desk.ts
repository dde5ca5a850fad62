import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import type { BulkRequest } from '../../../src/app/desk/bulk-acts.ts';
import { BULK_ACTIONS } from '../../../src/app/desk/bulk-acts.ts';
import { DEFAULT_EXPIRY_POLICY, holdOf } from '../../../src/domain/expiry-policy.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import { OPERATIONS } from '../../../src/domain/licensing.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { newSecret } from '../../../src/domain/webhook-signature.ts';
import { callerFor } from './callers.ts';
import type { Called, Cluster } from './cluster.ts';
import { PARTICIPANTS } from './ledger.ts';
import { Operator } from './operator.ts';
import { confirmationIn, isRegretted } from './policy-delay.ts';
import type { Api } from './roles.ts';
import { leftIn, rebuild, seenIn } from './upkeep.ts';
import type { World } from './world.ts';

/*
 * The provider's operators. They set policies, pause and resume, retry failed operations, cancel waiting ones, and
 * decide doubts. They act on what the store shows them, and are often wrong.
 */

const ASK_MS = 40_000;
/** The mean time between two acts of the operators. */
const MEAN_MS = 4_000;

interface Office {
  readonly world: World;
  readonly cluster: Cluster;
  readonly by: Caller;
}

/** One act of an operator. The operator ignores its result. */
type Deed = (office: Office) => Promise<unknown>;

/** Returns the caller that stands for the provider's operators. */
export const operatorOf = ({ ledger: { provider } }: World): Caller => ({
  ...callerFor(provider, provider),
  roles: new Set(['provider', 'operator'] as const),
});

const whyNot = (error: unknown): string =>
  error instanceof ProblemError ? error.details.code : String(error);

async function ask<T>(
  { world, cluster }: Office,
  what: string,
  call: (api: Api) => Promise<T>,
): Promise<Called<T>> {
  const called = await cluster.callApi(call, ASK_MS);
  if (called.kind === 'value') world.weather.count('desk', what);
  world.trace.add(
    'desk',
    `${what}: ${called.kind} ${called.kind === 'error' ? whyNot(called.error) : ''}`,
  );
  return called;
}

const changesOf = ({ world }: Office, isMeant: (change: Change) => boolean): Change[] =>
  world.database.contents.changes().flatMap(({ change }) => (isMeant(change) ? [change] : []));

const some = <T>({ world: { random } }: Office, items: readonly T[]): T | null =>
  items.length === 0 ? null : random.pick(items);

const retry: Deed = async (office) => {
  const failed = changesOf(office, ({ state }) => !isOpen(state) && state !== 'succeeded');
  const change = some(office, failed);
  if (change === null) return;
  const act = { by: office.by, reason: 'it is worth another try' };
  await ask(office, 'retry', (api) => api.retry(change.id, act));
};

/** Retries a failed operation, as a person would. */
export const retryFailed = (world: World, cluster: Cluster): Promise<unknown> =>
  retry({ world, cluster, by: operatorOf(world) });

/** Cancels an operation. Operators mostly choose operations whose answer was lost. */
const cancel: Deed = async (office) => {
  const open = changesOf(office, ({ state }) => isOpen(state));
  const tried = open.filter(({ state }) => state !== 'queued');
  const change = some(office, office.world.random.chance(0.7) && tried.length > 0 ? tried : open);
  if (change === null) return;
  const act = { by: office.by, reason: 'nobody wants it any more' };
  await ask(office, 'cancel', (api) => api.cancel(change.id, act));
};

const decide: Deed = ({ world, cluster }) => new Operator(world, cluster).look();

/** Decides an arbitrary operation, because an operator may have confused two operations. */
const guess: Deed = async (office) => {
  const { world, cluster } = office;
  const change = some(
    office,
    changesOf(office, () => true),
  );
  if (change !== null) await new Operator(world, cluster).guess(change);
};

const expiryPolicy: Deed = async (office) => {
  const { random } = office.world;
  const graceMs = random.pick([0, 1_000, 30_000, 3_600_000]);
  const policy: ExpiryPolicy = {
    ...DEFAULT_EXPIRY_POLICY,
    mode: random.pick(['on', 'on', 'on', 'off', 'dry-run']),
    grace: `PT${graceMs / 1_000}S`,
    graceMs,
    includeNeverRenewed: random.chance(0.4),
    paused: random.chance(0.1),
    maxInFlight: random.pick([1, 3, 10]),
  };
  const confirmed = confirmationIn(office.world);
  const set = await ask(office, 'expiry policy', (api) => api.setExpiry(policy, confirmed));
  if (confirmed === undefined || set.kind !== 'value') return;
  if (!(await isRegretted(office.world, confirmed))) return;
  await ask(office, 'undo policy', (api) => api.undoExpiry(set.value.version));
};

const renewalPolicy: Deed = async (office) => {
  const { random } = office.world;
  const policy = { complete: random.chance(0.5), withdrawLapsed: random.chance(0.5) };
  await ask(office, 'renewal policy', (api) => api.setRenewal(policy));
};

const pause: Deed = async (office) => {
  const { world } = office;
  const { random, ledger } = world;
  const scope = random.pick(['participant', 'operation', 'provider'] as const);
  const name = {
    participant: () => random.pick(PARTICIPANTS),
    operation: () => random.pick(OPERATIONS),
    provider: () => ledger.provider,
  }[scope]();
  const mode = random.pick(['pause', 'drain'] as const);
  const asked = { scope, name, mode, reason: 'an upgrade' };
  const put = await ask(office, mode, (api) => api.pause(asked, office.by));
  if (put.kind !== 'value') return;
  await world.clock.pass(random.pick([500, 5_000, 30_000]));
  await ask(office, 'resume', (api) => api.resume(put.value.id, office.by));
};

/**
 * Performs a bulk act on all operations, or on those of one kind: for example, retries everything that has failed, or
 * cancels everything that waits.
 */
const bulk: Deed = async (office) => {
  const { world, by } = office;
  const { random, clock } = world;
  const action = random.pick(BULK_ACTIONS);
  const request: BulkRequest = {
    action,
    decision: action === 'decide' ? random.pick(['no-effect', 'submit-again']) : null,
    filter: random.chance(0.5) ? {} : { operations: [random.pick(OPERATIONS)] },
    reason: 'after the outage',
  };
  const seen = await ask(office, `preview ${action}`, (api) => api.preview(by, request));
  if (seen.kind !== 'value' || seen.value.count === 0) return;
  const { token, count } = seen.value;
  await clock.pass(random.pick([100, 3_000]));
  const applied = await ask(office, `bulk ${action}`, (api) => api.apply(by, { token, count }));
  if (applied.kind !== 'value' || random.chance(0.7)) return;
  await clock.pass(random.pick([100, 1_000]));
  await ask(office, 'stop act', (api) => api.stopAct(applied.value.id, by));
};

const webhook: Deed = async (office) => {
  const { world } = office;
  const { random, ledger } = world;
  const party = random.pick([ledger.provider, ...ledger.users]);
  const id = `webhook-${random.uuid()}`;
  const types = random.pick([[], ['tenure.operation.*'], ['tenure.lifecycle.changed']]);
  const [url, secret] = [`https://${id}.example.org/`, newSecret()];
  const added = { id, party, createdBy: 'somebody', url, types, secret, tenantId: null };
  await ask(office, 'webhook', (api) => api.addWebhook(added));
};

const redeliver: Deed = async (office) => {
  const { world, by } = office;
  const delivery = some(office, world.database.contents.deliveries());
  if (delivery === null) return;
  const { webhookId, id } = delivery;
  await ask(office, 'redeliver', (api) => api.redeliver(webhookId, id, by));
};

/** Gives up a synchronizer. Sometimes it is still in use; it then counts again as soon as it reports something. */
const giveUp: Deed = async (office) => {
  const { world, by } = office;
  const seen = some(office, world.random.chance(0.3) ? seenIn(world) : leftIn(world));
  if (seen === null) return;
  const { side, synchronizer } = seen;
  const named = { participant: trusted<ParticipantName>(side), synchronizer };
  const act = { by, reason: 'it was shut down' };
  await ask(office, 'give up', (api) => api.giveUp(named, act));
};

const DEEDS = {
  retry: [3, retry],
  cancel: [3, cancel],
  decide: [3, decide],
  guess: [0.5, guess],
  expiryPolicy: [2, expiryPolicy],
  renewalPolicy: [1, renewalPolicy],
  pause: [1, pause],
  bulk: [2, bulk],
  webhook: [1, webhook],
  redeliver: [0.5, redeliver],
  rebuild: [1, ({ world }) => rebuild(world)],
  giveUp: [0.5, giveUp],
} as const satisfies Record<string, readonly [number, Deed]>;

const WEIGHTS = Object.fromEntries(
  Object.entries(DEEDS).map(([name, [weight]]) => [name, weight]),
) as Readonly<Record<keyof typeof DEEDS, number>>;

/** Lets the operators act until the faults end. */
export async function openDesk(world: World, cluster: Cluster): Promise<void> {
  const office: Office = { world, cluster, by: operatorOf(world) };
  if (world.random.chance(0.7)) await expiryPolicy(office);
  while (!world.weather.isFair) {
    await world.clock.pass(-Math.log(1 - world.random.fraction()) * MEAN_MS);
    if (world.weather.isFair) return;
    const [, deed] = DEEDS[world.random.weighted(WEIGHTS)];
    await deed(office);
  }
}

/** Ends all remaining pauses. An operator whose call was not answered may have left one. */
export async function letGo(world: World, cluster: Cluster): Promise<void> {
  const office: Office = { world, cluster, by: operatorOf(world) };
  const { contents } = world.database;
  while (contents.pauses().length > 0) {
    for (const { id } of contents.pauses()) {
      await ask(office, 'resume', (api) => api.resume(id, office.by));
    }
    await world.clock.pass(1_000);
  }
}

/** Gives up the synchronizers that participants have left for good, so that nothing waits for them any longer. */
export async function giveUpLeft(world: World, cluster: Cluster): Promise<void> {
  const office: Office = { world, cluster, by: operatorOf(world) };
  for (const { side, synchronizer } of leftIn(world)) {
    const named = { participant: trusted<ParticipantName>(side), synchronizer };
    const act = { by: office.by, reason: 'it was shut down' };
    await ask(office, 'give up', (api) => api.giveUp(named, act));
  }
}

/** Returns whether a licence has lapsed, the current policy permits its end, and nothing has been done about it. */
export function isExpiryDue({
  database: { contents },
  clock,
  ledger: { provider },
}: World): boolean {
  const policy = contents.expiryPolicy(provider);
  if (holdOf(policy, clock.nowMs) !== null) return false;
  const hasPassed = (at: string | null): boolean => at === null || isoToMs(at) <= clock.nowMs;
  return contents
    .timers()
    .some(
      (timer) =>
        timer.kind === 'expire' &&
        timer.changeId === null &&
        (policy.includeNeverRenewed || !timer.isNeverRenewed) &&
        isoToMs(timer.lapsesAt) + policy.graceMs <= clock.nowMs &&
        hasPassed(timer.openUntil) &&
        hasPassed(timer.notBefore),
    );
}
