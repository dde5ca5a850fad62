import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildServer } from '../../src/http/server.ts';
import type { Browser } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { IO, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { TEST_AUDIENCE } from '../kit/issuer.ts';
import { SHARED_SECRET, sharedSecretDeps } from '../kit/shared-secret.ts';
import { forFile } from '../kit/for-file.ts';

/* Mode shared-secret: people sign in by name alone, for development. */

/** A name that the audit log would take for the person behind a pseudonym. */
const PSEUDONYM = 'person:00000000-0000-4000-8000-000000000000';

let browser: Browser;

const api = await forFile(startApi());
await api.deps.tenants.remove('AppUser', IO);
const app = await buildServer(await sharedSecretDeps(api, 'AppUser'));
const base = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());
beforeEach(() => {
  browser = openBrowser();
});
afterEach(() => browser[Symbol.asyncDispose]());

const user = async () => (await browser.get(`${base}/user`)).json();

test('says so, and has no links', async () => {
  expect((await browser.get(`${base}/api/feature-flags`)).json()).toEqual({
    authMode: 'shared-secret',
  });
  const links = await browser.get(`${base}/login-links`);
  expect([links.status, links.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  for (const path of ['/oauth2/authorization/AppProvider', '/login/oauth2/code/AppProvider']) {
    expect((await browser.get(`${base}${path}`)).status).toBe(404);
  }
});

describe('a name', () => {
  test.each(['/login', '/login/shared-secret', '/api/login'])('at %s is enough', async (path) => {
    const page = await browser.submit(`${base}${path}`, { username: 'app-user' });
    expect([page.status, page.headers.get('location'), page.text]).toEqual([302, '/', '']);
    // Here the reference gives the tenant's ID instead of the party, and therefore no wallet. Tenure does not repeat
    // this mistake.
    expect(await user()).toEqual({
      name: 'app-user the user',
      party: USER,
      roles: ['ROLE_USER'],
      isAdmin: false,
      permissions: ['read', 'write'],
      tenantId: 'AppUser',
      operatorOf: null,
      subject: expect.any(String),
      walletUrl: 'http://wallet.localhost:2000',
      session: expect.objectContaining({ endsAt: expect.any(String) }),
    });
  });

  test('of the provider’s makes an admin, who registers tenants as the reference’s script does', async () => {
    await browser.submit(`${base}/login`, { username: 'app-provider' });
    expect(await user()).toEqual({
      name: 'app-provider the provider',
      party: PROVIDER,
      roles: ['ROLE_ADMIN'],
      isAdmin: true,
      permissions: ['read', 'write', 'policy', 'admin'],
      tenantId: 'AppProvider',
      operatorOf: null,
      subject: expect.any(String),
      walletUrl: null,
      session: expect.objectContaining({ endsAt: expect.any(String) }),
    });
    const made = await browser.post(`${base}/admin/tenant-registrations`, {
      headers: { 'content-type': 'application/json', authorization: 'Custom ' },
      body: JSON.stringify({
        tenantId: 'Other',
        partyId: 'other::1220cc',
        walletUrl: 'http://wallet.localhost:2000',
        clientId: '',
        issuerUrl: '',
        internal: false,
        users: ['other', PSEUDONYM],
      }),
    });
    expect([made.status, made.json().users]).toEqual([201, ['other', PSEUDONYM]]);
    const refused = await browser.submit(`${base}/login`, { username: PSEUDONYM });
    expect(refused.headers.get('location')).toBe('/login?error');
    await browser.submit(`${base}/login`, { username: 'other' });
    expect((await user()).party).toBe('other::1220cc');
    await browser.submit(`${base}/login`, { username: 'app-provider' });
    const gone = await api.deps.tenants.remove('Other', IO);
    expect(gone).toBe('removed');
  });

  test.each(['', 'nobody', 'APP-USER', 'app-user ', 'a\0', '__proto__'])(
    'that nobody has, %j, is not',
    async (username) => {
      const page = await browser.submit(`${base}/login`, { username });
      expect([page.status, page.headers.get('location')]).toEqual([302, '/login?error']);
      expect(browser.cookies(base).has('JSESSIONID')).toBe(false);
    },
  );

  test('with returnTo goes there, also at the next try after one that failed', async () => {
    const signIn = async (fields: Readonly<Record<string, string>>) =>
      (await browser.submit(`${base}/login`, fields)).headers.get('location');
    const returnTo = '/ui/licenses?state=active';
    expect(await signIn({ username: 'app-user', returnTo })).toBe(returnTo);
    expect(await signIn({ username: 'app-user' })).toBe('/');
    expect(await signIn({ username: 'nobody', returnTo })).toBe('/login?error');
    expect(await signIn({ username: 'nobody' })).toBe('/login?error');
    expect(await signIn({ username: 'app-user' })).toBe(returnTo);
    expect(await signIn({ username: 'nobody', returnTo })).toBe('/login?error');
    expect(await signIn({ username: 'app-user', returnTo: '/ui/install' })).toBe('/ui/install');
    expect(await signIn({ username: 'app-user' })).toBe('/');
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'ui/', '/ui/\n', ''])(
    'with returnTo %j goes to the start',
    async (returnTo) => {
      for (const username of ['nobody', 'app-user']) {
        const page = await browser.submit(`${base}/login`, { username, returnTo });
        expect(page.headers.get('location')).toBe(username === 'nobody' ? '/login?error' : '/');
      }
      expect(browser.cookies(base).has('TENURE_RETURN')).toBe(false);
    },
  );

  test('missing, twice, or not in a form is none', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const body of ['', 'a=b', 'username=app-user&username=app-user']) {
      const page = await browser.post(`${base}/login`, { headers: form, body });
      expect(page.headers.get('location')).toBe('/login?error');
    }
    expect((await browser.post(`${base}/login`)).headers.get('location')).toBe('/login?error');
  });
});

test('a change needs no CSRF token in this mode, and neither does a logout', async () => {
  await browser.submit(`${base}/login`, { username: 'app-user' });
  expect(browser.cookies(base).has('XSRF-TOKEN')).toBe(false);
  const made = await browser.post(`${base}/app-install-requests?commandId=named-1`, {
    headers: { prefer: 'respond-async' },
  });
  expect(made.status).toBe(202);
  const out = await browser.post(`${base}/logout`, {
    headers: { 'content-type': 'application/json' },
  });
  expect([out.status, out.headers.get('location')]).toEqual([302, '/']);
  expect((await browser.get(`${base}/user`)).status).toBe(401);
});

describe('a token', () => {
  const tokenOf = (claims: object, secret = SHARED_SECRET, alg = 'HS256') =>
    new SignJWT({ aud: TEST_AUDIENCE, ...claims })
      .setProtectedHeader({ alg })
      .sign(new TextEncoder().encode(secret));
  const ask = async (token: string) => {
    const page = await browser.get(`${base}/user`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return page.status === 200 ? page.json().party : `${page.status} ${page.json().message}`;
  };

  test('with a name, without an end and an issuer, speaks for that name’s party', async () => {
    expect(await ask(await tokenOf({ sub: 'app-user' }))).toBe(USER);
    expect(await ask(await tokenOf({ sub: 'app-provider' }))).toBe(PROVIDER);
  });

  test.each([
    ['an unknown name', { sub: 'nobody' }, '401 no tenant has such a user'],
    ['no name', {}, '401 the token does not hold'],
    ['another audience', { sub: 'app-user', aud: 'another' }, '401 the token does not hold'],
    ['its end in the past', { sub: 'app-user', exp: 1 }, '401 the token does not hold'],
  ])('with %s does not', async (_what, claims, answer) => {
    expect(await ask(await tokenOf(claims))).toBe(answer);
  });

  test('that is signed otherwise does not', async () => {
    const claims = { sub: 'app-user' };
    const refused = '401 the token does not hold';
    expect(await ask(await tokenOf(claims, 'another secret'))).toBe(refused);
    expect(await ask(await tokenOf(claims, SHARED_SECRET, 'HS512'))).toBe(refused);
    const [, payload] = (await tokenOf(claims)).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await ask(`${none}.${payload}.`)).toBe(refused);
    expect(await ask(await api.issuers.provider.token())).toBe(refused);
  });
});
