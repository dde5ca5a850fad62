import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROTECTED } from './kit/reference-client.ts';
import { expectMembers } from './kit/reference-shapes.ts';
import type { ReferenceWorld, Row } from './kit/reference-world.ts';
import { UNKNOWN, expectEmpty, list, rowOf, startReferenceWorld } from './kit/reference-world.ts';

/*
 * A client that was written for the reference opens every view and presses every button. It must get the same answers
 * as from the reference, except where docs/COMPATIBILITY.md says so.
 */

let reference: ReferenceWorld;
beforeAll(async () => {
  reference = await startReferenceWorld();
});
afterAll(() => reference[Symbol.asyncDispose]());

describe('before anything has happened', () => {
  test.each(['listAppInstallRequests', 'listAppInstalls', 'listLicenses'] as const)(
    '%s is an empty array for either side',
    async (operation) => {
      expect(await list(reference.provider, operation)).toEqual([]);
      expect(await list(reference.user, operation)).toEqual([]);
    },
  );
});

describe('the page /login', () => {
  test('reads how people sign in, and the links', async () => {
    const flags = await reference.anonymous.call('getFeatureFlags');
    expect([flags.status, flags.text]).toEqual([200, '{"authMode":"oauth2"}']);
    expect(await list(reference.anonymous, 'listLinks')).toEqual([
      { name: 'AppProvider', url: '/oauth2/authorization/AppProvider' },
      { name: 'AppUser', url: '/oauth2/authorization/AppUser-app-provider-backend-oidc' },
    ]);
  });

  test.each(PROTECTED)('without a login %s is 401', async (operation) => {
    const { status, headers } = await reference.anonymous.call(operation, { id: UNKNOWN });
    expect([status, headers.get('location')]).toEqual([401, null]);
  });

  test('leads to the tenant’s login page and back to /, with a session', async () => {
    const client = reference.open();
    const back = await client.signIn('AppUser', 'adrian');
    expect(back.url).toMatch(
      /^http:\/\/app-provider\.localhost:\d+\/login\/oauth2\/code\/AppUser-app-provider-backend-oidc\?/u,
    );
    expect([back.status, back.headers.get('location')]).toEqual([302, '/']);
    const cookie = (name: string) =>
      back.setCookies.find((line) => line.startsWith(`${name}=`))?.split('; ') ?? [];
    expect(cookie('JSESSIONID')).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly']));
    expect(cookie('XSRF-TOKEN')).toContain('Path=/');
    // Scripts of pages must be able to read this cookie.
    expect(cookie('XSRF-TOKEN')).not.toContain('HttpOnly');
    expect((await client.call('getAuthenticatedUser')).data.name).toBe('Adrian Doe');
  });
});

describe('GET /user', () => {
  test('of the provider’s people', async () => {
    const { status, data } = await reference.provider.call('getAuthenticatedUser');
    expect([status, data]).toEqual([
      200,
      {
        name: 'app provider',
        party: reference.providerParty,
        roles: ['ROLE_ADMIN', 'AppProvider', reference.providerParty],
        isAdmin: true,
        permissions: ['read', 'write', 'policy', 'admin'],
        walletUrl: null,
        // Tenure adds this member.
        subject: expect.any(String),
        tenantId: 'AppProvider',
        operatorOf: null,
        session: { endsAt: expect.any(String), idleEndsAt: expect.any(String) },
      },
    ]);
  });

  test('of a tenant’s', async () => {
    const { data } = await reference.user.call('getAuthenticatedUser');
    expect(data).toMatchObject({
      name: 'app user',
      party: reference.userParty,
      roles: ['AppUser', reference.userParty],
      isAdmin: false,
      tenantId: 'AppUser',
      walletUrl: expect.stringMatching(/^http:\/\/wallet\.localhost:\d+$/u),
    });
  });
});

describe('the page /app-installs', () => {
  test('shows a request to both sides', async () => {
    const request = await reference.requested({ plan: 'gold' });
    for (const client of [reference.provider, reference.user]) {
      const row = await rowOf(client, 'listAppInstallRequests', request);
      expectMembers(row, 'AppInstallRequest');
      expect(row).toMatchObject({
        contractId: request,
        provider: reference.providerParty,
        user: reference.userParty,
        meta: { data: { plan: 'gold' } },
      });
    }
  });

  test('Accept gives the install and takes the request away', async () => {
    const request = await reference.requested();
    const { meta } = await rowOf(reference.provider, 'listAppInstallRequests', request);
    const { status, data } = await reference.accept(request, meta);
    expect(status).toBe(201);
    expectMembers(data, 'AppInstall');
    expect(data).toMatchObject({ meta, numLicensesCreated: 0, user: reference.userParty });
    expect(await rowOf(reference.provider, 'listAppInstallRequests', request)).toBeUndefined();
    for (const client of [reference.provider, reference.user]) {
      const row = await rowOf(client, 'listAppInstalls', data.contractId);
      expectMembers(row, 'AppInstall');
      expect(row).toMatchObject(data);
    }
  });

  test('Reject takes the request away', async () => {
    const id = await reference.requested();
    expectEmpty(
      await reference.provider.call('rejectAppInstallRequest', { id, body: { meta: {} } }),
      204,
    );
    expect(await rowOf(reference.user, 'listAppInstallRequests', id)).toBeUndefined();
  });

  test('Create License names the licence, and the install goes on', async () => {
    const install = await reference.installed();
    const { status, data } = await reference.createLicense(install);
    expect([status, Object.keys(data).slice(0, 2)]).toEqual([201, ['installId', 'licenseId']]);
    const row = await rowOf(reference.user, 'listAppInstalls', data.installId);
    expect(row.numLicensesCreated).toBe(1);
    expect((await rowOf(reference.user, 'listLicenses', data.licenseId)).licenseNum).toBe(1);
  });

  test.each(['provider', 'user'] as const)('Cancel is for the %s too', async (side) => {
    const { installId, licenseId } = await reference.licensed();
    const client = reference[side];
    expectEmpty(await client.call('cancelAppInstall', { id: installId, body: { meta: {} } }), 204);
    expect(await rowOf(reference.provider, 'listAppInstalls', installId)).toBeUndefined();
    // The licences of the install still exist.
    expect(await rowOf(reference.provider, 'listLicenses', licenseId)).toBeDefined();
  });
});

describe('the page /licenses', () => {
  test('shows each licence to both sides, born expired', async () => {
    const { licenseId } = await reference.licensed();
    for (const client of [reference.provider, reference.user]) {
      const row = await rowOf(client, 'listLicenses', licenseId);
      expectMembers(row, 'License');
      expect(row).toMatchObject({
        params: { meta: { data: {} } },
        licenseNum: 1,
        isExpired: true,
        renewalRequests: [],
      });
    }
  });

  test('is sorted by user and number, and numbers are numbers', async () => {
    const install = await reference.installed();
    await Promise.all(Array.from({ length: 11 }, () => reference.licensed(install)));
    const numbers = (await list(reference.user, 'listLicenses')).map(
      ({ licenseNum }: Row) => licenseNum,
    );
    expect(Math.max(...numbers)).toBe(11);
    expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => a - b));
  });

  test.each(['provider', 'user'] as const)('Archive is for the %s too', async (side) => {
    const { licenseId } = await reference.licensed();
    const { status, headers, text } = await reference.archive(reference[side], licenseId);
    expect([status, headers.get('content-type'), text]).toEqual([
      200,
      'text/plain;charset=UTF-8',
      'License expired successfully',
    ]);
    expect(await rowOf(reference.provider, 'listLicenses', licenseId)).toBeUndefined();
  });

  test('Renewals: issue, pay in the wallet, complete', async () => {
    const { licenseId } = await reference.licensed();
    expectEmpty(await reference.renew(licenseId, { licenseFeeCc: 12.5 }), 201);
    const asked = await reference.renewalOf(licenseId);
    expectMembers(asked, 'LicenseRenewalRequest');
    expect(asked).toMatchObject({
      provider: reference.providerParty,
      user: reference.userParty,
      licenseNum: 1,
      licenseFeeAmount: 12.5,
      licenseExtensionDuration: '30 days',
      description: 'One more month',
      allocationCid: null,
      prepareDeadlinePassed: false,
      settleDeadlinePassed: false,
    });
    const minutes = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000;
    expect(minutes(asked.requestedAt, asked.prepareUntil)).toBe(10);
    expect(minutes(asked.requestedAt, asked.settleBefore)).toBe(20);
    // The amount has as many digits as on the ledger.
    expect((await reference.user.call('listLicenses')).text).toContain(
      '"licenseFeeAmount":12.5000000000,',
    );

    await reference.wallet.tap('100.0');
    const allocationContractId = await reference.wallet.accept(asked.requestId);
    await expect
      .poll(async () => (await reference.renewalOf(licenseId)).allocationCid)
      .toBe(allocationContractId);
    const { status, data } = await reference.provider.call('completeLicenseRenewal', {
      id: licenseId,
      body: { renewalRequestContractId: asked.contractId, allocationContractId },
    });
    expect([status, Object.keys(data)[0]]).toEqual([200, 'licenseId']);
    const renewed = await rowOf(reference.user, 'listLicenses', data.licenseId);
    expect(renewed).toMatchObject({ licenseNum: 1, isExpired: false, renewalRequests: [] });
    expect(Date.parse(renewed.expiresAt) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(await rowOf(reference.user, 'listLicenses', licenseId)).toBeUndefined();
  });

  test('Withdraw sends nothing and is answered with nothing', async () => {
    const { licenseId } = await reference.licensed();
    await reference.renew(licenseId);
    const { contractId } = await reference.renewalOf(licenseId);
    expectEmpty(
      await reference.provider.call('withdrawLicenseRenewalRequest', { id: contractId }),
      204,
    );
    expect((await rowOf(reference.user, 'listLicenses', licenseId)).renewalRequests).toEqual([]);
  });
});

const TENANT = () => ({
  tenantId: 'Other',
  // The party of the reference's browser tests, which no ledger knows.
  partyId: 'party-123456',
  walletUrl: 'http://wallet.localhost:2000',
  clientId: 'app-user-wallet',
  issuerUrl: 'http://keycloak.localhost:8082/realms/AppUser',
  users: [],
});

test('comments, as the exercise of the reference’s documentation has them', async () => {
  const { licenseId: id } = await reference.licensed();
  for (const side of ['provider', 'user'] as const) {
    const body = { body: `from the ${side}` };
    expectEmpty(await reference[side].call('addLicenseComment', { id, body }), 201);
  }
  for (const side of ['provider', 'user'] as const) {
    const { data } = await reference[side].call('listLicenseComments', { id });
    for (const comment of data) expectMembers(comment, 'LicenseComment');
    expect(data.slice(-2)).toMatchObject([
      { commenter: reference.providerParty, body: 'from the provider' },
      { commenter: reference.userParty, body: 'from the user' },
    ]);
  }
});

describe('the page /tenants', () => {
  test('lists, creates, and deletes; the login page follows', async () => {
    const before = await list(reference.provider, 'listTenantRegistrations');
    expect(before.map(({ tenantId, internal }: Row) => [tenantId, internal])).toEqual([
      ['AppProvider', true],
      ['AppUser', false],
    ]);
    for (const row of before) expectMembers(row, 'TenantRegistration');
    const created = await reference.provider.call('createTenantRegistration', { body: TENANT() });
    expect([created.status, Object.entries(created.data)]).toEqual([
      201,
      [
        ['tenantId', 'Other'],
        ['partyId', 'party-123456'],
        ['walletUrl', 'http://wallet.localhost:2000'],
        ['clientId', 'app-user-wallet'],
        ['issuerUrl', 'http://keycloak.localhost:8082/realms/AppUser'],
        ['internal', null],
        ['users', []],
      ],
    ]);
    expect((await list(reference.provider, 'listTenantRegistrations')).at(-1)).toEqual({
      ...created.data,
      internal: false,
      // No participant hosts this party.
      hosted: false,
    });

    const id = await reference.installed();
    // This client of the realm has redirect URIs that are not the application's.
    const other = reference.open('localhost');
    await other.signIn('Other', 'adrian');
    expect((await other.call('getAuthenticatedUser')).data).toMatchObject({
      party: 'party-123456',
      roles: ['Other', 'party-123456'],
    });
    expect(await list(other, 'listAppInstalls')).toEqual([]);
    const foreign = await other.call('cancelAppInstall', { id, body: { meta: {} } });
    expect([foreign.status, foreign.reason]).toEqual([
      404,
      `AppInstall not found for contract ${id}`,
    ]);

    // The reference deletes at once. Tenure requires the confirmation from a preview that a person has read:
    // docs/COMPATIBILITY.md.
    const bare = await reference.provider.call('deleteTenantRegistration', { id: 'Other' });
    expect([bare.status, bare.headers.get('content-type')]).toEqual([
      428,
      expect.stringContaining('json'),
    ]);
    const path = '/admin/tenant-registrations/Other';
    const { world } = reference;
    const seen = await world.call('provider', 'POST', `${path}/preview-delete`);
    const { token, count } = seen.body;
    const gone = `${path}?token=${token}&count=${count}&reason=gone`;
    expect((await world.call('provider', 'DELETE', gone)).status).toBe(204);
    expect(await list(reference.provider, 'listTenantRegistrations')).toEqual(before);
    expect((await other.call('listLicenses')).status).toBe(401);
  });

  test.each([
    [{ tenantId: '' }, 400, 'Tenant Id is required'],
    [{ partyId: ' ' }, 400, 'Party Id is required'],
    [{ clientId: undefined }, 400, 'Client Id is required in OAuth2 mode'],
    [{ issuerUrl: null }, 400, 'Issuer Url is required in OAuth2 mode'],
    [{ tenantId: 'AppUser' }, 409, 'TenantId already exists'],
    [
      { clientId: 'app-provider-backend-oidc' },
      409,
      'ClientId-IssuerUrl combination already exists',
    ],
  ])('create with %o is %i %s', async (over, status, message) => {
    const body = { ...TENANT(), ...over };
    const refused = await reference.provider.call('createTenantRegistration', { body });
    expect([refused.status, refused.reason]).toEqual([status, message]);
  });

  test('delete of an unknown one is 404', async () => {
    const { status, reason } = await reference.provider.call('deleteTenantRegistration', {
      id: 'No/body',
    });
    expect([status, reason]).toEqual([404, 'No registrations found for tenantId=No/body']);
  });

  test('is the provider’s', async () => {
    for (const operation of PROTECTED.filter((id) => id.includes('Tenant'))) {
      const { status } = await reference.user.call(operation, { id: 'AppUser' });
      expect([operation, status]).toEqual([operation, 403]);
    }
  });
});

describe('Logout', () => {
  test('sends the browser on, and the session is over', async () => {
    const client = reference.open();
    await client.signIn('AppUser', 'app-user');
    const { status, headers } = await client.logout();
    expect(status).toBe(302);
    expect(headers.get('location')).toMatch(
      /^http:\/\/keycloak\.localhost:\d+\/realms\/AppUser\/.*id_token_hint=/u,
    );
    expect([client.cookies.has('JSESSIONID'), client.cookies.has('XSRF-TOKEN')]).toEqual([
      false,
      false,
    ]);
    expect((await client.call('getAuthenticatedUser')).status).toBe(401);
  });

  test('of a page’s script, as browsers send it, is answered at once', async () => {
    const client = reference.open();
    await client.signIn('AppProvider', 'app-provider');
    expectEmpty(await client.logout({ 'sec-fetch-dest': 'empty' }), 204);
    expect((await client.call('listLicenses')).status).toBe(401);
    // The second logout has no session.
    expectEmpty(await client.logout({ 'sec-fetch-dest': 'empty' }), 204);
  });
});
