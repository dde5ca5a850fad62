import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Wallet } from '../../cli/wallet.ts';
import { openWallet } from '../../cli/wallet.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import type { Answer } from './kit/call-api.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * A year of monthly renewals, over REST and the wallet, on a ledger with static time: every process of
 * Tenure, and its submissions, as in production.
 */

const START = '2024-01-31T12:00:00Z';

let world: World;
let wallet: Wallet;
let license: string;
let nowMs = Date.parse(START);

const post = (who: 'provider' | 'user', path: string, body: object): Promise<Answer> =>
  world.call(who, 'POST', `${path}?commandId=${randomUUID()}`, { body });

beforeAll(async () => {
  world = await startWorld({
    LOCALNET_TIME: 'static',
    LOCALNET_STATIC_TIME: START,
    TENURE_SUBSCRIPTION_LOOK: 'PT0.1S',
  });
  wallet = openWallet(world.tenure.state.localnet!.userWalletUrl, await world.tokenOf('user'));
  await wallet.tap('1000.0');
  const asked = await post('user', '/app-install-requests', {});
  const accept = `/app-install-requests/${asked.body.contractId}:accept`;
  const install = (await post('provider', accept, { installMeta: {}, meta: {} })).body.contractId;
  const plan = { id: 'pro', name: 'Pro', period: 'P1M', fee: '5' };
  await world.call('provider', 'POST', '/plans', { body: plan });
  const sold = { params: {}, planId: 'pro' };
  const made = await post('provider', `/app-installs/${install}:create-license`, sold);
  license = made.body.licenseId;
});
afterAll(() => world[Symbol.asyncDispose]());

async function passTo(ms: number): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: Math.ceil((ms - nowMs) / 1_000) }),
    signal: AbortSignal.timeout(120_000),
  });
  expect(answer.status).toBe(200);
  nowMs = Date.parse(((await answer.json()) as { readonly now: string }).now);
}

const shown = async () =>
  (await world.call('user', 'GET', `/licenses/${license}/subscription`)).body;

const PATIENT = { timeout: 30_000, interval: 50 };

/** The request ID of the open offer, once there is another one than `last`. */
async function offered(last = ''): Promise<string> {
  await expect
    .poll(async () => [null, '', last].includes((await shown()).offer?.requestId ?? ''), PATIENT)
    .toBe(false);
  return (await shown()).offer.requestId;
}

/** @returns the licence's expiry, once it differs from `before` */
async function renewed(before: string): Promise<string> {
  await expect.poll(async () => (await shown()).expiresAt !== before, PATIENT).toBe(true);
  return (await shown()).expiresAt;
}

const renewals = async (): Promise<{ state: string; amount: string }[]> =>
  (await world.call('provider', 'GET', '/payments?limit=100')).body;

test('a year passes, with late, missing, rejected and duplicate payments', async () => {
  const body = { offerBefore: 'P5D', tries: 3 };
  const path = `/licenses/${license}/subscription`;
  expect((await world.call('provider', 'PUT', path, { body })).status).toBe(200);
  const ends: string[] = [];
  let expiresAt: string = (await shown()).expiresAt;
  const isBefore = (days: number) => passTo(Date.parse(expiresAt) - days * DAY_MS);
  for (let month = 0; month < 12; month += 1) {
    if (month > 0) await isBefore(4.9);
    let offer = await offered();
    if (month === 4) {
      // The user does not pay the first offer, and pays the second one late.
      await isBefore(0.5);
      offer = await offered(offer);
      await isBefore(-1);
      expect((await shown()).state).toBe('pastDue');
    }
    if (month === 6) {
      await wallet.reject(offer);
      await isBefore(0.5);
      offer = await offered(offer);
    }
    if (month === 8) {
      // The provider also requests a payment by hand, and the user pays twice: one payment waits for the
      // provider.
      const terms = {
        licenseFeeCc: 5,
        licenseExtensionDuration: 'P30D',
        prepareUntilDuration: 'P1D',
        settleBeforeDuration: 'P2D',
        description: 'by hand',
        allowConcurrent: true,
      };
      expect((await post('provider', `/licenses/${license}:renew`, terms)).status).toBe(201);
      const { renewalRequests } = (await world.call('user', 'GET', `/licenses/${license}`)).body;
      const other = renewalRequests.find((each: { requestId: string }) => each.requestId !== offer);
      await wallet.accept(other.requestId);
    }
    await wallet.accept(offer);
    expiresAt = await renewed(expiresAt);
    ends.push(expiresAt.slice(0, 10));
  }
  expect(ends).toEqual([
    '2024-02-29',
    '2024-03-31',
    '2024-04-30',
    '2024-05-31',
    // The payment came a day late: a month from then, and so on.
    '2024-07-01',
    '2024-08-01',
    '2024-09-01',
    '2024-10-01',
    '2024-11-01',
    '2024-12-01',
    '2025-01-01',
    '2025-02-01',
  ]);
  expect((await shown()).state).toBe('active');
  // Only the provider can settle the renewal that it requested by hand.
  const counts = async () => {
    const byState = Object.groupBy(await renewals(), ({ state }) => state);
    return Object.fromEntries(Object.entries(byState).map(([state, all]) => [state, all?.length]));
  };
  await expect
    .poll(counts, PATIENT)
    .toEqual({ allocated: 1, rejected: 1, settled: 12, withdrawn: 1 });
  const { body: made } = await world.call(
    'operator',
    'GET',
    '/ops/commands?policy=subscription&limit=200',
  );
  const states = new Set(made.map(({ state }: { state: string }) => state));
  expect(states).toEqual(new Set(['succeeded']));
});
