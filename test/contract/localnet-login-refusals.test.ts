import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { openAuthorizationServer } from './kit/authorization-server.ts';
import { PlainBrowser } from './kit/browser.ts';
import type { Page } from './kit/browser.ts';
import {
  authorizationUrl,
  connectUrl,
  openSignIn,
  redeemForm,
  returned,
  signIn,
} from './kit/login.ts';
import type { LoginRequest } from './kit/login.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/*
 * Failures of the login, whether by accident or on purpose. People get a page and never a stack trace; applications get
 * an error at their redirect URI, if it is registered.
 */

const APP: LoginRequest = { realm: 'AppUser', client: 'app-provider-backend-oidc' };
const PERSON = { username: 'app-user', password: 'abc123' };

let browser: PlainBrowser;
const server = await forFile(openAuthorizationServer());
beforeEach(() => {
  browser = new PlainBrowser();
});

/** Checks that an error page has this text, and a content security policy with which it can load nothing. */
function expectPage(page: Page, status: number, text: string): void {
  expect([page.status, page.location]).toEqual([status, undefined]);
  expect(page.text).toContain(text);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'none'/,
  );
  expect(page.text).not.toMatch(/\bat .*\.(js|ts):\d+|node_modules|<script|https?:\/\//);
}

describe('the login page', () => {
  test.each([
    ['a wrong password', { ...PERSON, password: 'abc124' }],
    ['an unknown user', { ...PERSON, username: 'nobody' }],
    ["another realm's user", { ...PERSON, username: 'app-provider' }],
    ['an inherited name', { ...PERSON, username: '__proto__' }],
    ['nothing', {}],
    ['NUL and markup', { username: '<b>"\u0000', password: "'><script>" }],
  ])('answers %s with the same words, and goes on', async (_what, form) => {
    const { url } = await openSignIn(browser, server.base, APP);
    const refused = await browser.open(url, form);
    expectPage(refused, 400, 'Invalid username or password.');
    expect(refused.text).not.toContain('<b>');
    expect(returned(await browser.open(url, PERSON)).has('code')).toBe(true);
  });

  test('shows whom the application expects, as text', async () => {
    const parameters = { login_hint: '"><img src=x>' };
    const page = await openSignIn(browser, server.base, { ...APP, parameters });
    expectPage(page, 200, 'value="&quot;&gt;&lt;img src=x&gt;"');
  });

  test('is no good twice, in another browser, or under another name', async () => {
    const { url } = await openSignIn(browser, server.base, APP);
    for (const form of [undefined, PERSON]) {
      expectPage(await new PlainBrowser().open(url, form), 400, 'This sign-in is over');
    }
    // A second sign-in in the same browser. Its cookie does not belong to the address of the first sign-in's form, so
    // the form is refused.
    const other = await openSignIn(browser, server.base, APP);
    const crossed = await fetch(url, {
      method: 'POST',
      headers: { cookie: `LOCALNET_SIGN_IN=${other.url.split('/').at(-1)}` },
      body: new URLSearchParams(PERSON),
      redirect: 'manual',
    });
    expect([crossed.status, await crossed.text()]).toEqual([
      400,
      expect.stringContaining('This sign-in is over'),
    ]);
    expect(returned(await browser.open(url, PERSON)).has('code')).toBe(true);
    expectPage(await browser.open(url, PERSON), 400, 'This sign-in is over');
    expectPage(await browser.open(url), 400, 'This sign-in is over');
  });

  test('goes on once: what follows the form cannot be repeated', async () => {
    const { url } = await openSignIn(browser, server.base, APP);
    const { location = '' } = await browser.load(url, PERSON);
    expect(returned(await browser.load(location)).has('code')).toBe(true);
    expectPage(await browser.load(location), 400, 'authorization request has expired');
    expectPage(await browser.load(`${location}x`), 400, 'authorization request has expired');
  });

  test('takes a form, and a short one', async () => {
    const { url } = await openSignIn(browser, server.base, APP);
    expectPage(await browser.load(url, { username: 'x'.repeat(20_000) }), 413, 'too large');
    const json = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([json.status, json.headers.get('content-type')]).toEqual([
      415,
      'text/html; charset=utf-8',
    ]);
  });

  test('belongs to a realm', async () => {
    const url = `${server.base}/realms/nowhere/login-actions/authenticate/x`;
    expectPage(await browser.load(url), 404, 'There is no such realm');
    expectPage(
      await browser.load(connectUrl(server.base, 'Nowhere', 'auth')),
      404,
      'There is no such realm',
    );
  });
});

describe('an authorization request', () => {
  test.each<[string, Partial<LoginRequest>, string]>([
    ['an unknown client', { client: 'nobody' }, 'client is invalid'],
    ["another realm's client", { client: 'app-provider-wallet' }, 'client is invalid'],
    ['a client without logins', { client: 'app-user-unsafe' }, 'client is invalid'],
    ['no client', { parameters: { client_id: '' } }, 'client_id'],
    ['no redirect URI', { parameters: { redirect_uri: '' } }, 'redirect_uri'],
    ...[
      'http://elsewhere.example/',
      'http://app-provider.localhost.elsewhere.example:80/',
      'http://app-provider.localhost:3000@elsewhere.example/',
      'http://app-provider.localhost:x@elsewhere.example/',
      'http://app-provider.localhost:3000\\@elsewhere.example/',
      'https://app-provider.localhost:3000/',
      'http://app-provider.localhost/',
      'http://app-provider.localhost:3000/#x',
      'http://wallet.localhost:2000/',
      'javascript:alert(1)',
      'not a URI',
    ].map((redirectUri): [string, Partial<LoginRequest>, string] => [
      `the redirect URI ${redirectUri}`,
      { redirectUri },
      'redirect_uri',
    ]),
  ])('with %s stays here', async (_what, request, text) => {
    const page = await browser.load(authorizationUrl(server.base, { ...APP, ...request }));
    expectPage(page, 400, 'That did not work');
    expect(page.text).toContain(text);
  });

  test('with a repeated parameter stays here', async () => {
    const url = `${authorizationUrl(server.base, APP)}&redirect_uri=http://localhost:1/`;
    expectPage(await browser.load(url), 400, 'redirect_uri');
  });

  test.each<[string, Record<string, string>, string]>([
    ['nobody signed in, asked silently', { prompt: 'none' }, 'login_required'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['prompts that exclude each other', { prompt: 'none login' }, 'invalid_request'],
    ['an unknown response mode', { response_mode: 'dance' }, 'unsupported_response_mode'],
    [
      'plain PKCE',
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
    [
      'a short challenge',
      { code_challenge: 'x', code_challenge_method: 'S256' },
      'invalid_request',
    ],
    ['a method without challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
    ['a request object', { request: 'a.b.c' }, 'request_not_supported'],
    ['characters that a scope cannot have', { scope: 'openid "' }, 'invalid_scope'],
    ['a negative age', { max_age: '-1' }, 'invalid_request'],
  ])('with %s goes back with an error', async (_what, parameters, error) => {
    const page = await browser.load(authorizationUrl(server.base, { ...APP, parameters }));
    expect(page.location).toContain('http://app-provider.localhost:3000/');
    // If a response type returns its values in the fragment, its errors are in the fragment as well.
    const { search, hash } = new URL(page.location ?? '');
    const back = new URLSearchParams(search === '' ? hash.slice(1) : search);
    expect([back.get('error'), back.get('state')]).toEqual([error, 's-1']);
    expect(back.has('code')).toBe(false);
  });

  test('with unknown scopes is answered without them', async () => {
    const request = { ...APP, parameters: { scope: 'openid everything' } };
    const back = await signIn(browser, server.base, request, 'app-user');
    const { body } = await server.ask('AppUser', redeemForm(APP, back.get('code')));
    expect(body['scope']).toBe('openid profile email party_id');
  });

  test.each(['a b/c', 'localhost:99999', '256.256.256.256', 'x@y'])(
    'at the unusable address %s is refused',
    async (host) => {
      const { port, pathname, search } = new URL(authorizationUrl(server.base, APP));
      const [answer] = (await once(
        request({
          port,
          host: '127.0.0.1',
          path: pathname + search,
          headers: { host },
          signal: AbortSignal.timeout(PATIENCE_MS),
        }).end(),
        'response',
      )) as [IncomingMessage];
      answer.resume();
      expect(answer.statusCode).toBe(400);
    },
  );

  test.each(['HEAD', 'POST', 'PUT'])('by %s is no request', async (method) => {
    const answer = await fetch(authorizationUrl(server.base, APP), { method });
    expect(answer.status).toBe(404);
  });
});
