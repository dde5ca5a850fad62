import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, SECOND_MS } from '../../src/domain/time.ts';
import type { Wallet } from '../wallet.ts';

/*
 * A year of monthly renewals of one licence, on a ledger whose time the demo advances. The year has payments on time,
 * late, rejected and made twice, and a missing payment.
 */

/** Settings of the Tenure with which the year is run. */
export const YEAR = {
  LOCALNET_TIME: 'static',
  LOCALNET_STATIC_TIME: '2024-01-31T12:00:00Z',
  TENURE_SUBSCRIPTION_LOOK: 'PT0.1S',
} as const;

interface YearWorld {
  readonly wallet: Wallet;
  readonly networkUrl: string;
  /** Calls the API. @returns the body of the answer @throws Error if the answer is an error */
  readonly call: (
    who: 'provider' | 'user',
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ) => Promise<unknown>;
  readonly tell: (line: string) => void;
}

interface Shown {
  readonly state: string;
  readonly expiresAt: string;
  readonly offer: { readonly requestId: string } | null;
}

const SEEN_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** How many days before the end of the period the open offer is made. */
const OFFERED_DAYS = 4.9;
const RETRIED_DAYS = 0.5;

class Story {
  readonly #world: YearWorld;
  readonly #path: string;
  #nowMs = Date.parse(YEAR.LOCALNET_STATIC_TIME);

  constructor(world: YearWorld, license: string) {
    this.#world = world;
    this.#path = `/licenses/${license}`;
  }

  tell(line: string): void {
    this.#world.tell(`${new Date(this.#nowMs).toISOString().slice(0, 10)}  ${line}`);
  }

  /** Advances the ledger's time to `days` before the end of the licence. */
  async passTo(expiresAt: string, days: number): Promise<void> {
    const toMs = Date.parse(expiresAt) - days * DAY_MS;
    const answer = await fetch(`${this.#world.networkUrl}/control/time`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advanceSeconds: Math.ceil((toMs - this.#nowMs) / SECOND_MS) }),
      signal: AbortSignal.timeout(SEEN_MS),
    });
    if (!answer.ok)
      throw new Error(`the time of the ledger could not be changed: ${await answer.text()}`);
    this.#nowMs = Date.parse(((await answer.json()) as { readonly now: string }).now);
  }

  async shown(): Promise<Shown> {
    return (await this.#world.call('user', 'GET', `${this.#path}/subscription`)) as Shown;
  }

  async until(what: string, isSo: (shown: Shown) => boolean): Promise<Shown> {
    const deadline = performance.now() + SEEN_MS;
    for (;;) {
      const shown = await this.shown();
      if (isSo(shown)) return shown;
      if (performance.now() > deadline) throw new Error(`${what} did not appear in time`);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** Waits for the next open offer. @returns its request ID, once it differs from `last` */
  async offered(last = ''): Promise<string> {
    const { offer } = await this.until(
      'an offer',
      (shown) => shown.offer !== null && shown.offer.requestId !== last,
    );
    this.tell(`Tenure offers the next month${last === '' ? '' : ' again'}.`);
    return offer?.requestId ?? '';
  }

  /** The provider requests a second payment by hand, and the user pays both. */
  async payTwice(offer: string): Promise<void> {
    const { call, wallet } = this.#world;
    await call('provider', 'POST', `${this.#path}/renew?commandId=${randomUUID()}`, {
      licenseFeeCc: 5,
      licenseExtensionDuration: 'P30D',
      prepareUntilDuration: 'P1D',
      settleBeforeDuration: 'P2D',
      description: 'by hand',
      allowConcurrent: true,
    });
    const { renewalRequests } = (await call('user', 'GET', this.#path)) as {
      readonly renewalRequests: readonly { readonly requestId: string }[];
    };
    const other = renewalRequests.find(({ requestId }) => requestId !== offer);
    await wallet.accept(other?.requestId ?? '');
    this.tell('The provider asks for a payment by hand, and the user pays that one as well.');
    this.tell('The user is not charged twice: the payment by hand waits for the provider.');
  }

  async pay(offer: string, expiresAt: string): Promise<string> {
    await this.#world.wallet.accept(offer);
    const renewed = await this.until('a paid month', (shown) => shown.expiresAt !== expiresAt);
    this.tell(`The user pays. The licence lasts until ${renewed.expiresAt.slice(0, 10)}.`);
    return renewed.expiresAt;
  }
}

/** Sells a licence under a plan whose licences renew themselves. @returns its ID */
async function sell({ call, wallet, tell }: YearWorld): Promise<string> {
  await wallet.tap('1000.0');
  const named = (path: string): string => `${path}?commandId=${randomUUID()}`;
  const post = (who: 'provider' | 'user', path: string, body: object) =>
    call(who, 'POST', path, body) as Promise<{ contractId: string; licenseId: string }>;
  const asked = await post('user', named('/app-install-requests'), {});
  const accept = `/app-install-requests/${asked.contractId}/accept`;
  const install = await post('provider', named(accept), { installMeta: {}, meta: {} });
  const renews = { offerBefore: 'P5D', tries: 3 };
  await post('provider', '/plans', { id: 'pro', name: 'Pro', period: 'P1M', fee: '5', renews });
  const create = `/app-installs/${install.contractId}/create-license`;
  const { licenseId } = await post('provider', named(create), { params: {}, planId: 'pro' });
  const began = YEAR.LOCALNET_STATIC_TIME.slice(0, 10);
  tell(`${began}  The provider sells a licence of plan pro, which renews itself: 5 coins a month.`);
  return licenseId;
}

/** Runs the year. @returns the end of the licence after each of the twelve payments, and the licence's ID */
export async function walkYear(world: YearWorld) {
  const license = await sell(world);
  const story = new Story(world, license);
  const ends: string[] = [];
  let { expiresAt } = await story.shown();
  for (let month = 0; month < 12; month += 1) {
    if (month > 0) await story.passTo(expiresAt, OFFERED_DAYS);
    let offer = await story.offered();
    if (month === 4) {
      await story.passTo(expiresAt, RETRIED_DAYS);
      story.tell('The user has not paid, and the offer has expired.');
      offer = await story.offered(offer);
      await story.passTo(expiresAt, -1);
      const { state } = await story.until('a late payment', (shown) => shown.state === 'pastDue');
      story.tell(`The licence has ended, and its subscription is ${state}.`);
    }
    if (month === 6) {
      await world.wallet.reject(offer);
      story.tell('The user rejects the offer.');
      await story.passTo(expiresAt, RETRIED_DAYS);
      offer = await story.offered(offer);
    }
    if (month === 8) await story.payTwice(offer);
    expiresAt = await story.pay(offer, expiresAt);
    ends.push(expiresAt.slice(0, 10));
  }
  return { license, ends };
}
