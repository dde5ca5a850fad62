import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/domain/problems.ts';
import { buildServer } from '../../src/http/server.ts';
import { startApi } from '../kit/http-api.ts';
import { sharedSecretDeps } from '../kit/shared-secret.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Arbitrary input on the routes for login and logout, from browsers and from clients that imitate one. It must never
 * cause an internal error.
 */

const api = await forFile(startApi());
const named = await buildServer(await sharedSecretDeps(api, 'Named'));
const begun = await api.app.inject({ method: 'GET', url: '/oauth2/authorization/AppProvider' });
const cookies = [begun.headers['set-cookie'] ?? []]
  .flat()
  .map((line) => line.split(';')[0])
  .join('; ');
const back = new URL(api.issuers.provider.login(String(begun.headers['location'])));
afterAll(() => named.close());

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    'null',
    '{}',
    '__proto__',
    '\0',
    '%00',
    '%zz',
    '//evil.example',
    'a'.repeat(43),
  ),
);
/** Limits a header's value to characters that Node's own client sends. */
const header = text.map((raw) => raw.replaceAll(/[^\x20-\x7e]/gu, ''));
const encoded = text.map((raw) => (raw.isWellFormed() ? encodeURIComponent(raw) : '%ED%A0%80'));
const json = fc
  .record(
    {
      registrationId: fc.constantFrom('AppProvider', 'AppUser-app-provider-backend-oidc', ''),
      redirectUri: fc.oneof(text, fc.webUrl()),
      state: fc.oneof(text, fc.constant('s')),
      nonce: text,
      codeVerifier: text,
    },
    { requiredKeys: [] },
  )
  .map((pending) => Buffer.from(JSON.stringify(pending)).toString('base64url'));

const path = fc.oneof(
  fc.constantFrom(
    '/feature-flags',
    '/login-links',
    '/user',
    '/login',
    '/login/shared-secret',
    '/logout',
    '/api/logout',
    '/oauth2/authorization/AppProvider',
    '/login/oauth2/code/AppProvider',
    '/login/oauth2/code/AppProvider',
  ),
  encoded.map((id) => `/oauth2/authorization/${id}`),
  encoded.map((id) => `/api/login/oauth2/code/${id}`),
);
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('code', 'state', 'state', 'iss', 'error', 'session_state', '_csrf', 'other'),
      fc.oneof(encoded, fc.constantFrom('s', '{state}', '{code}')),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

const cookie = fc.oneof(
  fc.constant('{begun}'),
  header,
  fc
    .record(
      {
        JSESSIONID: fc.oneof(encoded, fc.constant('a'.repeat(43))),
        'XSRF-TOKEN': fc.oneof(encoded, fc.constant('x')),
        TENURE_LOGIN: fc.oneof(encoded, json),
        TENURE_RETURN: encoded,
      },
      { requiredKeys: [] },
    )
    .map((jar) =>
      Object.entries(jar)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    ),
);

const request = fc.record({
  isNamed: fc.boolean(),
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT'),
  path,
  query,
  body: fc.option(
    fc.oneof(
      text,
      fc.constantFrom(
        'username=app-user',
        'username=app-user&username=b',
        '_csrf=x',
        '{"username":"a"}',
      ),
      encoded.map((value) => `username=${value}`),
    ),
  ),
  headers: fc.record(
    {
      cookie,
      host: fc.oneof(header, fc.constantFrom('localhost:8080', '[::1]:1', 'a:99999')),
      authorization: fc.oneof(header, fc.constantFrom('Custom a', 'Bearer ', 'Bearer a.b.c')),
      'content-type': fc.oneof(
        header,
        fc.constantFrom('application/json', 'application/x-www-form-urlencoded'),
      ),
      'x-xsrf-token': fc.oneof(header, fc.constant('x')),
      'x-forwarded-host': header,
      'x-forwarded-port': fc.oneof(header, fc.constantFrom('99999', '80')),
      'x-forwarded-proto': fc.oneof(header, fc.constantFrom('https', 'javascript')),
      'sec-fetch-dest': fc.constantFrom('empty', 'document'),
      accept: fc.oneof(header, fc.constantFrom('text/html', '*/*')),
    },
    { requiredKeys: [] },
  ),
});

const codes: ReadonlySet<unknown> = new Set(Object.keys(PROBLEMS));

test('no request is answered with a failure of ours', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(request, async ({ isNamed, method, path, query, body, headers }) => {
      const filled = query
        .replaceAll('{state}', back.searchParams.get('state') ?? '')
        .replaceAll('{code}', back.searchParams.get('code') ?? '');
      const reply = await (isNamed ? named : api.app).inject({
        method: method as 'GET',
        url: `${path}?${filled}`,
        headers: { ...headers, ...(headers.cookie === '{begun}' ? { cookie: cookies } : {}) },
        ...(body === null || method === 'GET' || method === 'HEAD' ? {} : { payload: body }),
      });
      seen.add(reply.statusCode);
      expect(reply.statusCode).toBeLessThan(500);
      const location = reply.headers['location'];
      if (reply.statusCode === 302) {
        expect(location).toMatch(/^(?:\/(?![/\\])|http:\/\/keycloak\.localhost:8082\/)/u);
      }
      if (reply.statusCode < 400 || method === 'HEAD') return;
      expect(reply.headers['content-type']).toContain('application/problem+json');
      expect(codes).toContain(reply.json().code);
    }),
    { numRuns: 1_000 },
  );
  for (const status of [200, 302, 400, 401, 404, 405, 415]) expect([...seen]).toContain(status);
  expect(api.logged.join('')).not.toContain('"code":"INTERNAL"');
});
