import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWallet } from '../../cli/wallet.ts';
import { openBrowser } from '../kit/browser.ts';
import type { OperationId, ReferenceClient } from '../e2e/kit/reference-client.ts';
import { PROTECTED, openReferenceClient } from '../e2e/kit/reference-client.ts';
import { openFixture } from '../e2e/kit/reference-fixture.ts';
import type { Fixture, TestUser } from '../e2e/kit/reference-fixture.ts';
import { list } from '../e2e/kit/reference-world.ts';
import type { Row } from '../e2e/kit/reference-world.ts';
import type { World } from '../e2e/kit/world.ts';
import { startWorld } from '../e2e/kit/world.ts';
import type { ReferenceBackend } from './backend.ts';
import { startIssuingWorld, startReferenceBackend } from './backend.ts';

/*
 * The reference's backend for Node performs all its operations on LocalNet and the query store. It writes to the ledger
 * and reads from the store, so its lists show an operation a little later.
 */

const UNKNOWN = `00${'ab'.repeat(32)}`;
const meta = { data: {} };

const post = (url: string, body: object | URLSearchParams, token?: string) =>
  fetch(url, {
    method: 'POST',
    headers: {
      ...(body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
  });

/** Returns a token that was requested with the client credentials grant. */
async function clientToken(url: string, id: string, secret: string): Promise<string> {
  const body = { client_id: id, client_secret: secret, grant_type: 'client_credentials' };
  const answer = await post(url, new URLSearchParams({ ...body, scope: 'openid' }));
  return ((await answer.json()) as { access_token: string }).access_token;
}

describe('in mode oauth2', () => {
  let world: World;
  let backend: ReferenceBackend;
  let provider: ReferenceClient;
  let fixture: Fixture;

  beforeAll(async () => {
    world = await startIssuingWorld();
    backend = await startReferenceBackend(world, 'oauth2');
    provider = openReferenceClient(backend.origin);
    await provider.signIn('AppProvider', 'app-provider');
    const { providerTokenUrl, userTokenUrl } = world.tenure.state.localnet!;
    const admin = await clientToken(
      providerTokenUrl,
      'app-provider-validator',
      'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
    );
    // Makes the same call as the reference's script `register-app-user-tenant`.
    const registered = await provider.call('createTenantRegistration', {
      headers: { authorization: `Bearer ${admin}` },
      body: {
        tenantId: 'AppUser',
        partyId: world.tenure.state.localnet!.userParty,
        walletUrl: world.tenure.state.environment['APP_USER_WALLET_URL'],
        clientId: 'app-provider-backend-oidc',
        issuerUrl: backend.userIssuer,
        internal: false,
      },
    });
    if (registered.status !== 201) throw new Error(registered.reason);
    const userAdmin = await clientToken(
      userTokenUrl,
      'app-user-validator',
      '6m12QyyGl81d9nABWQXMycZdXho6ejEX',
    );
    fixture = openFixture(world, provider, userAdmin);
  });
  afterAll(async () => {
    await provider?.[Symbol.asyncDispose]();
    await backend?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  async function withUser(run: (user: TestUser) => Promise<void>): Promise<void> {
    const user = await fixture.newUser();
    await using _client = user.client;
    await run(user);
  }

  async function accepted(user: TestUser): Promise<Row> {
    const { rowOf } = fixture;
    const { contractId: id, meta: installMeta } = await rowOf(
      provider,
      'listAppInstallRequests',
      user,
    );
    const body = { installMeta, meta: {} };
    const { status, data } = await provider.call('acceptAppInstallRequest', { id, body });
    expect([status, data.user, data.meta]).toEqual([201, user.party, installMeta]);
    return rowOf(provider, 'listAppInstalls', user);
  }

  /** Returns the IDs of the contracts of this user that a client's list shows. */
  const idsOf = async (client: ReferenceClient, operation: OperationId, { party }: TestUser) =>
    (await list(client, operation))
      .filter(({ user }: Row) => user === party)
      .map(({ contractId }: Row) => contractId);

  const until = (ask: () => Promise<Row>) => expect.poll(ask);

  async function licensed(user: TestUser): Promise<string> {
    const [id] = await idsOf(provider, 'listAppInstalls', user);
    const body = { params: { meta: {} } };
    const { status, data } = await provider.call('createLicense', { id, body });
    expect([status, data.installId]).toEqual([201, id]);
    expect(data.licenseId).toMatch(/^[0-9a-f]+$/u);
    await until(() => idsOf(user.client, 'listLicenses', user)).toContain(data.licenseId);
    return data.licenseId;
  }

  const renewalsOf = async (client: ReferenceClient, license: string): Promise<Row[]> =>
    (await list(client, 'listLicenses')).find(({ contractId }: Row) => contractId === license)
      ?.renewalRequests ?? [];

  async function renewal(user: TestUser, license: string): Promise<Row> {
    const { status, text } = await provider.call('renewLicense', {
      id: license,
      body: {
        licenseFeeCc: 100,
        licenseExtensionDuration: 'P30D',
        prepareUntilDuration: 'PT10M',
        settleBeforeDuration: 'PT20M',
        description: 'One more month',
      },
    });
    expect([status, text]).toEqual([201, '']);
    await until(() => renewalsOf(user.client, license)).toHaveLength(1);
    return (await renewalsOf(user.client, license))[0];
  }

  test('nobody is let in without a login', async () => {
    await using anonymous = openReferenceClient(backend.origin);
    expect((await anonymous.call('getFeatureFlags')).data).toEqual({ authMode: 'oauth2' });
    for (const operation of PROTECTED.filter((id) => !/Comment/u.test(id))) {
      const { status } = await anonymous.call(operation, { id: UNKNOWN });
      expect([operation, status]).toEqual([operation, 401]);
    }
  });

  test('people of both sides sign in, and are who the realm says', async () => {
    const { data } = await provider.call('getAuthenticatedUser');
    expect(data).toMatchObject({
      name: 'app provider',
      party: world.tenure.state.providerParty,
      isAdmin: true,
    });
    await using client = openReferenceClient(backend.origin);
    await client.signIn('AppUser', 'app-user');
    const user = (await client.call('getAuthenticatedUser')).data;
    expect(user).toMatchObject({
      name: 'app user',
      party: world.tenure.state.localnet!.userParty,
      isAdmin: false,
    });
    expect((await client.logout()).status).toBe(204);
    expect((await client.call('getAuthenticatedUser')).status).toBe(401);
  });

  test('requests are seen by both sides, accepted, rejected, and their installs cancelled', () =>
    withUser(async (user) => {
      for (const client of [provider, user.client]) {
        await fixture.rowOf(client, 'listAppInstallRequests', user);
      }
      const { contractId: install } = await accepted(user);
      await until(() => idsOf(user.client, 'listAppInstallRequests', user)).toEqual([]);
      const cancelled = await user.client.call('cancelAppInstall', { id: install, body: { meta } });
      expect(cancelled.status).toBe(204);
      await until(() => idsOf(provider, 'listAppInstalls', user)).toEqual([]);
    }));

  test('a request that is rejected is gone', () =>
    withUser(async (user) => {
      const { contractId: id } = await fixture.rowOf(provider, 'listAppInstallRequests', user);
      const rejected = await provider.call('rejectAppInstallRequest', { id, body: { meta } });
      expect(rejected.status).toBe(204);
      await until(() => idsOf(user.client, 'listAppInstallRequests', user)).toEqual([]);
      const again = await provider.call('rejectAppInstallRequest', { id, body: { meta } });
      expect([again.status, again.reason]).toEqual([
        404,
        `AppInstallRequest not found for contract ${id}`,
      ]);
    }));

  test('licences are created, listed, and archived', () =>
    withUser(async (user) => {
      await accepted(user);
      const [first, second] = [await licensed(user), await licensed(user)];
      expect(
        (await list(user.client, 'listLicenses')).map(({ licenseNum }: Row) => licenseNum),
      ).toEqual([1, 2]);
      const archived = await provider.call('expireLicense', { id: second, body: { meta } });
      expect([archived.status, archived.text]).toEqual([200, 'License expired successfully']);
      await until(() => idsOf(user.client, 'listLicenses', user)).toEqual([first]);
    }));

  test('a renewal is asked for, paid in the wallet, and completed', () =>
    withUser(async (user) => {
      await accepted(user);
      const license = await licensed(user);
      const asked = await renewal(user, license);
      expect(asked).toMatchObject({
        licenseFeeAmount: 100,
        licenseExtensionDuration: '30 days',
        allocationCid: null,
      });
      const { userWalletUrl, userTokenUrl } = world.tenure.state.localnet!;
      const onboarded = await post(
        `${userWalletUrl}/api/validator/v0/admin/users`,
        { party_id: user.party, name: user.userId },
        fixture.adminToken,
      );
      expect(onboarded.status).toBe(200);
      await onboarded.body?.cancel();
      const signedIn = await post(
        userTokenUrl,
        new URLSearchParams({
          client_id: 'app-user-unsafe',
          grant_type: 'password',
          username: user.username,
          password: 'abc123',
          scope: 'openid',
        }),
      );
      const { access_token: token } = (await signedIn.json()) as { access_token: string };
      const wallet = openWallet(userWalletUrl, token);
      await wallet.tap('1000.0');
      const allocationContractId = await wallet.accept(asked.requestId);
      await until(async () => (await renewalsOf(provider, license))[0].allocationCid).toBe(
        allocationContractId,
      );
      const { status, data } = await provider.call('completeLicenseRenewal', {
        id: license,
        body: { renewalRequestContractId: asked.contractId, allocationContractId },
      });
      expect(status).toBe(200);
      await until(() => idsOf(user.client, 'listLicenses', user)).toEqual([data.licenseId]);
      const [renewed] = await list(user.client, 'listLicenses');
      expect(renewed).toMatchObject({ isExpired: false, renewalRequests: [] });
    }));

  test('a renewal is withdrawn by its interface', () =>
    withUser(async (user) => {
      await accepted(user);
      const license = await licensed(user);
      const { contractId: id } = await renewal(user, license);
      const withdrawn = await provider.call('withdrawLicenseRenewalRequest', { id });
      expect([withdrawn.status, withdrawn.text]).toEqual([204, '']);
      await until(() => renewalsOf(user.client, license)).toEqual([]);
    }));

  test('tenants are registered with an issuer that is asked, refused twice, and deleted', async () => {
    const create = (tenantId: string, clientId: string) =>
      provider.call('createTenantRegistration', {
        body: {
          tenantId,
          clientId,
          partyId: 'party-123456',
          issuerUrl: backend.providerIssuer,
          walletUrl: 'http://wallet.localhost:2000/',
        },
      });
    expect((await create('e2e-tenant', 'client-1')).status).toBe(201);
    const [pair, known] = [
      await create('e2e-tenant-2', 'client-1'),
      await create('e2e-tenant', 'client-2'),
    ];
    expect([pair.status, pair.reason, known.status, known.reason]).toEqual([
      409,
      'ClientId-IssuerUrl combination already exists',
      409,
      'TenantId already exists',
    ]);
    expect((await provider.call('deleteTenantRegistration', { id: 'e2e-tenant' })).status).toBe(
      204,
    );
  });
});

describe('in mode shared-secret', () => {
  let world: World;
  let backend: ReferenceBackend;
  beforeAll(async () => {
    world = await startWorld({ AUTH_MODE: 'shared-secret' });
    backend = await startReferenceBackend(world, 'shared-secret');
  });
  afterAll(async () => {
    await backend?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  test('both sides sign in by name, and a request becomes a licence', async () => {
    const { origin } = backend;
    await using provider = openBrowser();
    await using user = openBrowser();
    const send = (browser: typeof provider, path: string, body: object) =>
      browser.post(`${origin}/api${path}`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const login = `${origin}/login/shared-secret`;
    expect((await provider.submit(login, { username: 'app-provider' })).location).toBe(
      `${origin}/`,
    );
    const userParty = world.tenure.state.localnet!.userParty;
    const registered = await send(provider, '/admin/tenant-registrations', {
      tenantId: 'AppUser',
      partyId: userParty,
      walletUrl: '',
      clientId: '',
      issuerUrl: '',
      internal: false,
      users: ['app-user'],
    });
    expect(registered.status).toBe(201);
    await user.submit(login, { username: 'app-user' });
    expect((await user.get(`${origin}/api/user`)).json()).toMatchObject({
      name: 'app-user',
      party: userParty,
    });

    const asked = await post(
      `${world.tenure.state.localnet!.userJsonApiUrl}/v2/commands/submit-and-wait`,
      {
        commands: [
          {
            CreateCommand: {
              templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
              createArguments: {
                provider: world.tenure.state.providerParty,
                user: userParty,
                meta: { values: {} },
              },
            },
          },
        ],
        commandId: 'create-app-install-request',
        actAs: [userParty],
        readAs: [userParty],
      },
      await world.tokenOf('user'),
    );
    expect(asked.status).toBe(200);
    const only = async (path: string): Promise<string> => {
      const rows = async (): Promise<Row[]> => {
        const answer = await user.get(`${origin}/api${path}`);
        expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
        return answer.json();
      };
      await expect.poll(rows).toHaveLength(1);
      return (await rows())[0].contractId;
    };
    const request = await only('/app-install-requests');
    const body = { installMeta: meta, meta };
    const accepted = await send(provider, `/app-install-requests/${request}:accept`, body);
    expect(accepted.status).toBe(201);
    const install = await only('/app-installs');
    const made = await send(provider, `/app-installs/${install}:create-license`, {
      params: { meta },
    });
    expect(made.status).toBe(201);
    expect(await only('/licenses')).toBe(made.json().licenseId);
  });
});
