import assert from 'node:assert/strict';
import type { RequestedChange } from '../../../src/app/engine/requests/change-request.ts';
import type { CommandId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { Ask, LicensingModel, User, Who } from './licensing-model.ts';
import { actOfOthers, pay } from './other-commands.ts';
import type { Name, RealWorld } from './real-world.ts';
import { same } from './same.ts';
import { HOUR_MS, Told, among } from './told.ts';
import type { Wish } from './wishes.ts';
import { asked, textOf } from './wishes.ts';

/*
 * Requests of callers: a request alone, several at the same time, or a request after another client of the ledger was
 * faster.
 */

interface Asked {
  readonly ask: Ask;
  readonly commandId: CommandId;
  readonly body: JsonRecord;
  readonly answer: RequestedChange | string;
}

async function submit(
  real: RealWorld,
  ask: Ask,
  name: Name,
  commandId = real.nextCommandId(),
): Promise<Asked> {
  const body = real.bodyOf(ask);
  return { ask, commandId, body, answer: await real.ask(ask, commandId, name, body) };
}

/**
 * Checks that the caller got the same answer as from the model, and that nothing was recorded if the request was
 * refused at once.
 */
function expectTold(model: LicensingModel, real: RealWorld, asked: Asked, told: string): void {
  const { ask, commandId, body, answer } = asked;
  same(real.toldOf(answer), told, textOf(model, ask));
  if (typeof answer === 'string') return;
  model.recorded.push({ commandId, ask, body: JSON.stringify(body), told });
}

async function askAndWait(
  model: LicensingModel,
  real: RealWorld,
  ask: Ask,
  name: Name,
  commandId?: CommandId,
): Promise<void> {
  const asked = await submit(real, ask, name, commandId);
  await real.system.settle();
  model.nowMs = real.system.nowMs;
  const told = model.refusedAtOnce(ask) ?? model.refusedAtItsTurn(ask) ?? model.outcome(ask);
  expectTold(model, real, asked, told);
  real.expectSame(model);
}

/** Requests an operation, and waits for its outcome. */
export class Asking extends Told {
  readonly #wish: Wish;
  constructor(wish: Wish) {
    super();
    this.#wish = wish;
  }
  override check = ({ lives }: Readonly<LicensingModel>): boolean => lives.length > 0;
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const ask = asked(model, this.#wish);
    this.tell(textOf(model, ask));
    await askAndWait(model, real, ask, this.#wish.name);
    const [shown] = ask.life === null ? model.lives.slice(-1) : [ask.life];
    real.expectSame(model);
    if (shown !== undefined) await real.expectShown(model, shown);
  }
}

/** Requests an operation, lets another client of the ledger act first, and waits for the operation's outcome. */
export class Overtaken extends Told {
  readonly #wish: Wish;
  readonly #other: number;
  constructor(wish: Wish, other: number) {
    super();
    this.#wish = wish;
    this.#other = other;
  }
  override check = ({ lives }: Readonly<LicensingModel>): boolean => lives.length > 0;
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const ask = asked(model, this.#wish);
    const text = textOf(model, ask);
    this.tell(text);
    const asking = await submit(real, ask, this.#wish.name);
    const refused = model.refusedAtOnce(ask) ?? model.refusedAtItsTurn(ask);
    const license = ask.life === null ? undefined : model.licenseOf(ask.life);
    const did =
      refused === null ? await actOfOthers(model, real, ask.life, this.#other) : undefined;
    if (did !== undefined) this.tell(`${text}, while ${did}`);
    await real.system.settle();
    model.nowMs = real.system.nowMs;
    expectTold(model, real, asking, refused ?? model.outcome(ask, license));
  }
}

/** Requests two operations at the same time, mostly in one lane. Both are recorded before either is submitted. */
export class AtOnce extends Told {
  readonly #wishes: readonly [Wish, Wish];
  constructor(first: Wish, second: Wish) {
    super();
    this.#wishes = [first, second];
  }
  override check = ({ lives }: Readonly<LicensingModel>): boolean => lives.length > 0;

  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const [one, other] = this.#wishes;
    const a = asked(model, one);
    const near = model.lives.filter(
      (life) => model.laneOf({ ...a, life }) === model.laneOf(a) && life.user === a.life?.user,
    );
    const b = asked(model, other, near.length === 0 ? model.lives : near);
    this.tell(`${textOf(model, a)}; before that is done ${textOf(model, b)}`);
    const first = await submit(real, a, one.name);
    const refusedFirst = model.refusedAtOnce(a) ?? model.refusedAtItsTurn(a);
    const firstLicense = a.life === null ? undefined : model.licenseOf(a.life);
    const second = await submit(real, b, other.name);
    const waits = refusedFirst === null && model.laneOf(a) === model.laneOf(b);
    const refusedNow = model.refusedAtOnce(b) ?? (waits ? null : model.refusedAtItsTurn(b));
    const secondLicense = b.life === null ? undefined : model.licenseOf(b.life);
    await real.system.settle();
    model.nowMs = real.system.nowMs;
    expectTold(model, real, first, refusedFirst ?? model.outcome(a, firstLicense));
    const refusedLater = refusedNow ?? (waits ? model.refusedAtItsTurn(b) : null);
    expectTold(model, real, second, refusedLater ?? model.outcome(b, secondLicense));
  }
}

/** Uses a command ID again: for the same request, or for another one. */
export class Reusing extends Told {
  readonly #recorded: number;
  /** The request that uses the command ID again; `null` for the same request. */
  readonly #wish: Wish | null;
  constructor(recorded: number, wish: Wish | null) {
    super();
    this.#recorded = recorded;
    this.#wish = wish;
  }
  override check = ({ recorded }: Readonly<LicensingModel>): boolean => recorded.length > 0;

  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const before = among(model.recorded, this.#recorded)!;
    const commandId: CommandId = trusted(before.commandId);
    const ask = this.#wish === null ? before.ask : asked(model, this.#wish);
    const body = this.#wish === null ? (JSON.parse(before.body) as JsonRecord) : real.bodyOf(ask);
    this.tell(`${commandId} again for ${textOf(model, ask)}`);
    const known = model.known(commandId, ask, JSON.stringify(body));
    if (known === undefined) return askAndWait(model, real, ask, 'id', commandId);
    const changes = real.system.contents.changes().length;
    const answer = await real.ask(ask, commandId, 'first', body);
    await real.system.settle();
    same(real.toldOf(answer), typeof known === 'string' ? known : known.told, this.toString());
    assert(typeof answer === 'string' || answer.replayed, 'nothing new is recorded');
    same(real.system.contents.changes().length, changes, 'nothing new is recorded');
    return undefined;
  }
}

/** Requests an installation as a user, or as a party that claims to be a user. */
export class Requesting extends Told {
  readonly #caller: Who;
  constructor(caller: Who) {
    super();
    this.#caller = caller;
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const ask: Ask = { operation: 'request-install', by: this.#caller, life: null };
    this.tell(textOf(model, ask));
    await askAndWait(model, real, ask, 'id');
  }
}

/**
 * Brings a user into the state in which a run begins: without contracts, or with a request, an install, a licence, a
 * renewal or an allocation.
 */
export class Opening extends Told {
  readonly #user: User;
  readonly #depth: number;
  constructor(user: User, depth: number) {
    super();
    this.#user = user;
    this.#depth = depth;
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const user = this.#user;
    const newest = () => model.lives.at(-1) ?? null;
    const prepareUntilMs = model.nowMs + 2 * HOUR_MS;
    const terms = {
      prepareUntilMs,
      settleBeforeMs: prepareUntilMs + HOUR_MS,
      extensionMs: HOUR_MS,
    };
    const asks: readonly (() => Ask)[] = [
      () => ({ operation: 'request-install', by: user, life: null }),
      () => ({ operation: 'accept-install-request', by: 'provider', life: newest() }),
      () => ({ operation: 'create-license', by: 'provider', life: newest() }),
      () => ({ operation: 'renew-license', by: 'provider', life: newest(), terms }),
    ];
    for (const ask of asks.slice(0, this.#depth)) await askAndWait(model, real, ask(), 'id');
    if (this.#depth > asks.length) await pay(model, real, newest()!, true);
    const mine = model.lives.filter((life) => life.user === user).map(({ kind }) => kind);
    this.tell(`${user} begins with ${mine.join(', ') || 'nothing'}`);
  }
}
