import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { openReferenceClient } from './kit/reference-client.ts';
import { openFixture } from './kit/reference-fixture.ts';
import type { Fixture, TestUser } from './kit/reference-fixture.ts';
import { list } from './kit/reference-world.ts';
import type { Row } from './kit/reference-world.ts';
import { startWorld } from './kit/world.ts';
import type { World } from './kit/world.ts';

/*
 * The reference's browser tests, each under its own title: the calls that its frontend makes, and the texts and roles
 * that the tests expect, without the frontend. The wallet and its login are LocalNet's own, and are tested in a
 * browser.
 */

let world: World;
let fixture: Fixture;
let browser: Browser | undefined;

beforeAll(async () => {
  [world, browser] = await Promise.all([
    startWorld({ TEST_MODE: 'on' }),
    hasChromium ? launchChromium() : undefined,
  ]);
  const { apiUrl, localnet } = world.tenure.state;
  const provider = openReferenceClient(`http://app-provider.localhost:${new URL(apiUrl).port}`);
  await provider.signIn('AppProvider', 'app-provider');
  const answer = await fetch(localnet!.userTokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'app-user-validator',
      client_secret: '6m12QyyGl81d9nABWQXMycZdXho6ejEX',
      grant_type: 'client_credentials',
      scope: 'openid',
    }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  fixture = openFixture(world, provider, access_token);
});
afterAll(async () => {
  await browser?.close();
  await fixture?.provider[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const meta = { data: {} };

async function withUser(run: (user: TestUser) => Promise<void>): Promise<void> {
  const user = await fixture.newUser();
  await using _client = user.client;
  await run(user);
}

async function accepted(user: TestUser): Promise<Row> {
  const { provider, rowOf } = fixture;
  const row = await rowOf(provider, 'listAppInstallRequests', user);
  const body = { installMeta: row.meta, meta: {} };
  expect(
    (await provider.call('acceptAppInstallRequest', { id: row.contractId, body })).status,
  ).toBe(201);
  return rowOf(provider, 'listAppInstalls', user);
}

async function licensed(user: TestUser): Promise<string> {
  const { contractId } = await fixture.rowOf(fixture.provider, 'listAppInstalls', user);
  const { status, data } = await fixture.provider.call('createLicense', {
    id: contractId,
    body: { params: { meta: {} } },
  });
  expect(status).toBe(201);
  // The reference's tests read this ID from the text of the toast.
  expect(data.licenseId).toMatch(/^[0-9a-f]+$/u);
  return data.licenseId;
}

const installsOf = async (client: TestUser['client'], user: TestUser): Promise<Row[]> =>
  (await list(client, 'listAppInstalls')).filter(
    ({ meta: { data } }: Row) => data.test === user.tag,
  );

test.each([
  ['AppProvider', 'app-provider', 'app provider'],
  ['AppUser', 'app-user', 'app user'],
])('%s can log in', async (tenant, username, name) => {
  await using client = openReferenceClient(fixture.provider.origin);
  await client.signIn(tenant, username);
  expect((await client.call('getAuthenticatedUser')).data).toMatchObject({ name });
});

/** Opens a new browser that is signed in to the application and then to the wallet. */
async function inWallet(username: string, run: (page: Page) => Promise<void>): Promise<void> {
  if (browser === undefined) return;
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(
      `${fixture.provider.origin}/oauth2/authorization/AppUser-app-provider-backend-oidc`,
    );
    await page.getByRole('textbox', { name: 'Username or email' }).fill(username);
    await page.getByRole('textbox', { name: 'Password' }).fill('abc123');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await page.waitForURL(`${fixture.provider.origin}/ui/**`);
    await page.goto(world.tenure.state.environment['APP_USER_WALLET_URL']!);
    await page.getByRole('button', { name: 'Log In with OAuth2' }).click();
    await page.getByText('Please re-authenticate to continue').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill('abc123');
    await page.getByRole('button', { name: 'Sign In' }).click();
    await run(page);
  } finally {
    await context.close();
  }
}

const signedInParty = async (page: Page): Promise<string> => {
  const party = page.locator('#logged-in-user').getByRole('textbox');
  await expect.poll(() => party.inputValue(), { timeout: PATIENCE_MS }).not.toBe('');
  return party.inputValue();
};

test.skipIf(!hasChromium)('AppUser can sign in to wallet UI', () =>
  inWallet('app-user', async (page) => {
    expect(await signedInParty(page)).toMatch(/^app_user_/u);
  }),
);

test('Users can see newly added AppInstallRequest', () =>
  withUser(async (user) => {
    for (const client of [fixture.provider, user.client]) {
      const { user: party } = await fixture.rowOf(client, 'listAppInstallRequests', user);
      expect(party).toBe(user.party);
    }
    const shown = (await user.client.call('getAuthenticatedUser')).data;
    expect(shown).toMatchObject({ name: `app user ${user.tag}`, party: user.party });
  }));

test('AppProvider can accept an AppInstallRequest', () =>
  withUser(async (user) => {
    expect(await accepted(user)).toMatchObject({ user: user.party, numLicensesCreated: 0 });
  }));

test('AppProvider can reject an AppInstallRequest', () =>
  withUser(async (user) => {
    const { provider, rowOf } = fixture;
    const { contractId: id } = await rowOf(provider, 'listAppInstallRequests', user);
    expect((await provider.call('rejectAppInstallRequest', { id, body: { meta } })).status).toBe(
      204,
    );
    const left = await list(provider, 'listAppInstallRequests');
    expect(left.filter(({ contractId }: Row) => contractId === id)).toEqual([]);
  }));

test.each(['AppProvider', 'AppUser'])('%s can cancel an AppInstall', (who) =>
  withUser(async (user) => {
    const { contractId: id } = await accepted(user);
    const client = who === 'AppUser' ? user.client : fixture.provider;
    expect((await client.call('cancelAppInstall', { id, body: { meta } })).status).toBe(204);
    expect(await installsOf(client, user)).toEqual([]);
  }),
);

test('AppUser can see accepted AppInstall', () =>
  withUser(async (user) => {
    await accepted(user);
    expect(await installsOf(user.client, user)).toHaveLength(1);
  }));

test('AppProvider can create licenses; AppUser can see created licenses; AppProvider can archive a license', () =>
  withUser(async (user) => {
    await accepted(user);
    const ids: string[] = [];
    for (const count of [1, 2]) {
      ids.push(await licensed(user));
      expect(await installsOf(fixture.provider, user)).toMatchObject([
        { numLicensesCreated: count },
      ]);
    }
    const seen = (await list(user.client, 'listLicenses')).map(({ contractId }: Row) => contractId);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const body = { meta: { data: { description: 'Testing license archival' } } };
    const archived = await fixture.provider.call('expireLicense', { id: ids[1]!, body });
    expect([archived.status, archived.text]).toEqual([200, 'License expired successfully']);
    expect(await list(user.client, 'listLicenses')).toHaveLength(1);
  }));

test.skipIf(!hasChromium)('Full License Lifecycle should pass', () =>
  withUser(async (user) => {
    const { provider, adminToken } = fixture;
    await accepted(user);
    const license = await licensed(user);
    const renewed = await provider.call('renewLicense', {
      id: license,
      body: {
        licenseFeeCc: 100,
        licenseExtensionDuration: 'P30D',
        prepareUntilDuration: 'PT10M',
        settleBeforeDuration: 'PT20M',
        description: 'test renewal reason',
      },
    });
    expect(renewed.status).toBe(201);
    const onboarded = await fetch(
      `${world.tenure.state.localnet!.userWalletUrl}/api/validator/v0/admin/users`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
        body: JSON.stringify({ party_id: user.party, name: user.userId }),
      },
    );
    expect(onboarded.status).toBe(200);
    await onboarded.body?.cancel();
    const renewal = async (): Promise<Row> =>
      (await list(user.client, 'listLicenses'))[0].renewalRequests[0];
    const { requestId } = await renewal();
    await inWallet(user.username, async (page) => {
      expect(await signedInParty(page)).toMatch(/.*app-user::.*/u);
      await page.getByRole('textbox', { name: 'Amount' }).fill('1000');
      await page.getByRole('button', { name: 'Tap' }).click();
      await page.locator('.tx-row-balance_change').waitFor();
      const popup = await page.context().newPage();
      popup.setDefaultTimeout(PATIENCE_MS);
      await popup.goto(`${new URL(page.url()).origin}//allocations`);
      const table = popup.locator('.allocation-request', { hasText: requestId }).getByRole('table');
      await table.getByText('test renewal reason').waitFor();
      await table.getByText('100 Amulet').waitFor();
      await table.getByRole('button', { name: 'Accept' }).click();
      await expect
        .poll(async () => (await renewal()).allocationCid, { timeout: PATIENCE_MS })
        .not.toBeNull();
    });
    const { contractId, allocationCid } = await renewal();
    const completed = await provider.call('completeLicenseRenewal', {
      id: license,
      body: { renewalRequestContractId: contractId, allocationContractId: allocationCid },
    });
    expect(completed.status).toBe(200);
  }),
);

test('Create tenant (happy path); 409 conflicts, and their words', async () => {
  const { provider } = fixture;
  const tenant = (tenantId: string, clientId: string) => ({
    tenantId,
    partyId: 'party-123456',
    walletUrl: 'http://wallet.localhost:2000/',
    clientId,
    issuerUrl: 'http://keycloak.localhost:8082/realms/AppProvider',
    users: [],
  });
  const create = (tenantId: string, clientId: string) =>
    provider.call('createTenantRegistration', { body: tenant(tenantId, clientId) });
  expect((await create('e2e-tenant', 'client-1')).status).toBe(201);
  const rows = await list(provider, 'listTenantRegistrations');
  expect(rows.filter(({ tenantId }: Row) => tenantId === 'e2e-tenant')).toHaveLength(1);
  const pair = await create('e2e-tenant-2', 'client-1');
  expect([pair.status, pair.reason]).toEqual([
    409,
    'ClientId-IssuerUrl combination already exists',
  ]);
  const known = await create('e2e-tenant', 'client-2');
  expect([known.status, known.reason]).toEqual([409, 'TenantId already exists']);
  // Tenure requires the confirmation from a preview: docs/COMPATIBILITY.md.
  expect((await provider.call('deleteTenantRegistration', { id: 'e2e-tenant' })).status).toBe(428);
});
