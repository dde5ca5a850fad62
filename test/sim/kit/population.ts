import type { ChangeRequest } from '../../../src/app/engine/requests/change-request.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Party } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { Asked, Callers } from './callers.ts';
import { callerFor } from './callers.ts';
import type { Market, Thing } from './market.ts';
import type { World } from './world.ts';

/*
 * People and programs of both parties, who go through whole lives of licences at the same time. Each of them performs
 * one act after another, chosen from those that are possible or were possible a moment before.
 */

interface Scene {
  readonly world: World;
  readonly callers: Callers;
  readonly market: Market;
  /** Contract IDs that were seen before. Some of the contracts are no longer active. */
  readonly seen: Map<Thing, string[]>;
}

interface Actor {
  readonly party: Party;
  readonly caller: Caller;
}

const note = (words: string): JsonRecord => ({ meta: { data: { words } } });

const MINUTE_MICROS = 60_000_000;

/**
 * The next act of a person: an operation of Tenure, or an act directly on the ledger; `null` if the act needs a
 * contract that does not exist.
 */
type Deed = (
  scene: Scene,
  actor: Actor,
) => Omit<ChangeRequest, 'commandId'> | Promise<unknown> | null;

/** Returns a contract that is active or, sometimes, one that was active before. */
function someId(scene: Scene, { party }: Actor, thing: Thing): string | null {
  const { random } = scene.world;
  const active = scene.market.held(party, thing).map(({ contract }) => contract.contractId);
  const seen = scene.seen.get(thing) ?? [];
  scene.seen.set(thing, seen);
  const fresh = active.at(-1);
  if (fresh !== undefined && !seen.includes(fresh)) seen.push(fresh);
  const pool = random.chance(0.1) ? seen : active;
  return pool.length === 0 ? null : random.pick(pool);
}

const onSome =
  (
    thing: Thing,
    operation: ChangeRequest['operation'],
    bodyOf: (scene: Scene) => JsonRecord,
  ): Deed =>
  (scene, actor) => {
    const target = someId(scene, actor, thing);
    return target === null ? null : { operation, target, body: bodyOf(scene) };
  };

const renewBody = ({ world: { random } }: Scene): JsonRecord => {
  const prepare = random.pick([5, 60]) * 1_000_000;
  return {
    licenseFeeCc: random.pick(['1', '2.5']),
    licenseExtensionMicros: String(random.pick([1_000_000, MINUTE_MICROS, 1_440 * MINUTE_MICROS])),
    prepareUntilMicros: String(prepare),
    settleBeforeMicros: String(prepare + random.pick([5, 120]) * 1_000_000),
    description: 'another while',
    ...(random.chance(0.2) ? { allowConcurrent: true } : {}),
  };
};

const complete: Deed = (scene, actor) => {
  const { random } = scene.world;
  const renewals = scene.market.held(actor.party, 'renewal');
  if (renewals.length === 0) return null;
  const { contract, value } = random.pick(renewals);
  const paid = scene.market
    .held(actor.party, 'allocation')
    .filter(
      ({ value: { allocation } }) => allocation.settlement.settlementRef.id === value.requestId,
    );
  if (paid.length === 0) return null;
  const allocation = random.pick(paid).contract.contractId;
  const body = { allocationContractId: allocation };
  const asked = { operation: 'complete-renewal', target: contract.contractId, body } as const;
  const alike = scene.market
    .held(actor.party, 'license')
    .filter(({ value: of }) => of.user === value.user && of.licenseNum === value.licenseNum);
  // A caller confuses licences that have the same number: of two, it names the wrong one as often as the right one.
  return alike.length < 2 || random.chance(0.3)
    ? asked
    : { ...asked, within: random.pick(alike).contract.contractId };
};

const allocate: Deed = (scene, actor) => {
  const renewals = scene.market.held(actor.party, 'renewal');
  if (renewals.length === 0) return null;
  const { value } = scene.world.random.pick(renewals);
  return scene.market.tap(actor.party, '10').then(() => scene.market.allocate(value));
};

async function counted(doing: Promise<boolean>, scene: Scene, name: string): Promise<void> {
  if (await doing) scene.world.weather.count('other-client', name);
}

/** Returns an act on a contract by another client of the participant. */
const beside =
  (
    thing: Thing,
    name: string,
    act: (scene: Scene, actor: Actor, id: string) => Promise<boolean>,
  ): Deed =>
  (scene, actor) => {
    const id = someId(scene, actor, thing);
    if (id === null) return null;
    return counted(act(scene, actor, id), scene, name);
  };

const rejectInWallet = beside('renewal', 'reject', ({ market }, { party }, id) =>
  market.reject(party, id),
);
const takeBack = beside('allocation', 'take back', ({ market }, { party }, id) =>
  market.takeBack(party, id),
);

const META = { values: {} };
const REQUEST = 'Licensing.AppInstall:AppInstallRequest';
const INSTALL = 'Licensing.AppInstall:AppInstall';
const LICENSE = 'Licensing.License:License';

const directly = (
  thing: Thing,
  entity: string,
  choice: string,
  argumentOf: (actor: Actor) => JsonRecord,
): Deed =>
  beside(thing, choice, ({ market }, actor, contractId) =>
    market.directly(actor.party, { entity, contractId, choice, argument: argumentOf(actor) }),
  );

const USER_DEEDS = {
  request: [
    3,
    (scene) => ({
      operation: 'request-install',
      target: null,
      body: { provider: scene.world.ledger.provider, ...note('please') },
    }),
  ],
  cancelRequest: [1, onSome('request', 'cancel-install-request', () => note('never mind'))],
  cancelInstall: [0.3, onSome('install', 'cancel-install', () => note('enough'))],
  comment: [2, onSome('license', 'comment-license', () => ({ body: 'works well' }))],
  expire: [0.7, onSome('license', 'expire-license', () => note('over'))],
  allocate: [6, allocate],
  reject: [0.4, rejectInWallet],
  takeBack: [0.4, takeBack],
  archive: [0.3, directly('request', REQUEST, 'Archive', () => ({}))],
  expireDirectly: [
    0.2,
    directly('license', LICENSE, 'License_Expire', ({ party }) => ({ actor: party, meta: META })),
  ],
} as const satisfies Record<string, readonly [number, Deed]>;

const PROVIDER_DEEDS = {
  accept: [
    4,
    onSome('request', 'accept-install-request', () => ({
      installMeta: { data: {} },
      ...note('welcome'),
    })),
  ],
  reject: [0.7, onSome('request', 'reject-install-request', () => note('no'))],
  createLicense: [4, onSome('install', 'create-license', () => ({ params: note('one more') }))],
  cancelInstall: [0.2, onSome('install', 'cancel-install', () => note('closed'))],
  renew: [4, onSome('license', 'renew-license', renewBody)],
  complete: [6, complete],
  withdraw: [0.7, onSome('renewal', 'withdraw-renewal', () => ({}))],
  expire: [0.7, onSome('license', 'expire-license', () => note('over'))],
  comment: [0.5, onSome('license', 'comment-license', () => ({ body: 'thank you' }))],
  createDirectly: [
    0.5,
    directly('install', INSTALL, 'AppInstall_CreateLicense', () => ({ params: { meta: META } })),
  ],
  expireDirectly: [
    0.2,
    directly('license', LICENSE, 'License_Expire', ({ party }) => ({ actor: party, meta: META })),
  ],
} as const satisfies Record<string, readonly [number, Deed]>;

/** Creates another install with a licence. The licence has the number that the first licence of every install has. */
async function installAgain(user: Party, provider: Party, market: Market): Promise<void> {
  await market.directly(user, { entity: REQUEST, argument: { provider, user, meta: META } });
  for (const { contract } of market.held(user, 'request')) {
    await market.directly(provider, {
      entity: REQUEST,
      contractId: contract.contractId,
      choice: 'AppInstallRequest_Accept',
      argument: { installMeta: META, meta: META },
    });
  }
  for (const { contract } of market.held(user, 'install')) {
    await market.directly(provider, {
      entity: INSTALL,
      contractId: contract.contractId,
      choice: 'AppInstall_CreateLicense',
      argument: { params: { meta: META } },
    });
  }
}

/** Creates the contracts that other clients have left on the ledger before Tenure is first started. */
export async function settleIn(world: World, market: Market): Promise<void> {
  const { provider, users } = world.ledger;
  for (const user of users) {
    if (world.installs.chance(0.5)) await installAgain(user, provider, market);
  }
  for (const user of users) {
    if (world.random.chance(0.2)) continue;
    const argument = { provider, user, meta: META };
    await market.directly(user, { entity: REQUEST, argument });
    if (world.random.chance(0.2)) continue;
    const accepted = {
      choice: 'AppInstallRequest_Accept',
      argument: { installMeta: META, meta: META },
    };
    for (const { contract } of market.held(user, 'request')) {
      await market.directly(provider, {
        entity: REQUEST,
        contractId: contract.contractId,
        ...accepted,
      });
    }
    for (let licenses = world.random.integer(0, 2); licenses > 0; licenses -= 1) {
      const install = market.held(user, 'install').at(-1);
      if (install === undefined) break;
      await market.directly(provider, {
        entity: INSTALL,
        contractId: install.contract.contractId,
        choice: 'AppInstall_CreateLicense',
        argument: { params: { meta: META } },
      });
    }
  }
}

function nextDeed(deeds: Deeds, world: World): Deed {
  const weights = Object.fromEntries(
    Object.entries(deeds).map(([name, [weight]]) => [name, weight]),
  );
  const [, deed] = deeds[world.random.weighted(weights)] ?? [];
  if (deed === undefined) throw new RangeError('no deed');
  return deed;
}

type Deeds = Readonly<Record<string, readonly [number, Deed]>>;

/** Tries a few random acts. Returns the first one that is possible. */
function possible(scene: Scene, actor: Actor, deeds: Deeds): ReturnType<Deed> {
  for (let ideas = 8; ideas > 0; ideas -= 1) {
    const next = nextDeed(deeds, scene.world)(scene, actor);
    if (next !== null) return next;
  }
  return null;
}

/**
 * Repeats a request with the same command ID, which must have the same result. Sometimes repeats it with another body,
 * which must be refused.
 */
async function repeat(scene: Scene, asked: Asked): Promise<void> {
  const { world, callers } = scene;
  if (world.random.chance(0.6)) {
    world.weather.count('repeated-command');
    await callers.ask(asked);
    return;
  }
  world.weather.count('reused-command-id');
  const body = { ...asked.request.body, words: 'something else' };
  const other = callers.newAsked(asked.caller, { ...asked.request, body }, asked.request.commandId);
  const heard = await callers.ask(other);
  if (heard === 'accepted' && asked.changeId !== null) {
    callers.complaints.push(`${asked.request.commandId} was accepted with two bodies`);
  }
}

/** Makes another program use the command ID that Tenure will use, or has used. */
async function useElsewhere(scene: Scene, actor: Actor, asked: Asked): Promise<void> {
  const userId = scene.world.ledger.usersOf(scene.market.sideOf(actor.party)).at(-1) ?? '';
  const argument = {
    provider: scene.world.ledger.provider,
    user: actor.party,
    meta: { values: { words: 'by another program' } },
  };
  const command = { entity: REQUEST, argument };
  const { commandId } = asked.request;
  if (await scene.market.directly(actor.party, command, { commandId, userId })) {
    scene.world.weather.count('command-id-used-elsewhere');
  }
}

async function doNext(scene: Scene, actor: Actor): Promise<void> {
  const { world, callers } = scene;
  const isProvider = actor.party === world.ledger.provider;
  const next = possible(scene, actor, isProvider ? PROVIDER_DEEDS : USER_DEEDS);
  if (next === null || next instanceof Promise) {
    await next;
    return;
  }
  const asked = callers.newAsked(actor.caller, next);
  // If the effect of another program cannot be read, an operator has to decide the change.
  const elsewhere = world.isUnreadable ? 0.15 : 0.03;
  if (!isProvider && world.random.chance(elsewhere)) void useElsewhere(scene, actor, asked);
  // An impatient caller sends the request twice at the same time.
  if (world.random.chance(0.08)) void repeat(scene, asked);
  await callers.insist(asked, world.random.integer(1, 6));
  if (world.random.chance(0.1)) await repeat(scene, asked);
  if (world.random.chance(0.5)) await callers.await(asked, world.random.pick([500, 5_000, 30_000]));
}

async function live(scene: Scene, actor: Actor, deeds: number): Promise<void> {
  const { world } = scene;
  for (let left = deeds; left > 0 && !world.weather.isFair; left -= 1) {
    await doNext(scene, actor);
    await world.clock.pass(-Math.log(1 - world.random.fraction()) * 1_500);
  }
}

/** Performs this number of acts for each person. Resolves when all acts have ended. */
export async function populate(
  world: World,
  callers: Callers,
  market: Market,
  deedsEach: number,
): Promise<void> {
  const { provider, users } = world.ledger;
  const scene: Scene = { world, callers, market, seen: new Map() };
  const actorOf = (party: Party): Actor => ({ party, caller: callerFor(party, provider) });
  const actors = [...users, provider, provider].map(actorOf);
  await Promise.all(actors.map((actor) => live(scene, actor, deedsEach)));
}
