import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { OperationId, Sent } from './kit/reference-client.ts';
import { PROTECTED } from './kit/reference-client.ts';
import type { ReferenceWorld } from './kit/reference-world.ts';
import { UNKNOWN, expectEmpty, startReferenceWorld } from './kit/reference-world.ts';

/*
 * Requests of a client of the reference that are refused, other spellings that such a client may use, and the
 * differences that docs/COMPATIBILITY.md lists.
 */

let reference: ReferenceWorld;
beforeAll(async () => {
  reference = await startReferenceWorld();
});
afterAll(() => reference[Symbol.asyncDispose]());

describe('what is refused, in words that clients look for', () => {
  const renewal = { renewalRequestContractId: UNKNOWN, allocationContractId: UNKNOWN };
  const fee = {
    licenseFeeCc: 1,
    licenseExtensionDuration: 'P1D',
    prepareUntilDuration: 'PT1M',
    settleBeforeDuration: 'PT2M',
    description: 'x',
  };
  const cases: readonly (readonly [OperationId, unknown, string])[] = [
    [
      'acceptAppInstallRequest',
      { installMeta: {}, meta: {} },
      'AppInstallRequest not found for contract ID',
    ],
    ['rejectAppInstallRequest', { meta: {} }, 'AppInstallRequest not found for contract ID'],
    ['createLicense', { params: { meta: {} } }, 'AppInstall not found for contract ID'],
    ['cancelAppInstall', { meta: {} }, 'AppInstall not found for contract ID'],
    ['renewLicense', fee, 'License not found for contract ID'],
    ['completeLicenseRenewal', renewal, 'Active renewal request not found for contract ID'],
    ['expireLicense', { meta: {} }, 'License not found for contract ID'],
    ['listLicenseComments', undefined, 'License not found for contract ID'],
    ['addLicenseComment', { body: 'x' }, 'License not found for contract ID'],
    ['withdrawLicenseRenewalRequest', undefined, 'AllocationRequest ID not found'],
  ];

  test.each(cases)('%s of what is not there', async (operation, body, message) => {
    const { status, reason } = await reference.provider.call(operation, { id: UNKNOWN, body });
    expect([status, reason]).toEqual([404, message.replace('ID', UNKNOWN)]);
  });

  test('an id in a path is percent-encoded, and told as it is', async () => {
    const { status, reason } = await reference.provider.call('expireLicense', {
      id: 'a b/c',
      body: {},
    });
    expect([status, reason]).toEqual([404, 'License not found for contract a b/c']);
  });

  test('the provider’s steps are 403 for the user', async () => {
    const request = await reference.requested();
    const { installId, licenseId } = await reference.licensed();
    await reference.renew(licenseId);
    const { contractId } = await reference.renewalOf(licenseId);
    const targets: Readonly<Record<string, string>> = {
      acceptAppInstallRequest: request,
      rejectAppInstallRequest: request,
      createLicense: installId,
      renewLicense: licenseId,
      completeLicenseRenewal: licenseId,
      withdrawLicenseRenewalRequest: contractId,
    };
    for (const [operation, given] of cases) {
      const id = targets[operation];
      if (id === undefined) continue;
      const body =
        operation === 'completeLicenseRenewal'
          ? { ...renewal, renewalRequestContractId: contractId }
          : given;
      const { status } = await reference.user.call(operation, { id, body });
      expect([operation, status]).toEqual([operation, 403]);
    }
  });

  const body = { params: { meta: {} } };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  test.each([
    [
      'no commandId',
      { commandId: null, body },
      400,
      `Required parameter 'commandId' is not present.`,
    ],
    ['no body', {}, 400, 'Required request body is missing'],
    ['not JSON', { body: '{"params":' }, 400, 'JSON parse error: '],
    ['another type', { body: { params: { meta: { data: { a: {} } } } } }, 400, ''],
    ['an array', { body: { params: { meta: { data: [] } } } }, 400, ''],
    ['a form', { body: 'a=b', headers: form }, 415, ''],
  ] as const satisfies readonly (readonly [string, Sent, number, string])[])(
    '%s',
    async (_what, sent, status, beginning) => {
      const refused = await reference.provider.call('createLicense', { id: UNKNOWN, ...sent });
      expect(refused.status).toBe(status);
      expect(refused.reason.startsWith(beginning), refused.reason).toBe(true);
    },
  );

  test('Archive for a caller that takes JSON alone is done, and answered as JSON', async () => {
    const { licenseId } = await reference.licensed();
    const { status } = await reference.user.call('expireLicense', {
      id: licenseId,
      body: { meta: {} },
      headers: { accept: 'application/json' },
    });
    expect(status).toBe(200);
    expect((await reference.archive(reference.user, licenseId)).status).toBe(409);
  });

  test('an address that is not there is 404, another method 405', async () => {
    const ask = (method: string, path: string) => reference.world.call('provider', method, path);
    expect((await ask('GET', '/api/nowhere')).status).toBe(404);
    expect((await ask('PUT', '/api/licenses')).status).toBe(405);
  });

  test('the probe of the reference asks for a login', async () => {
    const anybody = await reference.world.call('user', 'GET', '/actuator/health', { token: null });
    expect(anybody.status).toBe(401);
    const known = await reference.world.call('user', 'GET', '/actuator/health');
    expect([known.status, known.body]).toEqual([200, { status: 'UP' }]);
  });
});

describe('bodies as others may write them', () => {
  test('members that nobody knows do not count, values become text', async () => {
    const body = {
      installMeta: { data: { text: 'a', whole: 7, broken: 0.5, flag: true }, more: 1 },
      meta: {},
      internal: false,
      list: [{}],
    };
    const made = await reference.provider.call('acceptAppInstallRequest', {
      id: await reference.requested(),
      body,
    });
    expect([made.status, made.data.meta]).toEqual([
      201,
      { data: { text: 'a', whole: '7', broken: '0.5', flag: 'true' } },
    ]);
  });

  test('`meta: {}` is metadata without entries', async () => {
    const { status, data } = await reference.accept(await reference.requested(), {});
    expect([status, data.meta]).toEqual([201, { data: {} }]);
  });

  test.each([
    'application/json;charset=UTF-8',
    'application/json; charset=utf-8',
    'Application/JSON;charset="utf-8"',
    'application/json;charset=UTF-8;profile=x',
  ])('content type %s', async (type) => {
    const { installId } = await reference.licensed();
    const body = { params: { meta: {} } };
    const headers = { 'content-type': type };
    const made = await reference.provider.call('createLicense', { id: installId, body, headers });
    expect(made.status).toBe(201);
  });

  test('a content type without a body says nothing', async () => {
    const { licenseId } = await reference.licensed();
    await reference.renew(licenseId);
    const { contractId: id } = await reference.renewalOf(licenseId);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expectEmpty(
      await reference.provider.call('withdrawLicenseRenewalRequest', { id, headers }),
      204,
    );
    const { status } = await reference.provider.call('deleteTenantRegistration', { id, headers });
    expect(status).toBe(404);
  });
});

describe('the addresses without /api, for whoever comes past the proxy', () => {
  test('are the same', async () => {
    const bare = reference.open('app-provider.localhost', '');
    expect((await bare.call('getAuthenticatedUser')).status).toBe(401);
    await bare.signIn('AppProvider', 'beatris');
    for (const operation of PROTECTED.filter(
      (id) => id.startsWith('list') && !id.includes('Comment'),
    )) {
      expect((await bare.call(operation)).text).toBe(
        (await reference.provider.call(operation)).text,
      );
    }
    const { licenseId } = await reference.licensed();
    expect((await reference.archive(bare, licenseId)).text).toBe('License expired successfully');
    expect((await bare.call('getFeatureFlags')).text).toBe('{"authMode":"oauth2"}');
    expectEmpty(await bare.logout({ 'sec-fetch-dest': 'empty' }), 204);
  });
});

describe('the token against forgery', () => {
  test('is asked of a session’s changes, stays the same, and reading needs none', async () => {
    const token = reference.user.cookies.get('XSRF-TOKEN');
    const { licenseId } = await reference.licensed();
    for (const wrong of ['', 'x'.repeat(43)]) {
      const refused = await reference.user.call('expireLicense', {
        id: licenseId,
        body: { meta: {} },
        headers: { 'x-xsrf-token': wrong },
      });
      expect([refused.status, refused.reason]).toEqual([403, 'Forbidden']);
    }
    const read = await reference.user.call('listLicenses', { headers: { 'x-xsrf-token': '' } });
    expect(read.status).toBe(200);
    expect((await reference.archive(reference.user, licenseId)).status).toBe(200);
    expect(reference.user.cookies.get('XSRF-TOKEN')).toBe(token);
  });

  test('is not asked of programs, and other schemes than Bearer say nothing', async () => {
    const body = { meta: {} };
    const path = (id: string) => `/licenses/${id}:expire?commandId=${randomUUID()}`;
    const { licenseId, installId } = await reference.licensed();
    expect((await reference.world.call('user', 'POST', path(licenseId), { body })).status).toBe(
      200,
    );
    const beside = { headers: { authorization: 'Custom' } };
    const second = await reference.licensed(installId);
    expect((await reference.user.call('listLicenses', beside)).status).toBe(200);
    expect((await reference.archive(reference.user, second.licenseId)).status).toBe(200);
  });
});

describe('what differs is as it is listed', () => {
  const plain = async (path: string, init: RequestInit = {}) =>
    fetch(`${reference.world.tenure.state.apiUrl}${path}`, init);

  test('an address that is not there is 404 for anybody, an action that nobody knows 405', async () => {
    expect((await plain('/api/nowhere')).status).toBe(404);
    const path = `/api/licenses/${UNKNOWN}:vanish`;
    expect((await plain(path, { method: 'POST' })).status).toBe(405);
  });

  test('a program is told who it is', async () => {
    const { body } = await reference.world.call('user', 'GET', '/user');
    // Only a browser's login has a session; a request with a token has none.
    const { data } = await reference.user.call('getAuthenticatedUser');
    expect(body).toEqual({ ...data, session: null });
  });

  test('a body is looked at before the caller’s rights', async () => {
    const id = await reference.installed();
    const refused = await reference.user.call('createLicense', { id, body: {} });
    expect([refused.status, refused.reason]).toEqual([400, 'params is required']);
  });

  test('the type of JSON names its charset', async () => {
    const { headers } = await reference.user.call('listLicenses');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('without a login there is a challenge, and the reference’s word', async () => {
    const { headers, reason } = await reference.anonymous.call('listLicenses');
    expect([headers.get('www-authenticate'), reason]).toEqual([
      'Bearer realm="tenure"',
      'Unauthorized',
    ]);
  });
});
