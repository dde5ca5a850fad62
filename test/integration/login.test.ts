import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { buildServer } from '../../src/http/server.ts';
import type { Browser, Page } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { LoginOptions } from '../kit/issuer.ts';
import { makeKey } from '../kit/issuer.ts';
import { USER_LOGIN, startLoginWorld } from '../kit/login-world.ts';
import { forFile } from '../kit/for-file.ts';

/* People sign in at an authorization server. After that, requests of their browser are made in their name. */

let browser: Browser;

const world = await forFile(startLoginWorld());
const { api, base } = world;
beforeEach(() => {
  browser = openBrowser();
});
afterEach(() => browser[Symbol.asyncDispose]());

const begin = (login: string) => world.begin(browser, login);
const signIn = (login: string, options?: LoginOptions) => world.signIn(browser, login, options);
const session = (from = browser) => world.sessionOf(from);
const user = (from = browser) => world.user(from);

const expectFailed = (page: Page): void => {
  expect([page.status, page.headers.get('location')]).toEqual([302, '/login?error']);
  expect(session()).toBe('');
};

describe('the way in', () => {
  test('is told to everybody: the mode and a link for each tenant', async () => {
    const flags = await browser.get(`${base}/feature-flags`);
    expect([flags.status, flags.json()]).toEqual([200, { authMode: 'oauth2' }]);
    for (const prefix of ['', '/api']) {
      const links = await browser.get(`${base}${prefix}/login-links`);
      expect([links.status, links.json()]).toEqual([
        200,
        [
          { name: 'AppProvider', url: '/oauth2/authorization/AppProvider' },
          { name: 'AppUser', url: `/oauth2/authorization/${USER_LOGIN}` },
        ],
      ]);
    }
  });

  test('leads to the login page with state, nonce and PKCE, new each time', async () => {
    const [first, second] = [new URL(await begin(USER_LOGIN)), new URL(await begin(USER_LOGIN))];
    expect(`${first.origin}${first.pathname}`).toBe(
      'http://keycloak.localhost:8082/realms/AppUser/auth',
    );
    expect(Object.fromEntries(first.searchParams)).toEqual({
      client_id: 'app-provider-backend-oidc',
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${base}/login/oauth2/code/${USER_LOGIN}`,
      state: expect.stringMatching(/^[\w-]{43}$/u),
      nonce: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
    }
  });

  test.each([
    [{ 'x-forwarded-host': 'app.localhost:5173' }, 'http://app.localhost:5173'],
    [
      { 'x-forwarded-host': 'app.localhost', 'x-forwarded-port': '3000' },
      'http://app.localhost:3000',
    ],
    [{ 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }, 'https://a.example'],
    [{ 'x-forwarded-port': '3000' }, 'http://127.0.0.1:3000'],
  ])('comes back to where the proxy says it is: %o', async (headers, origin) => {
    const page = await browser.get(`${base}/oauth2/authorization/AppProvider`, { headers });
    const back = new URL(page.location ?? '').searchParams.get('redirect_uri');
    expect(back).toBe(`${origin}/login/oauth2/code/AppProvider`);
    const isSecure = origin.startsWith('https');
    for (const line of page.setCookies) expect(/; Secure/u.test(line)).toBe(isSecure);
  });

  test('does not believe a proxy from anywhere, nor a host that is none', async () => {
    const ask = (remoteAddress: string, headers: Record<string, string>) =>
      api.app.inject({
        method: 'GET',
        url: '/oauth2/authorization/AppProvider',
        headers: { host: 'tenure.example', ...headers },
        remoteAddress,
      });
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-port': '99' };
    const far = await ask('203.0.113.9', forwarded);
    const backTo = (location: unknown) =>
      new URL(String(location)).searchParams.get('redirect_uri');
    expect(backTo(far.headers['location'])).toMatch(/^http:\/\/tenure\.example\/login/u);
    for (const near of [
      '10.1.2.3',
      '192.168.7.7',
      '172.31.0.1',
      '::1',
      '::ffff:10.0.0.1',
      'fd00::1',
    ]) {
      expect(backTo((await ask(near, forwarded)).headers['location'])).toContain('evil.example:99');
    }
    const odd = await ask('127.0.0.1', { host: 'a b/@c' });
    expect([odd.statusCode, odd.json().code]).toEqual([400, 'REQUEST_INVALID']);
  });

  test('is not there for a tenant that is not', async () => {
    const page = await browser.get(`${base}/oauth2/authorization/nobody`);
    expect([page.status, page.json().message]).toEqual([404, 'no login is registered as nobody']);
    const form = await browser.submit(`${base}/login`, { username: 'app-user' });
    expect([form.status, form.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });

  test('is closed while the authorization server is away, and opens by itself', async () => {
    await using other = await startApi();
    other.issuers.provider.answerWith('away');
    const ask = () => other.app.inject({ method: 'GET', url: '/oauth2/authorization/AppProvider' });
    const away = await ask();
    expect([away.statusCode, away.json().code, away.headers['retry-after']]).toEqual([
      503,
      'AUTHORIZATION_SERVER_UNAVAILABLE',
      '1',
    ]);
    other.issuers.provider.answerWith('keys');
    expect((await ask()).statusCode).toBe(302);
  });
});

test('a login goes on where it was when the authorization server answers again', async () => {
  const back = world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN));
  api.issuers.user.answerWith('away');
  const away = await browser.get(back);
  expect([away.status, away.json().code]).toEqual([503, 'AUTHORIZATION_SERVER_UNAVAILABLE']);
  api.issuers.user.answerWith('keys');
  expect((await browser.get(back)).headers.get('location')).toBe('/');
});

describe('a login', () => {
  test('gives the user’s browser a session that is a caller like any other', async () => {
    const page = await signIn(USER_LOGIN);
    expect([page.status, page.headers.get('location')]).toEqual([302, '/']);
    const found = await user();
    expect([found.status, found.json()]).toEqual([
      200,
      {
        name: 'person of AppUser',
        party: USER,
        roles: ['AppUser', USER],
        isAdmin: false,
        permissions: ['read', 'write'],
        tenantId: 'AppUser',
        operatorOf: null,
        subject: expect.any(String),
        walletUrl: 'http://wallet.localhost:2000',
        session: expect.objectContaining({ endsAt: expect.any(String) }),
      },
    ]);
    const made = await browser.post(`${base}/api/app-install-requests?commandId=by-browser`, {
      headers: { 'x-xsrf-token': world.csrfOf(browser), prefer: 'respond-async' },
    });
    expect([made.status, made.json().operation]).toEqual([202, 'request-install']);
    const { rows } = await api.pool.query(
      `select caller_party, caller_subject from change where command_id = 'by-browser'`,
    );
    expect(rows).toEqual([{ caller_party: USER, caller_subject: 'AppUser-subject' }]);
  });

  test('makes the provider’s people admins', async () => {
    await signIn('AppProvider');
    expect((await user()).json()).toEqual({
      name: 'person of AppProvider',
      party: PROVIDER,
      roles: ['ROLE_ADMIN', 'AppProvider', PROVIDER],
      isAdmin: true,
      permissions: ['read', 'write', 'policy', 'admin'],
      tenantId: 'AppProvider',
      operatorOf: null,
      subject: expect.any(String),
      walletUrl: null,
      session: expect.objectContaining({ endsAt: expect.any(String) }),
    });
  });

  test('sets its cookies as it should', async () => {
    const { setCookies } = await signIn(USER_LOGIN);
    const one = (name: string) => setCookies.find((line) => line.startsWith(`${name}=`)) ?? '';
    expect(one('JSESSIONID')).toMatch(/^JSESSIONID=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/u);
    expect(one('XSRF-TOKEN')).toMatch(/^XSRF-TOKEN=[\w-]{43}; Path=\/; SameSite=Lax$/u);
    expect(one('TENURE_LOGIN')).toMatch(/^TENURE_LOGIN=; Max-Age=0/u);
  });

  test('takes cookies in production only from this host over TLS', async () => {
    await using strict = await buildServer({ ...api.deps, hostCookies: true });
    const at = await strict.listen({ host: '127.0.0.1', port: 0 });
    const signInAt = async (rename: (name: string) => string): Promise<Page> => {
      const { location } = await browser.get(`${at}/oauth2/authorization/${USER_LOGIN}`);
      const cookies = browser.cookies(at);
      const kept = [...cookies];
      cookies.clear();
      for (const [name, value] of kept) cookies.set(rename(name), value);
      return browser.get(world.issuerOf(USER_LOGIN).login(location ?? ''));
    };
    // Another host of the same domain can set cookies with any name that does not begin with `__Host-`.
    expectFailed(await signInAt((name) => name.replace('__Host-', '')));
    const { setCookies } = await signInAt((name) => name);
    const set = (name: string) => setCookies.find((line) => line.startsWith(`${name}=`)) ?? '';
    const rest = String.raw`[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$`;
    expect(set('__Host-JSESSIONID')).toMatch(new RegExp(`=${rest}`, 'u'));
    expect(set('__Host-TENURE_LOGIN')).toMatch(/=; Max-Age=0; Path=\/; .*HttpOnly; Secure;/u);
    expect(set('XSRF-TOKEN')).toMatch(/=[\w-]{43}; Path=\/; Secure; SameSite=Lax$/u);
    expect(setCookies.filter((line) => /domain/iu.test(line))).toEqual([]);
    expect((await browser.get(`${at}/user`)).status).toBe(200);
    const id = browser.cookies(at).get('__Host-JSESSIONID') ?? '';
    browser.cookies(at).clear();
    browser.cookies(at).set('JSESSIONID', id);
    expect((await browser.get(`${at}/user`)).status).toBe(401);
  });

  test('goes back to what was asked for first, and to nowhere else', async () => {
    const refused = await browser.get(`${base}/api/licenses?limit=1`, {
      headers: { accept: 'text/html,*/*;q=0.8' },
    });
    expect(refused.status).toBe(401);
    expect((await signIn(USER_LOGIN)).headers.get('location')).toBe('/api/licenses?limit=1');
    expect((await signIn(USER_LOGIN)).headers.get('location')).toBe('/');
    for (const planted of [
      '//evil.example',
      '/%5Cevil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '/%09/evil.example',
      '/%0d%0aset-cookie:%20a=b',
      '%2F%2Fevil.example',
      `/${'x'.repeat(HTTP_LIMITS.returnPathCharsMax)}`,
    ]) {
      browser.cookies(base).set('TENURE_RETURN', planted);
      expect((await signIn(USER_LOGIN)).headers.get('location')).toBe('/');
    }
  });

  describe('with returnTo', () => {
    const beginWith = (query: string) =>
      browser.get(`${base}/oauth2/authorization/${USER_LOGIN}?${query}`);
    const endOf = async (begun: Page) =>
      (await browser.get(world.issuerOf(USER_LOGIN).login(begun.location ?? ''))).headers.get(
        'location',
      );

    test('goes there, once, whatever was asked for before', async () => {
      await browser.get(`${base}/licenses`, { headers: { accept: 'text/html' } });
      const path = '/ui/licenses?state=active&q=a%20b#row-3';
      const begun = await beginWith(`returnTo=${encodeURIComponent(path)}`);
      expect(await endOf(begun)).toBe(path);
      expect(await endOf(await beginWith(''))).toBe('/');
    });

    test('keeps it over a login that fails, and over the next try without it', async () => {
      const begun = await beginWith('returnTo=%2Fui%2Frenewals');
      const back = new URL(world.issuerOf(USER_LOGIN).login(begun.location ?? ''));
      back.searchParams.set('code', 'another');
      expectFailed(await browser.get(back.href));
      expect(await endOf(await beginWith(''))).toBe('/ui/renewals');
    });

    test.each([
      '',
      'ui/licenses',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/ui/',
      'https:evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '/ui/\r\nset-cookie: a=b',
      ' /ui/',
      '/ui/ä',
      `/${'x'.repeat(HTTP_LIMITS.returnPathCharsMax)}`,
    ])('passes over %j', async (path) => {
      const begun = await beginWith(`returnTo=${encodeURIComponent(path)}`);
      expect(begun.setCookies.join()).not.toContain('TENURE_RETURN');
      expect(await endOf(begun)).toBe('/');
    });

    test('passes over two of them', async () => {
      expect(await endOf(await beginWith('returnTo=/ui/a&returnTo=//evil.example'))).toBe('/');
    });
  });

  test('keeps no upstream token but the ID token, and logs none', async () => {
    api.logged.length = 0;
    await signIn(USER_LOGIN);
    const lines = api.logged.join('');
    expect(lines).toContain('signed in');
    expect(lines).not.toMatch(/eyJ|code=|secret/u);
    expect(lines).not.toContain(session());
    const { rows } = await api.pool.query('select session::text as row from session');
    expect(JSON.stringify(rows)).not.toContain(session());
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  test('makes operators of those of whom their own server says so, for their own party', async () => {
    const ALL = ['read', 'write', 'policy', 'admin', 'operate'];
    const rolesIn = async () => {
      const { rows } = await api.pool.query('select roles from session order by created_at desc');
      return (rows as [{ roles: string[] }])[0].roles;
    };
    await signIn(USER_LOGIN, { claims: { roles: ['user', 'admin'] } });
    expect(await rolesIn()).toEqual(['user', 'read', 'write']);
    await signIn('AppProvider', { claims: { roles: ['operator'] } });
    expect(await rolesIn()).toEqual(['provider', 'operator', ...ALL]);
    await signIn(USER_LOGIN, { claims: { roles: ['operator'], party_id: OTHER_USER } });
    expect(await rolesIn()).toEqual(['user', 'operator', 'read', 'write', 'operate']);
    // The claim that names another party has no effect: it is read only in a set-up for tests.
    expect((await user()).json().party).toBe(USER);
  });
});

describe('a login that fails', () => {
  test('because it was used already, or belongs to another browser, or to nobody', async () => {
    const back = world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN));
    const cookies = [...browser.cookies(base)];
    const stranger = openBrowser();
    const elsewhere = await stranger.get(back);
    expect(elsewhere.headers.get('location')).toBe('/login?error');
    expect(session(stranger)).toBe('');
    // This imitates a browser that has kept a copy of the cookie.
    expect((await browser.get(back)).headers.get('location')).toBe('/');
    for (const [name, value] of cookies) stranger.cookies(base).set(name, value);
    expect((await stranger.get(back)).headers.get('location')).toBe('/login?error');
    expect(session(stranger)).toBe('');
    await stranger[Symbol.asyncDispose]();
    browser.cookies(base).clear();
    for (const query of [
      '',
      '?error=access_denied',
      '?code=a',
      '?code=a&state=b',
      '?state=&code=',
    ]) {
      expectFailed(await browser.get(`${base}/login/oauth2/code/${USER_LOGIN}${query}`));
    }
  });

  test('because of what came back', async () => {
    for (const change of [
      (back: URL) => back.searchParams.set('code', 'another'),
      (back: URL) => back.searchParams.set('state', 'another'),
      (back: URL) => back.searchParams.append('state', 'another'),
      (back: URL) => back.searchParams.append('code', 'another'),
      (back: URL) => back.searchParams.delete('code'),
      (back: URL) => back.searchParams.set('iss', 'http://evil.example'),
      (back: URL) => {
        back.pathname = '/login/oauth2/code/AppProvider';
      },
      (back: URL) => {
        back.pathname = '/login/oauth2/code/nobody';
      },
      (back: URL) => {
        const { state = '' } = Object.fromEntries(back.searchParams);
        back.search = `?error=${'x'.repeat(200)}&state=${state}`;
      },
    ]) {
      const back = new URL(world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN)));
      change(back);
      expectFailed(await browser.get(back.href));
    }
  });

  test.each([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'another' } }],
    ['another issuer', { claims: { iss: 'http://keycloak.localhost:8082/realms/AppProvider' } }],
    ['its end in the past', { claims: { exp: 1 } }],
    ['a subject that is no name', { claims: { sub: 'a\0b' } }],
    ['no subject', { claims: { sub: undefined } }],
  ])('because of an ID token with %s', async (_what, options) => {
    expectFailed(await signIn(USER_LOGIN, options));
  });

  test('because the ID token is signed by somebody else', async () => {
    const key = await makeKey('ES256', api.issuers.user.key.kid);
    expectFailed(await signIn(USER_LOGIN, { key }));
  });

  test('because the tenant was removed during the sign-in', async () => {
    const back = world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN));
    await api.deps.tenants.remove('AppUser', IO);
    expectFailed(await browser.get(back));
    await world.registerUser();
  });

  test('because the cookie of the login is not what it was', async () => {
    for (const value of [
      '',
      'e30',
      'bnVsbA',
      'x',
      Buffer.from('{"registrationId":1}').toString('base64url'),
    ]) {
      const back = world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN));
      browser.cookies(base).set('TENURE_LOGIN', value);
      expectFailed(await browser.get(back));
    }
    const back = world.issuerOf(USER_LOGIN).login(await begin(USER_LOGIN));
    const pending = JSON.parse(
      Buffer.from(browser.cookies(base).get('TENURE_LOGIN') ?? '', 'base64url').toString(),
    );
    const planted = { ...pending, redirectUri: 'nowhere' };
    browser
      .cookies(base)
      .set('TENURE_LOGIN', Buffer.from(JSON.stringify(planted)).toString('base64url'));
    expectFailed(await browser.get(back));
  });
});
