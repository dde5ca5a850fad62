import type { Browser as Chromium, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/main/log.ts';
import type { System } from '../../src/main/system.ts';
import { startSystem } from '../../src/main/system.ts';
import type { Browser } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { hasChromium, launchChromium } from '../kit/chromium.ts';
import { signIn } from '../kit/sign-in.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* People sign in on LocalNet's own login page, and use the session. */

const USER_LOGIN = 'AppUser-app-provider-backend-oidc';

let world: World;
/** A second process of role `api`, which clients cannot distinguish from the first. */
let second: System;
/** The base address as users of the reference know it. */
let base: string;

beforeAll(async () => {
  world = await startWorld();
  const { config, system } = world.tenure;
  base = `http://app-provider.localhost:${system.apiPort}`;
  second = await startSystem(
    { ...config, roles: new Set(['api']) },
    createLog('error'),
    AbortSignal.timeout(120_000),
  );
});
afterAll(async () => {
  await second.stop();
  await world[Symbol.asyncDispose]();
});

const csrf = (browser: Browser) => ({
  'x-xsrf-token': browser.cookies(base).get('XSRF-TOKEN') ?? '',
});

test('both sides sign in, and walk the first steps with their sessions', async () => {
  const [provider, user] = [openBrowser(), openBrowser()];
  await signIn(provider, base, 'AppProvider', 'app-provider');
  await signIn(user, base, USER_LOGIN, 'app-user');
  const [asProvider, asUser] = [await provider.get(`${base}/user`), await user.get(`${base}/user`)];
  const { APP_PROVIDER, APP_USER } = {
    APP_PROVIDER: world.tenure.state.providerParty,
    APP_USER: world.tenure.state.localnet?.userParty,
  };
  expect([asProvider.json(), asUser.json()]).toMatchObject([
    {
      name: 'app provider',
      party: APP_PROVIDER,
      roles: ['ROLE_ADMIN', 'AppProvider', APP_PROVIDER],
      isAdmin: true,
      walletUrl: null,
    },
    {
      name: 'app user',
      party: APP_USER,
      roles: ['AppUser', APP_USER],
      isAdmin: false,
      walletUrl: expect.stringMatching(/^http:\/\/wallet\.localhost:\d+$/u),
    },
  ]);

  const asked = await user.post(`${base}/app-install-requests?commandId=browser-1`, {
    headers: csrf(user),
  });
  expect(asked.status).toBe(201);
  const accepted = await provider.post(
    `${base}/app-install-requests/${asked.json().contractId}:accept?commandId=browser-2`,
    {
      headers: { ...csrf(provider), 'content-type': 'application/json' },
      body: '{"installMeta": {}, "meta": {}}',
    },
  );
  expect(accepted.status).toBe(201);
  expect((await user.get(`${base}/app-installs`)).json()).toHaveLength(1);
  const forbidden = await user.get(`${base}/admin/tenant-registrations`);
  expect([
    forbidden.status,
    (await provider.get(`${base}/admin/tenant-registrations`)).status,
  ]).toEqual([403, 200]);

  // Another process, which was started later and has only the database in common with the first one, knows the sessions
  // too.
  const elsewhere = `http://app-provider.localhost:${second.apiPort}`;
  const { session: _mayLastLonger, ...same } = asUser.json();
  expect((await user.get(`${elsewhere}/user`)).json()).toMatchObject(same);
  const out = await user.post(`${elsewhere}/logout`, { headers: csrf(user) });
  expect(new URL(out.location ?? '').pathname).toBe(
    '/realms/AppUser/protocol/openid-connect/logout',
  );
  expect((await user.get(`${base}/user`)).status).toBe(401);

  // The authorization server obeys the `id_token_hint` of the logout: it ends its own session, so the next login asks
  // for the password again.
  await user.visit(out.location ?? '');
  const again = await user.visit(`${base}/oauth2/authorization/${USER_LOGIN}`);
  expect(again.text).toContain('name="password"');
  await Promise.all([provider, user].map((browser) => browser[Symbol.asyncDispose]()));
});

describe.skipIf(!hasChromium)('in a real browser', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await launchChromium();
  });
  afterAll(() => chromium?.close());

  /**
   * Calls the API as a script of a page does: from the same origin, with the browser's cookies, and with the CSRF token
   * from its cookie.
   */
  const call = (page: Page, method: string, path: string) =>
    page.evaluate(
      async ([method, path]) => {
        const { document } = globalThis as unknown as { document: { readonly cookie: string } };
        const [, token = ''] = /(?:^|; )XSRF-TOKEN=([^;]*)/u.exec(document.cookie) ?? [];
        const answer = await fetch(path ?? '', {
          ...(method === undefined ? {} : { method }),
          headers: { 'Content-Type': 'application/json', 'X-XSRF-TOKEN': token },
        });
        const text = await answer.text();
        return { status: answer.status, url: answer.url, text };
      },
      [method, path],
    );

  test('the user signs in, calls the API with cookies, and signs out', async () => {
    const context = await chromium.newContext();
    // An address at which an application could serve its page.
    await context.route(`${base}/page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>page</title>' }),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const returnTo = encodeURIComponent('/ui/licenses?state=active');
    await page.goto(`${base}/oauth2/authorization/${USER_LOGIN}?returnTo=${returnTo}`);
    await page.getByLabel('Username').fill('app-user');
    await page.getByLabel('Password').fill('abc123');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/ui/licenses');
    await page.goto(`${base}/page`);

    const found = await call(page, 'GET', '/api/user');
    expect([found.status, JSON.parse(found.text).name]).toEqual([200, 'app user']);
    const cookies = await context.cookies(base);
    const one = (name: string) => cookies.find((cookie) => cookie.name === name);
    expect(one('JSESSIONID')).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(one('XSRF-TOKEN')).toMatchObject({ httpOnly: false, sameSite: 'Lax', path: '/' });

    const made = await call(page, 'POST', '/api/app-install-requests?commandId=chromium-1');
    expect(made.status).toBe(201);
    const out = await call(page, 'POST', '/api/logout');
    expect([out.status, out.text]).toEqual([204, '']);
    expect((await call(page, 'GET', '/api/user')).status).toBe(401);
    expect((await context.cookies(base)).map(({ name }) => name)).not.toContain('JSESSIONID');
    // The session at the authorization server has ended too, although the browser did not visit that server.
    await page.goto(`${base}/oauth2/authorization/${USER_LOGIN}`);
    await page.getByLabel('Password').waitFor();
    await context.close();
  });
});
