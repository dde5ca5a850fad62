import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Wallet } from '../../cli/wallet.ts';
import { openWallet } from '../../cli/wallet.ts';
import type { Answer } from './kit/call-api.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * Licences and renewals that policies end, over REST and the wallet, on a ledger with static time that is months behind
 * all other clocks. If Tenure used those clocks, everything would have lapsed from the start.
 */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: World;
let wallet: Wallet;
let install: string;

beforeAll(async () => {
  const behind = new Date(Date.now() - 100 * DAY * 1_000).toISOString();
  world = await startWorld({
    LOCALNET_TIME: 'static',
    LOCALNET_STATIC_TIME: behind,
    POLICY_DELAY: 'PT0.5S',
  });
  wallet = openWallet(world.tenure.state.localnet!.userWalletUrl, await world.tokenOf('user'));
  await wallet.tap('1000.0');
  const request = await post('user', '/app-install-requests', {});
  const accept = `/app-install-requests/${request.body.contractId}:accept`;
  install = (await post('provider', accept, { installMeta: {}, meta: {} })).body.contractId;
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (who: 'provider' | 'user', path: string, body: object): Promise<Answer> =>
  world.call(who, 'POST', `${path}?commandId=${randomUUID()}`, { body });

const get = async (path: string) => (await world.call('provider', 'GET', path)).body;

async function pass(seconds: number): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: seconds }),
    signal: AbortSignal.timeout(120_000),
  });
  expect(answer.status).toBe(200);
  const { now } = (await answer.json()) as { readonly now: string };
  expect(Date.parse(now)).toBeLessThan(Date.now() - 60 * DAY * 1_000);
}

/** Creates a licence. @returns the ID of its lifecycle */
async function newLicense(): Promise<string> {
  const made = await post('provider', `/app-installs/${install}:create-license`, { params: {} });
  install = made.body.installId;
  return (await get(`/licenses/${made.body.licenseId}`)).lifecycleId;
}

async function ask(license: string, extension: string, settleBefore = 'PT20M') {
  const asked = await post('provider', `/licenses/${license}:renew`, {
    licenseFeeCc: 1,
    licenseExtensionDuration: extension,
    prepareUntilDuration: 'PT10M',
    settleBeforeDuration: settleBefore,
    description: 'One more month',
  });
  expect(asked.status).toBe(201);
  return (await get(`/licenses/${license}`)).renewalRequests.at(-1);
}

/** Previews a policy, and sets it with the confirmation from the preview, as a person does. */
async function setPolicy(path: string, policy: Readonly<Record<string, unknown>>) {
  const url = `/policies/${path}`;
  const { body: seen } = await world.call('provider', 'POST', `${url}/preview`, { body: policy });
  const { token, count, isConfirmationNeeded } = seen;
  const isAll = policy['includeNeverRenewed'] === true;
  const confirmation = { token, count, reason: 'they are over', includeNeverRenewed: isAll };
  const body = isConfirmationNeeded === true ? { ...policy, confirmation } : policy;
  return world.call('provider', 'PUT', url, { body });
}

const EXPIRY = {
  mode: 'off',
  grace: 'P1D',
  includeNeverRenewed: false,
  quietHours: [],
  paused: false,
  maxInFlight: 2,
};

const states = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await get(`/licenses/${id}/history`)).at(-1).state));

describe('a month passes', () => {
  test('and exactly the right licences are gone, each once, with a record of why', async () => {
    // Renewals complete without further requests: the wallet pays, and the policy requests the completion.
    expect((await setPolicy('renewal', { complete: true, withdrawLapsed: true })).status).toBe(200);
    const renewed = async (extension: string): Promise<string> => {
      const license = await newLicense();
      const { requestId } = await ask(license, extension);
      await wallet.accept(requestId);
      await expect
        .poll(async () => (await get(`/licenses/${license}`)).isExpired, { timeout: 120_000 })
        .toBe(false);
      return license;
    };
    const lapsed = [await renewed('P28D'), await renewed('P28D'), await renewed('P28D')];
    const [graced, fresh] = [await renewed('P29DT12H'), await newLicense()];
    const open = await renewed('P28D');
    const all = [...lapsed, graced, fresh, open];
    const completed = (await get(`/licenses/${graced}/history`)).map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(completed).toContain('ledger.licenseRenewed');
    await pass(10 * DAY);
    const { lifecycleId: window } = await ask(open, 'P30D', 'P21D');
    await pass(20 * DAY);

    // First a dry run, which reports everything and does nothing.
    expect((await setPolicy('expiry', { ...EXPIRY, mode: 'dry-run' })).status).toBe(200);
    const preview: { lifecycleId: string; verdict: string; why: string; heldBy: string }[] =
      await get('/policies/expiry/preview');
    const of = (id: string) => preview.find(({ lifecycleId }) => lifecycleId === id);
    expect(preview).toHaveLength(all.length);
    for (const id of lapsed) expect(of(id)).toMatchObject({ verdict: 'due', heldBy: 'dry-run' });
    expect(of(graced)).toMatchObject({ verdict: 'later', why: expect.stringContaining('grace') });
    expect(of(fresh)).toMatchObject({ verdict: 'never', why: expect.stringContaining('renewed') });
    expect(of(open)).toMatchObject({ verdict: 'later', why: expect.stringContaining('renewal') });
    expect(await states(all)).not.toContain('expired');

    const on = await setPolicy('expiry', { ...EXPIRY, mode: 'on' });
    expect([on.status, on.headers.get('etag')]).toEqual([200, '"2"']);
    await expect
      .poll(() => states(lapsed), { timeout: 120_000 })
      .toEqual(lapsed.map(() => 'expired'));
    expect(await states([graced, fresh, open])).toEqual(['active', 'active', 'active']);

    // When the window closes, the renewal is withdrawn, and then its licence ends. The licence whose grace has passed
    // ends, too.
    const beforeMs = Date.now();
    await pass(2 * DAY);
    await expect
      .poll(() => states([open, graced]), { timeout: 120_000 })
      .toEqual(['expired', 'expired']);
    await expect
      .poll(async () => (await get(`/license-renewal-requests/${window}`)).state)
      .toBe('withdrawn');
    expect(await states([fresh])).toEqual(['active']);

    for (const id of [...lapsed, graced, open]) {
      const history: { kind: string; commandId: string; detail: object }[] = await get(
        `/licenses/${id}/history`,
      );
      const expiries = history.filter(({ kind }) => kind === 'license.expire');
      expect(expiries).toHaveLength(1);
      expect(expiries[0]).toMatchObject({
        detail: { policy: 'expiry', reason: expect.stringContaining('expired'), subject: 'tenure' },
      });
      expect(history.filter(({ kind }) => kind === 'ledger.licenseExpired')).toEqual([
        expect.objectContaining({
          detail: {
            endedBy: [expect.any(String)],
            policy: 'expiry',
            reason: expect.stringContaining('expired'),
          },
        }),
      ]);
      const { commandId } = expiries[0]!;
      expect(commandId).toMatch(new RegExp(`^tenure:expire:${id}:`, 'u'));
      const operation = await get(`/operations?commandId=${encodeURIComponent(commandId)}`);
      expect(operation).toMatchObject({
        state: 'succeeded',
        policy: { name: 'expiry', version: 2 },
      });
      // Only two operations had to wait until the time was moved: one for the end of a grace, one for the end of an
      // open window.
      const isLater = Date.parse(operation.acceptedAt) >= beforeMs;
      expect(isLater, id).toBe(id === graced || id === open);
    }
    // A new licence has lapsed from the start. A policy ends such licences only if this is set.
    await setPolicy('expiry', { ...EXPIRY, mode: 'on', includeNeverRenewed: true });
    await expect.poll(() => states([fresh]), { timeout: 120_000 }).toEqual(['expired']);
    const ended: { kind: string; detail: object }[] = await get(`/licenses/${fresh}/history`);
    expect(ended.filter(({ kind }) => kind === 'license.expire')).toEqual([
      expect.objectContaining({ detail: expect.objectContaining({ policy: 'expiry' }) }),
    ]);

    // No operation was requested too early: the ledger has refused none of them, and none needed a second attempt.
    const { body: automatic } = await world.call(
      'operator',
      'GET',
      '/ops/operations?commandId=tenure:*&limit=200',
    );
    const submitted: { id: string; state: string }[] = automatic;
    expect(submitted.map(({ state }) => state)).toEqual(submitted.map(() => 'succeeded'));
    // Five completions with their payments, a withdrawal, and one expiry for each licence.
    expect(submitted).toHaveLength(5 + 1 + all.length);
    for (const { id } of submitted) {
      const { body } = await world.call('operator', 'GET', `/ops/operations/${id}`);
      expect(body.attempts).toHaveLength(1);
    }
    const user = await world.call('user', 'GET', '/policies/expiry');
    expect(user.status).toBe(403);
  });
});
