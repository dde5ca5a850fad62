import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { TestApi } from '../kit/http-api.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { storedAct } from '../kit/http-bulk.ts';
import { asOperator } from '../kit/http-ops.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import type { TenantAsks } from '../kit/tenant-asks.ts';
import { TENANTS, registration, tenantAsks } from '../kit/tenant-asks.ts';

/* Registrations as clients of the reference implementation see them, one check after another, and what Tenure adds. */

let api: TestApi;
let provider: TenantAsks;

const stored = async (): Promise<string[]> => {
  const { rows } = await api.pool.query(
    `select tenant_id || coalesce(' ' || string_agg(user_name, ','), '') as t
     from tenant left join tenant_user using (tenant_id) group by tenant_id order by 1`,
  );
  return rows.map((row: { t: string }) => row.t);
};

describe('in mode oauth2', () => {
  beforeEach(async () => {
    api = await startApi();
    provider = await tenantAsks(api);
  });
  afterEach(() => api[Symbol.asyncDispose]());

  test('is refused with 428 without a preview, and removed with its reason in the audit log', async () => {
    const provider = await tenantAsks(api);
    expect((await provider.create(registration(api))).statusCode).toBe(201);
    const headers = { authorization: await api.as(PROVIDER) };
    const remove = (query: string) =>
      api.app.inject({ method: 'DELETE', url: `${TENANTS}/Acme${query}`, headers });
    for (const query of ['', '?token=made-up&count=0', '?reason=gone']) {
      expect([query, (await remove(query)).json().code]).toEqual([query, 'CONFIRMATION_REQUIRED']);
    }
    const other = await remove('?token=made-up&count=0&reason=gone');
    expect([other.statusCode, other.json().code]).toEqual([409, 'PREVIEW_OVER']);
    expect((await provider.remove('Acme')).statusCode).toBe(204);
    const { rows } = await api.pool.query(
      `select reason from audit where act = 'tenant-removed' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ reason: 'they have left' }]);
  });

  test('a registration is echoed, listed, and gone when it is deleted', async () => {
    const echoed = registration(api);
    const created = await provider.create({
      colour: 'red',
      internal: true,
      ...echoed,
      users: ['x'],
    });
    expect(created.statusCode).toBe(201);
    const answer = { ...echoed, internal: null, users: ['x'] };
    expect(created.payload, 'the order of members is the reference’s').toBe(JSON.stringify(answer));

    const listed = await provider.list();
    expect(listed.statusCode).toBe(200);
    const ours = {
      tenantId: 'AppProvider',
      partyId: PROVIDER,
      walletUrl: null,
      clientId: 'app-provider-backend-oidc',
      issuerUrl: api.issuers.provider.issuer,
      internal: true,
      users: [],
      hosted: true,
    };
    const appUser = {
      ...ours,
      tenantId: 'AppUser',
      partyId: USER,
      walletUrl: 'http://wallet.localhost:2000',
      issuerUrl: api.issuers.user.issuer,
      internal: false,
    };
    const acme = { ...echoed, internal: false, users: [], hosted: true };
    expect(listed.payload).toBe(JSON.stringify([ours, acme, appUser]));

    await storedAct(api.pool, 'Acme', USER, 'previewed');
    const running = await storedAct(api.pool, 'Acme', USER, 'running');
    const others = await storedAct(api.pool, 'Others', OTHER_USER, 'running');
    const removed = await provider.remove('Acme');
    expect([removed.statusCode, removed.payload]).toEqual([204, '']);
    expect((await provider.list()).json()).toEqual([ours, appUser]);
    expectProblem(await provider.remove('Acme'), `${TENANTS}/Acme`, {
      code: 'NOT_FOUND',
      message: 'No registrations found for tenantId=Acme',
    });
    const headers = { authorization: await asOperator(api) };
    const log = await api.app.inject({ url: '/ops/audit?object=tenant:Acme', headers });
    const { clientId, issuerUrl } = echoed;
    const by = { byParty: PROVIDER, bySubject: 'AppProvider-subject' };
    expect(log.json()).toMatchObject([
      { act: 'tenant-removed', ...by, detail: { party: USER, issuerUrl } },
      { act: 'tenant-registered', ...by, detail: { party: USER, clientId, issuerUrl } },
    ]);
    // The running act of the tenant is stopped, and previews of the tenant can no longer be applied. The tenant's party
    // can see the stopped act.
    const { rows } = await api.pool.query(
      'select id, state from bulk_act order by tenant_id, state',
    );
    expect(rows).toEqual([
      { id: running, state: 'stopped' },
      { id: others, state: 'running' },
    ]);
    const authorization = await api.as(USER, { claims: { roles: ['operator'] } });
    const told = async (as: string, act: string) =>
      (
        await api.app.inject({
          url: `/ops/audit?object=act:${act}`,
          headers: { authorization: as },
        })
      ).json();
    const stopped = { act: 'bulk-stopped', ...by, reason: 'the tenant of the caller was removed' };
    expect(await told(authorization, running)).toMatchObject([stopped]);
    expect(await told(headers.authorization, running)).toMatchObject([stopped]);
  });

  test('what may be left out is null or empty in the answer', async () => {
    const { walletUrl: _none, ...asked } = registration(api);
    expect((await provider.create(asked)).json()).toEqual({
      ...asked,
      walletUrl: null,
      internal: null,
      users: [],
    });
    const empty = registration(api, { tenantId: 'Empty', clientId: 'e', walletUrl: '', users: [] });
    expect((await provider.create(empty)).statusCode).toBe(201);
    const listed = (await provider.list()).json<{ tenantId: string; walletUrl: unknown }[]>();
    const wallets = listed.filter(({ tenantId }) => ['Acme', 'Empty'].includes(tenantId));
    expect(wallets.map(({ walletUrl }) => walletUrl)).toEqual([null, null]);
  });

  test('what the reference’s onboarding sends is taken', async () => {
    expect((await provider.remove('AppUser')).statusCode).toBe(204);
    const created = await provider.create({
      tenantId: 'AppUser',
      partyId: USER,
      walletUrl: 'http://wallet.localhost:2000',
      clientId: 'app-provider-backend-oidc',
      issuerUrl: api.issuers.user.issuer,
      internal: false,
      users: [''],
    });
    expect(created.statusCode).toBe(201);
  });

  test('an id, and a pair of client and issuer, that are known are conflicts, in this order', async () => {
    await provider.create(registration(api));
    const conflict = async (over: object, message: string) =>
      expectProblem(await provider.create(registration(api, { ...over })), TENANTS, {
        code: 'TENANT_CONFLICT',
        message,
      });
    const pair = 'ClientId-IssuerUrl combination already exists';
    await conflict({}, 'TenantId already exists');
    await conflict({ tenantId: 'AppProvider' }, 'TenantId already exists');
    await conflict({ tenantId: 'Other' }, pair);
    const ours = { clientId: 'app-provider-backend-oidc', issuerUrl: api.issuers.provider.issuer };
    await conflict({ tenantId: 'Other', ...ours }, pair);
    // The conflict is detected before the issuer is called. A call would fail here.
    await conflict({ issuerUrl: 'http://127.0.0.1:1' }, 'TenantId already exists');
    await conflict(
      { tenantId: 'Acme-acme', clientId: 'login', issuerUrl: 'http://127.0.0.1:1' },
      'TenantId and ClientId together are the same text as those of another tenant',
    );
    expect(await stored()).toEqual(['Acme', 'AppUser']);
  });

  test('of several that register the same at once, one does', async () => {
    const second = await tenantAsks(api, await api.another());
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? provider : second).create(registration(api)),
      ),
    );
    const statuses = answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect(await stored()).toEqual(['Acme', 'AppUser']);
  });

  test('the provider’s own tenant stays', async () => {
    expectProblem(await provider.remove('AppProvider'), `${TENANTS}/AppProvider`, {
      code: 'TENANT_INTERNAL',
      message: 'tenant AppProvider comes from the configuration and cannot be changed here',
    });
  });

  test('ids that need escaping are found', async () => {
    for (const tenantId of ['a/b c', 'ü:x', '%2F', '...']) {
      const asked = registration(api, { tenantId, clientId: `of-${tenantId}` });
      expect((await provider.create(asked)).statusCode).toBe(201);
      expect((await provider.remove(tenantId)).statusCode, tenantId).toBe(204);
    }
  });

  test('nobody but the provider administers, and nobody without a token', async () => {
    const guest = registration(api, {
      tenantId: 'Guest',
      partyId: OTHER_USER,
      issuerUrl: api.issuers.provider.issuer,
      clientId: 'guest',
    });
    expect((await provider.create(guest)).statusCode).toBe(201);
    const asGuest = await api.issuers.provider.token({ claims: { azp: 'guest' } });
    const authorizations = [await api.as(USER), await api.as(OTHER_USER), `Bearer ${asGuest}`];
    const calls = [
      ['GET', TENANTS],
      ['POST', TENANTS],
      ['DELETE', `${TENANTS}/Guest`],
      ['DELETE', `${TENANTS}/nobody`],
    ] as const;
    for (const [method, url] of calls) {
      for (const authorization of authorizations) {
        const reply = await api.app.inject({ method, url, headers: { authorization } });
        expectProblem(reply, url, {
          code: 'FORBIDDEN',
          message: 'the provider alone administers tenants: permission admin is needed',
        });
      }
      expect((await api.app.inject({ method, url })).statusCode).toBe(401);
    }
    expect(await stored()).toEqual(['AppUser', 'Guest']);
  });
});

test('a tenant of before with the provider’s party may do nothing', async () => {
  await using before = await startApi();
  const twin = { tenantId: 'Twin', clientId: 'twin', issuerUrl: before.issuers.user.issuer };
  const rest = { party: PROVIDER, walletUrl: null, internal: false, users: [] };
  await before.deps.tenants.add({ ...twin, ...rest }, IO);
  const claims = { azp: 'twin', roles: ['operator'] };
  const headers = { authorization: `Bearer ${await before.issuers.user.token({ claims })}` };
  for (const url of ['/licenses', '/ops/attention', '/webhooks', '/user']) {
    expect((await before.app.inject({ method: 'GET', url, headers })).statusCode).toBe(403);
  }
});

describe('in mode oauth2, what is refused leaves nothing:', () => {
  beforeAll(async () => {
    api = await startApi();
    provider = await tenantAsks(api);
  });
  afterAll(() => api[Symbol.asyncDispose]());

  const long = 'x'.repeat(LIMITS.tenantNameCharsMax + 1);
  const nameRule = (field: string) =>
    `${field} must have 1 to ${LIMITS.tenantNameCharsMax} characters, all of them printable`;
  const PARTY_RULE =
    'partyId must have 1 to 255 characters, each of them a letter of a to z, a digit, :, -, _ or a space';
  const addressRule = (field: string) =>
    `${field} must be an address that begins with http:// or https://`;
  test.each<[object, string, string]>([
    [{ tenantId: undefined, partyId: '' }, 'tenantId', 'Tenant Id is required'],
    [{ tenantId: null, clientId: '' }, 'tenantId', 'Tenant Id is required'],
    [{ tenantId: ' \t', issuerUrl: '' }, 'tenantId', 'Tenant Id is required'],
    [{ partyId: undefined, clientId: '' }, 'partyId', 'Party Id is required'],
    [{ partyId: '  ', issuerUrl: null }, 'partyId', 'Party Id is required'],
    [{ clientId: null, issuerUrl: null }, 'clientId', 'Client Id is required in OAuth2 mode'],
    [{ clientId: '', issuerUrl: '' }, 'clientId', 'Client Id is required in OAuth2 mode'],
    [{ issuerUrl: undefined }, 'issuerUrl', 'Issuer Url is required in OAuth2 mode'],
    [{ issuerUrl: ' ' }, 'issuerUrl', 'Issuer Url is required in OAuth2 mode'],
    [{ tenantId: long }, 'tenantId', nameRule('tenantId')],
    [{ tenantId: 'a\nb' }, 'tenantId', nameRule('tenantId')],
    [{ tenantId: '..' }, 'tenantId', 'tenantId must not be . or ..'],
    [{ clientId: long }, 'clientId', nameRule('clientId')],
    [{ partyId: long }, 'partyId', PARTY_RULE],
    [
      { partyId: PROVIDER },
      'partyId',
      'partyId is the party of the provider, which no other tenant may use',
    ],
    [{ partyId: 'a::b\u0007' }, 'partyId', PARTY_RULE],
    [{ partyId: 'müller::1220' }, 'partyId', PARTY_RULE],
    [{ walletUrl: 'wallet' }, 'walletUrl', addressRule('walletUrl')],
    [{ walletUrl: 'javascript:alert(1)' }, 'walletUrl', addressRule('walletUrl')],
    [{ walletUrl: 'http://a b' }, 'walletUrl', addressRule('walletUrl')],
    [{ walletUrl: 'http:///' }, 'walletUrl', addressRule('walletUrl')],
    [{ walletUrl: `http://a/${'x'.repeat(2048)}` }, 'walletUrl', addressRule('walletUrl')],
    [
      { walletUrl: 'https://me:secret@wallet.example' },
      'walletUrl',
      'walletUrl must not contain a user name or a password',
    ],
    [{ issuerUrl: 'file:///etc/passwd' }, 'issuerUrl', addressRule('issuerUrl')],
    [{ issuerUrl: String.raw`http:\\issuer.example` }, 'issuerUrl', addressRule('issuerUrl')],
    [{ issuerUrl: '//issuer.example' }, 'issuerUrl', addressRule('issuerUrl')],
    [{ issuerUrl: 'http://issuer.example:99999' }, 'issuerUrl', addressRule('issuerUrl')],
    [
      { issuerUrl: 'http://me@issuer.example' },
      'issuerUrl',
      'issuerUrl must not contain a user name or a password',
    ],
    [
      { issuerUrl: 'http://issuer.example/?a=b' },
      'issuerUrl',
      'issuerUrl must not contain a query or a fragment',
    ],
    [
      { issuerUrl: 'http://issuer.example/#a' },
      'issuerUrl',
      'issuerUrl must not contain a query or a fragment',
    ],
  ])('%j', async (over, field, message) => {
    expectProblem(await provider.create(registration(api, { ...over })), TENANTS, {
      code: 'REQUEST_INVALID',
      message,
      extra: { field },
    });
    expect(await stored()).toEqual(['AppUser']);
  });

  test('a body that is none, or of other types', async () => {
    const statuses = await Promise.all(
      [undefined, null, [], 'x', 7, { tenantId: 7 }, { users: 'x' }, { users: [7] }].map(
        async (body) => (await provider.create(body)).statusCode,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([400]));
    const large = registration(api, { walletUrl: 'x'.repeat(HTTP_LIMITS.httpBodyBytesMax) });
    expect((await provider.create(large)).statusCode).toBe(413);
  });
});

describe('in mode shared-secret', () => {
  beforeAll(async () => {
    api = await startApi(() => ({ authMode: 'shared-secret' }));
    provider = await tenantAsks(api);
  });
  afterAll(() => api[Symbol.asyncDispose]());
  afterEach(() => api.pool.query(`delete from tenant where tenant_id <> 'AppUser'`));

  const byName = (over: object = {}) => ({
    tenantId: 'Acme',
    partyId: USER,
    walletUrl: 'http://wallet.acme.example',
    clientId: '',
    issuerUrl: '',
    internal: false,
    users: ['anna', 'bert'],
    ...over,
  });

  test('a registration has users, and neither client nor issuer', async () => {
    const created = await provider.create(byName());
    expect([created.statusCode, created.json()]).toEqual([201, byName({ internal: null })]);
    const listed = (await provider.list()).json<{ tenantId: string }[]>();
    expect(listed.find(({ tenantId }) => tenantId === 'Acme')).toEqual(
      byName({ clientId: null, issuerUrl: null, hosted: true }),
    );
    expect((await provider.remove('Acme')).statusCode).toBe(204);
    expectProblem(await provider.remove('Acme'), `${TENANTS}/Acme`, {
      code: 'NOT_FOUND',
      message: 'No registrations found for tenantId=Acme',
    });
    expect(await stored()).toEqual(['AppUser']);
  });

  const rule = `users must be names of 1 to ${LIMITS.tenantNameCharsMax} characters, all of them printable`;
  test.each<[object, string]>([
    [{ users: [] }, 'At least one User is required in shared-secret mode'],
    [{ users: undefined }, 'At least one User is required in shared-secret mode'],
    [{ users: null }, 'At least one User is required in shared-secret mode'],
    [{ users: ['anna', 'anna'] }, 'users must not contain a name twice'],
    [{ users: ['anna', ''] }, rule],
    [{ users: ['anna', ' '] }, rule],
    [{ users: ['a\u0007'] }, rule],
    [
      { users: Array.from({ length: LIMITS.tenantUsersMax + 1 }, (_, index) => `u${index}`) },
      `users must have at most ${LIMITS.tenantUsersMax} names`,
    ],
  ])('%o is refused', async (over, message) => {
    expectProblem(await provider.create(byName(over)), TENANTS, {
      code: 'REQUEST_INVALID',
      message,
      extra: { field: 'users' },
    });
    expect(await stored()).toEqual(['AppUser']);
  });

  test('a name that another tenant has is a conflict, and nothing of it is stored', async () => {
    await provider.create(byName());
    const other = byName({ tenantId: 'Other', users: ['carl', 'bert'] });
    expectProblem(await provider.create(other), TENANTS, {
      code: 'TENANT_CONFLICT',
      message: 'User bert already exists',
    });
    expect(await stored()).toEqual(['Acme anna,bert', 'AppUser']);
  });

  test('of several that want the same name at once, one gets it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        provider.create(byName({ tenantId: `t${index}`, users: [`own-${index}`, 'wanted'] })),
      ),
    );
    const statuses = answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b);
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await stored()).toHaveLength(2);
  });
});
