import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { openAuthorizationServer } from './kit/authorization-server.ts';
import { PlainBrowser } from './kit/browser.ts';
import { authorizationUrl, field, openSignIn, redeemForm, returned, signIn } from './kit/login.ts';
import type { LoginRequest } from './kit/login.ts';

/* Lifetimes of codes, tokens and sessions. The server is in this process, so that tests can set its clock. */

const APP: LoginRequest = { realm: 'AppUser', client: 'app-provider-backend-oidc' };
const MINUTE_MS = 60_000;

let browser: PlainBrowser;
const server = await forFile(openAuthorizationServer());
beforeEach(() => {
  browser = new PlainBrowser();
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const silently = async () => {
  const request = { ...APP, parameters: { prompt: 'none' } };
  return returned(await browser.open(authorizationUrl(server.base, request)));
};
const refresh = (token: string) =>
  server.ask('AppUser', {
    grant_type: 'refresh_token',
    client_id: APP.client,
    refresh_token: token,
  });

test('a login lasts while it is used, by a browser or by a refresh token', async () => {
  const back = await signIn(browser, server.base, APP, 'app-user');
  const token = field(
    await server.ask('AppUser', redeemForm(APP, back.get('code'))),
    'refresh_token',
  );
  pass(29 * MINUTE_MS);
  expect((await refresh(token)).status).toBe(200);
  pass(29 * MINUTE_MS);
  expect((await silently()).has('code')).toBe(true);
  pass(29 * MINUTE_MS);
  expect((await refresh(token)).status).toBe(200);
  pass(31 * MINUTE_MS);
  expect((await refresh(token)).body['error']).toBe('invalid_grant');
  expect((await silently()).get('error')).toBe('login_required');
});

test('a refresh token lasts ten hours at most', async () => {
  const back = await signIn(browser, server.base, APP, 'app-user');
  const token = field(
    await server.ask('AppUser', redeemForm(APP, back.get('code'))),
    'refresh_token',
  );
  for (let count = 0; count < 29; count += 1) {
    pass(20 * MINUTE_MS);
    expect([count, (await refresh(token)).status]).toEqual([count, 200]);
  }
  pass(21 * MINUTE_MS);
  expect((await refresh(token)).body['error']).toBe('invalid_grant');
  // The session itself has not ended.
  expect((await silently()).has('code')).toBe(true);
});

test('a code lasts a minute', async () => {
  const first = await signIn(browser, server.base, APP, 'app-user');
  pass(59_000);
  expect((await server.ask('AppUser', redeemForm(APP, first.get('code')))).status).toBe(200);
  const second = await silently();
  pass(61_000);
  const late = await server.ask('AppUser', redeemForm(APP, second.get('code')));
  expect([late.status, late.body['error']]).toEqual([400, 'invalid_grant']);
});

test('a login page lasts half an hour', async () => {
  const { url } = await openSignIn(browser, server.base, APP);
  pass(29 * MINUTE_MS);
  expect((await browser.open(url)).status).toBe(200);
  pass(2 * MINUTE_MS);
  const late = await browser.open(url, { username: 'app-user', password: 'abc123' });
  expect([late.status, late.text.includes('This sign-in is over')]).toEqual([400, true]);
});

test('who has not signed in for as long as the application allows is asked again', async () => {
  await signIn(browser, server.base, APP, 'app-user');
  const asked = { ...APP, parameters: { max_age: '60' } };
  expect(returned(await browser.open(authorizationUrl(server.base, asked))).has('code')).toBe(true);
  pass(62_000);
  await openSignIn(browser, server.base, asked);
});
