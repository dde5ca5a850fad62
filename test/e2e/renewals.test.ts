import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Wallet } from '../../cli/wallet.ts';
import { openWallet } from '../../cli/wallet.ts';
import type { RegistryDoor } from './kit/registry-door.ts';
import { openRegistryDoor } from './kit/registry-door.ts';
import type { Answer } from './kit/call-api.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* The whole life of a licence, over REST and the wallet, on a ledger with static time. */

let world: World;
let wallet: Wallet;
let registry: RegistryDoor;

beforeAll(async () => {
  registry = await openRegistryDoor();
  world = await startWorld({ LOCALNET_TIME: 'static', REGISTRY_BASE_URI: registry.url });
  registryIsBack();
  wallet = openWallet(world.tenure.state.localnet!.userWalletUrl, await world.tokenOf('user'));
  await wallet.tap('1000.0');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const registryIsBack = (): void => registry.open(world.tenure.state.localnet!.networkUrl);

const post = (who: 'provider' | 'user', path: string, body?: object): Promise<Answer> =>
  world.call(who, 'POST', `${path}?commandId=${randomUUID()}`, body === undefined ? {} : { body });

async function pass(seconds: number): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: seconds }),
    signal: AbortSignal.timeout(120_000),
  });
  expect(answer.status).toBe(200);
}

const DAY = 86_400;

async function newInstall(): Promise<string> {
  const request = await post('user', '/app-install-requests', {});
  const path = `/app-install-requests/${request.body.contractId}:accept`;
  return (await post('provider', path, { installMeta: {}, meta: {} })).body.contractId;
}

async function newLicense(install: string): Promise<string> {
  const made = await post('provider', `/app-installs/${install}:create-license`, { params: {} });
  expect(made.status).toBe(201);
  return made.body.licenseId;
}

const RENEWAL = {
  licenseFeeCc: 12.5,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
};

const licenseAs = async (who: 'provider' | 'user', id: string) =>
  (await world.call(who, 'GET', `/licenses/${id}`)).body;

async function openRenewal(license: string) {
  const asked = await post('provider', `/licenses/${license}:renew`, RENEWAL);
  expect([asked.status, asked.body]).toEqual([201, '']);
  const { renewalRequests } = await licenseAs('provider', license);
  return renewalRequests.at(-1);
}

describe('the full life of a licence', () => {
  test('request, accept, create, renew, pay, complete, lapse, expire', async () => {
    const install = await newInstall();
    const license = await newLicense(install);
    const born = await licenseAs('user', license);
    expect(born).toMatchObject({ isExpired: true, renewalRequests: [] });

    const renewal = await openRenewal(license);
    expect(renewal).toMatchObject({
      licenseFeeAmount: 12.5,
      licenseExtensionDuration: '30 days',
      allocationCid: null,
    });
    const before = Number(await wallet.balance());
    const allocation = await wallet.accept(renewal.requestId);
    // The wallet is another client of the ledger: the query store sees its payments with a delay.
    await expect
      .poll(async () => (await licenseAs('provider', license)).renewalRequests[0].allocationCid)
      .toBe(allocation);
    expect((await licenseAs('user', license)).renewalRequests[0]).toMatchObject({
      allocationCid: allocation,
      allocationMatches: true,
    });

    const done = await post('provider', `/licenses/${license}:complete-renewal`, {
      renewalRequestContractId: renewal.contractId,
      allocationContractId: allocation,
    });
    expect(done).toMatchObject({ status: 200, body: { licenseId: expect.any(String) } });
    const { licenseId } = done.body;
    const renewed = await licenseAs('user', licenseId);
    expect(renewed).toMatchObject({
      contractId: licenseId,
      lifecycleId: born.lifecycleId,
      isExpired: false,
      renewalRequests: [],
    });
    const validMs = Date.parse(renewed.expiresAt) - Date.parse(born.expiresAt);
    expect(validMs).toBe(30 * DAY * 1_000);
    expect(before - Number(await wallet.balance())).toBeCloseTo(12.5, 6);

    const early = await post('user', `/licenses/${licenseId}:expire`, {});
    expect([early.status, early.body.code]).toEqual([409, 'STEP_NOT_ALLOWED']);
    await pass(30 * DAY);
    expect(await licenseAs('user', licenseId)).toMatchObject({ isExpired: true });
    const expired = await post('user', `/licenses/${licenseId}:expire`, {});
    expect([expired.status, expired.body]).toEqual([200, 'License expired successfully']);

    const history = await world.call('provider', 'GET', `/licenses/${license}/history`);
    expect(history.body.map(({ kind }: { kind: string }) => kind)).toEqual([
      'ledger.created',
      'license.renew',
      'command.succeeded',
      'ledger.licenseRenewed',
      'license.expire',
      'ledger.licenseExpired',
    ]);
  });

  test('a second renewal before the first has lapsed extends what is left', async () => {
    const license = await newLicense(await newInstall());
    const pay = async (id: string) => {
      const { contractId, requestId } = await openRenewal(id);
      const allocationContractId = await wallet.accept(requestId);
      const path = `/licenses/${id}:complete-renewal`;
      const body = { renewalRequestContractId: contractId, allocationContractId };
      await expect.poll(async () => (await post('provider', path, body)).status).toBe(200);
      return licenseAs('provider', id);
    };
    const once = await pay(license);
    await pass(10 * DAY);
    // Pays again, under the contract ID that the first renewal has replaced.
    const twice = await pay(license);
    expect(Date.parse(twice.expiresAt) - Date.parse(once.expiresAt)).toBe(30 * DAY * 1_000);
    expect(twice.lifecycleId).toBe(once.lifecycleId);
  });
});

describe('what the user does in the wallet', () => {
  test('turning a request down ends the renewal', async () => {
    const license = await newLicense(await newInstall());
    const { contractId, requestId } = await openRenewal(license);
    await wallet.reject(requestId);
    const renewal = async () =>
      (await world.call('user', 'GET', `/license-renewal-requests/${contractId}`)).body.state;
    await expect.poll(renewal).toBe('rejected');
    expect((await licenseAs('provider', license)).renewalRequests).toEqual([]);
  });

  test('taking the money back leaves the renewal waiting for it', async () => {
    const license = await newLicense(await newInstall());
    const { contractId, requestId } = await openRenewal(license);
    const allocation = await wallet.accept(requestId);
    const shown = async () =>
      (await licenseAs('provider', license)).renewalRequests[0].allocationCid;
    await expect.poll(shown).toBe(allocation);
    await wallet.withdraw(allocation);
    await expect.poll(shown).toBe(null);
    const late = await post('provider', `/licenses/${license}:complete-renewal`, {
      renewalRequestContractId: contractId,
      allocationContractId: allocation,
    });
    expect([late.status, late.body.code]).toEqual([422, 'ALLOCATION_NOT_FOUND']);
    const withdrawn = await post('provider', `/license-renewal-requests/${contractId}:withdraw`);
    expect([withdrawn.status, withdrawn.body]).toEqual([204, '']);
  });

  test('a window that closes leaves nothing to do but to withdraw', async () => {
    const license = await newLicense(await newInstall());
    const { contractId, requestId } = await openRenewal(license);
    const allocation = await wallet.accept(requestId);
    await pass(20 * 60);
    const late = await post('provider', `/licenses/${license}:complete-renewal`, {
      renewalRequestContractId: contractId,
      allocationContractId: allocation,
    });
    expect([late.status, late.body.code]).toEqual([409, 'STEP_NOT_ALLOWED']);
    const withdrawn = await post('provider', `/license-renewal-requests/${contractId}:withdraw`);
    expect(withdrawn.status).toBe(204);
  });
});

describe('a registry that is down', () => {
  const operation = async (commandId: string) =>
    (await world.call('provider', 'GET', `/operations/${commandId}`)).body;
  const waits = {
    kind: 'registry',
    detail: expect.any(String),
    since: expect.any(String),
    until: expect.any(String),
  };

  /** Creates a licence whose renewal is paid. Returns the request that completes this renewal. */
  async function payable() {
    const license = await newLicense(await newInstall());
    const { contractId, requestId } = await openRenewal(license);
    const allocation = await wallet.accept(requestId);
    await expect
      .poll(async () => (await licenseAs('provider', license)).renewalRequests[0].allocationCid)
      .toBe(allocation);
    const body = { renewalRequestContractId: contractId, allocationContractId: allocation };
    return { license, path: `/licenses/${license}:complete-renewal`, body };
  }

  async function ask(path: string, body: object): Promise<string> {
    const commandId = randomUUID();
    const headers = { prefer: 'respond-async' };
    const to = `${path}?commandId=${commandId}`;
    const asked = await world.call('provider', 'POST', to, { body, headers });
    expect(asked.status).toBe(202);
    return commandId;
  }

  test.each([
    ['delays a completion, and loses nothing', () => registry.close()],
    ['that answers nonsense is down', () => registry.answer(200, '<html>hello</html>')],
    ['that fails is down', () => registry.answer(500, '{"error": "oops"}')],
  ])('%s', async (_what, breaks) => {
    const { license, path, body } = await payable();
    breaks();
    const commandId = await ask(path, body);
    await expect.poll(async () => (await operation(commandId)).waitingFor).toEqual(waits);
    const waiting = await operation(commandId);
    expect(waiting).toMatchObject({ state: 'retrying', operation: 'complete-renewal' });
    expect(waiting.attempts[0]).toMatchObject({
      answer: 'refused',
      ledgerCode: 'REGISTRY_UNAVAILABLE',
    });
    registryIsBack();
    await expect
      .poll(async () => (await operation(commandId)).state, { timeout: 120_000 })
      .toBe('succeeded');
    expect((await licenseAs('user', license)).isExpired).toBe(false);
  });

  test('and one that refuses ends the change', async () => {
    const { path, body } = await payable();
    registry.answer(400, JSON.stringify({ error: 'no such choice' }));
    const refused = await post('provider', path, body);
    registryIsBack();
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'LEDGER_REFUSED',
      ledgerCode: 'REGISTRY_REFUSED',
    });
    expect(refused.body.message).toContain('no such choice');
    // No command was sent, so the same renewal can still be completed.
    expect((await post('provider', path, body)).status).toBe(200);
  });
});
