import assert from 'node:assert/strict';
import type { LicensingOperation } from '../../../src/domain/licensing.ts';
import type { Life, LicensingModel, Money, User, Who } from './licensing-model.ts';
import { hasEnded } from './licensing-model.ts';
import type { RealWorld } from './real-world.ts';
import { HOUR_MS, Told, among } from './told.ts';
import { nameOf } from './wishes.ts';

/** Acts on this lifecycle as another client of the ledger. @returns the act, or `undefined` if none is possible */
export async function actOfOthers(
  model: LicensingModel,
  real: RealWorld,
  life: Life | null,
  choice: number,
): Promise<string | undefined> {
  if (life === null || hasEnded(life)) return undefined;
  const contract = real.contractOf(life);
  const { others } = real;
  const user = life.user;
  const act = async (
    operation: LicensingOperation,
    by: Who,
    does: Promise<boolean>,
  ): Promise<string> => {
    const text = `others ${operation} ${nameOf(model, life)}`;
    assert(await does, text);
    model.effect({ operation, by, life });
    return text;
  };
  switch (life.kind) {
    case 'install-request':
      return among(
        [
          () => act('accept-install-request', 'provider', others.acceptRequest(contract)),
          () => act('reject-install-request', 'provider', others.rejectRequest(contract)),
          () =>
            act(
              'cancel-install-request',
              user,
              others.archiveRequest(real.partyOf(user), contract),
            ),
        ],
        choice,
      )?.();
    case 'install':
      return among(
        [
          () => act('create-license', 'provider', others.createLicense(contract)),
          () => act('create-license', 'provider', others.createLicense(contract)),
          () => act('cancel-install', 'provider', others.cancelInstall(contract)),
        ],
        choice,
      )?.();
    case 'license':
      return model.nowMs < life.expiresAtMs
        ? undefined
        : act('expire-license', 'provider', others.expireLicense(contract));
    case 'renewal':
      return among(
        [
          () => act('withdraw-renewal', 'provider', others.withdrawRenewal(contract)),
          () => reject(model, real, life),
          () => expireLicenseOf(model, real, life),
          () => takeBack(model, real, life),
        ],
        choice,
      )?.();
    default:
      return undefined;
  }
}

async function reject(model: LicensingModel, real: RealWorld, life: Life): Promise<string> {
  const text = `the wallet of ${life.user} rejects ${nameOf(model, life)}`;
  const took = await real.others.rejectRenewal(real.partyOf(life.user), real.contractOf(life));
  assert(took, text);
  model.rejectRenewal(life);
  return text;
}

async function expireLicenseOf(model: LicensingModel, real: RealWorld, renewal: Life) {
  const license = model.licenseOf(renewal);
  return license === undefined ? undefined : actOfOthers(model, real, license, 0);
}

async function takeBack(model: LicensingModel, real: RealWorld, renewal: Life) {
  const money = model.money.find((one) => one.renewal === renewal && one.isThere);
  return money === undefined ? undefined : withdraw(model, real, money);
}

async function withdraw(model: LicensingModel, real: RealWorld, money: Money): Promise<string> {
  const user = real.partyOf(money.renewal.user);
  assert(await real.others.withdrawAllocation(user, real.allocationOf(money)));
  money.isThere = false;
  return `the wallet of ${money.renewal.user} takes back money ${model.money.indexOf(money)}`;
}

/** Acts as another client of the ledger while no operation of Tenure is in progress. */
export class Others extends Told {
  readonly #life: number;
  readonly #choice: number;
  constructor(life: number, choice: number) {
    super();
    this.#life = life;
    this.#choice = choice;
  }
  override check({ lives }: Readonly<LicensingModel>): boolean {
    return lives.some((life) => !hasEnded(life));
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const life = among(
      model.lives.filter((one) => !hasEnded(one)),
      this.#life,
    );
    const did = await actOfOthers(model, real, life ?? null, this.#choice);
    this.tell(did ?? 'nothing for others to do');
    await real.system.settle();
  }
}

/** Requests an installation with a program of the user itself, and not through Tenure. */
export class RequestedElsewhere extends Told {
  readonly #user: User;
  constructor(user: User) {
    super();
    this.#user = user;
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    this.tell(`${this.#user} requests an installation on the ledger`);
    assert(await real.others.requestInstall(real.partyOf(this.#user)), this.toString());
    model.effect({ operation: 'request-install', by: this.#user, life: null });
    await real.system.settle();
  }
}

const payable = ({ lives, nowMs }: Readonly<LicensingModel>): Life[] =>
  lives.filter(
    (life) => life.kind === 'renewal' && !hasEnded(life) && nowMs < life.terms.prepareUntilMs,
  );

export async function pay(model: LicensingModel, real: RealWorld, renewal: Life, isExact: boolean) {
  const user = real.partyOf(renewal.user);
  const contract = real.contractOf(renewal);
  const made = await real.others.allocate(user, contract, isExact ? undefined : '99');
  assert(made !== null, 'a wallet pays');
  const money: Money = { renewal, isExact, isThere: true };
  model.money.push(money);
  real.allocated(money, made);
  await real.system.settle();
}

/** Allocates money in a wallet: the requested amount, or another one. */
export class Paying extends Told {
  readonly #renewal: number;
  readonly #isExact: boolean;
  constructor(renewal: number, isExact: boolean) {
    super();
    this.#renewal = renewal;
    this.#isExact = isExact;
  }
  override check(model: Readonly<LicensingModel>): boolean {
    return payable(model).length > 0;
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const renewal = among(payable(model), this.#renewal)!;
    const amount = this.#isExact ? 'the fee' : 'less than the fee';
    this.tell(`${renewal.user} sets ${amount} aside for ${nameOf(model, renewal)}`);
    await pay(model, real, renewal, this.#isExact);
  }
}

export class TakingBack extends Told {
  readonly #money: number;
  constructor(money: number) {
    super();
    this.#money = money;
  }
  override check({ money }: Readonly<LicensingModel>): boolean {
    return money.some(({ isThere }) => isThere);
  }
  protected async act(model: LicensingModel, real: RealWorld): Promise<void> {
    const money = among(
      model.money.filter(({ isThere }) => isThere),
      this.#money,
    )!;
    this.tell(await withdraw(model, real, money));
    await real.system.settle();
  }
}

export class Passing extends Told {
  readonly #hours: number;
  constructor(hours: number) {
    super();
    this.#hours = hours;
  }
  protected async act(_model: LicensingModel, real: RealWorld): Promise<void> {
    this.tell(`${this.#hours} h pass`);
    real.system.pass(this.#hours * HOUR_MS);
  }
}
