import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { openAuthorizationServer } from './kit/authorization-server.ts';
import { PlainBrowser } from './kit/browser.ts';
import { connectUrl, openSignIn } from './kit/login.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* Random requests to the endpoints of a login. None of them may be answered with a status of 5xx. */

const server = await forFile(openAuthorizationServer());

const NAMES =
  `client_id redirect_uri response_type response_mode scope state nonce prompt max_age login_hint id_token_hint
  acr_values ui_locales claims code_challenge code_challenge_method resource request request_uri display registration
  post_logout_redirect_uri logout_hint xsrf logout grant_type code code_verifier refresh_token client_secret username
  password`.split(/\s+/);
const VALUES = [
  ...`app-provider-backend-oidc app-user-wallet http://localhost:3000/x https://canton.network.global code token openid
  none login consent query fragment form_post S256 plain authorization_code refresh_token password 0 -1 1e999
  99999999999999999999 {"id_token":{"sub":1}} {"userinfo":null} eyJhbGciOiJub25lIn0.e30. a.b.c __proto__ % yes`.split(
    /\s+/,
  ),
  'openid profile',
  'login none',
  'x'.repeat(43),
  '\u0000',
  '\r\nset-cookie: a=b',
  '☃',
];
const parameters = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 10 })),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    ),
  ),
  { maxLength: 10 },
);
/** Half of the requests are valid apart from the random part; otherwise, all of them would fail the first check. */
const START: readonly (readonly [string, string])[] = [
  ['client_id', 'app-provider-backend-oidc'],
  ['redirect_uri', 'http://localhost:3000/x'],
  ['response_type', 'code'],
  ['scope', 'openid'],
];
const query = fc.tuple(fc.boolean(), parameters).map(([isGood, more]) => {
  const all = new URLSearchParams();
  for (const [name, value] of [...(isGood ? START : []), ...more]) all.append(name, value);
  return all.toString();
});
const cookie = fc.oneof(
  fc.constant('LOCALNET_SSO=x; LOCALNET_SIGN_IN=y; LOCALNET_RESUME=z'),
  fc.stringMatching(/^LOCALNET_(SSO|SIGN_IN|RESUME)=[\x21-\x7e]{0,30}$/),
);

const ENDPOINTS = [
  'auth',
  'auth/x',
  'token',
  'logout',
  'logout/confirm',
  'logout/success',
  'userinfo',
];

test('endpoints', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ENDPOINTS),
      fc.constantFrom('GET', 'POST'),
      query,
      cookie,
      async (endpoint, method, text, cookies) => {
        const url = connectUrl(server.base, 'AppUser', endpoint);
        const answer = await fetch(method === 'GET' ? `${url}?${text}` : url, {
          method,
          headers: {
            cookie: cookies,
            ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          },
          ...(method === 'POST' ? { body: text } : {}),
          redirect: 'manual',
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        const body = await answer.text();
        seen.add(answer.status);
        expect(answer.status, body).toBeLessThan(500);
        expect(body + (answer.headers.get('location') ?? '')).not.toMatch(
          /server_error|node_modules/,
        );
      },
    ),
    { numRuns: 500 },
  );
  // These statuses show that different checks have refused requests.
  expect([...seen]).toEqual(expect.arrayContaining([303, 400, 404]));
});

test('the form', async () => {
  const browser = new PlainBrowser();
  const { url } = await openSignIn(browser, server.base, {
    realm: 'AppUser',
    client: 'app-provider-backend-oidc',
  });
  const name = fc.oneof(fc.constantFrom('username', 'password'), fc.string({ maxLength: 10 }));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, fc.string({ unit: 'binary', maxLength: 300 })),
      async (form) => {
        const page = await browser.load(url, form);
        expect([page.status, page.text.includes('Invalid username or password.')]).toEqual([
          400,
          true,
        ]);
      },
    ),
    { numRuns: 150 },
  );
});
