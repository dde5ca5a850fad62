import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { basic, openAuthorizationServer, person } from './kit/authorization-server.ts';
import type { Form } from './kit/authorization-server.ts';

const server = await forFile(openAuthorizationServer());

describe('refusals (RFC 6749, section 5.2)', () => {
  const secret = '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz';
  const credentials = { grant_type: 'client_credentials', client_id: 'app-provider-backend' };

  test.each<[string, string, Form | string, Form, number, string]>([
    [
      'a wrong secret',
      'AppProvider',
      { ...credentials, client_secret: 'x' },
      {},
      401,
      'invalid_client',
    ],
    [
      'a wrong secret by Basic',
      'AppProvider',
      { grant_type: 'client_credentials' },
      basic('app-provider-backend', 'x'),
      401,
      'invalid_client',
    ],
    ['no secret', 'AppProvider', credentials, {}, 401, 'invalid_client'],
    [
      'an unknown client',
      'AppProvider',
      { ...credentials, client_id: 'nobody', client_secret: secret },
      {},
      401,
      'invalid_client',
    ],
    [
      "another realm's client",
      'AppUser',
      { ...credentials, client_secret: secret },
      {},
      401,
      'invalid_client',
    ],
    ['no client', 'AppProvider', { grant_type: 'client_credentials' }, {}, 401, 'invalid_client'],
    [
      'a Basic header that is none',
      'AppProvider',
      credentials,
      { authorization: 'Basic %%%' },
      401,
      'invalid_client',
    ],
    [
      'a bearer token as client',
      'AppProvider',
      credentials,
      { authorization: 'Bearer a.b.c' },
      401,
      'invalid_client',
    ],
    [
      'a grant the client may not use',
      'AppProvider',
      { ...person('app-provider-backend', 'app-provider'), client_secret: secret },
      {},
      400,
      'unauthorized_client',
    ],
    [
      'credentials of a public client',
      'AppProvider',
      { grant_type: 'client_credentials', client_id: 'app-provider-unsafe' },
      {},
      400,
      'unauthorized_client',
    ],
    [
      'a login client',
      'AppProvider',
      person('app-provider-backend-oidc', 'app-provider'),
      {},
      400,
      'unauthorized_client',
    ],
    [
      'a wrong password',
      'AppUser',
      person('app-user-unsafe', 'app-user', 'abc124'),
      {},
      400,
      'invalid_grant',
    ],
    ['an unknown user', 'AppUser', person('app-user-unsafe', 'nobody'), {}, 400, 'invalid_grant'],
    [
      "another realm's user",
      'AppUser',
      person('app-user-unsafe', 'app-provider'),
      {},
      400,
      'invalid_grant',
    ],
    [
      'no password',
      'AppUser',
      { grant_type: 'password', client_id: 'app-user-unsafe', username: 'app-user' },
      {},
      400,
      'invalid_request',
    ],
    ['an unknown grant', 'AppUser', { grant_type: 'implicit' }, {}, 400, 'unsupported_grant_type'],
    [
      'a code grant without a code',
      'AppUser',
      { grant_type: 'authorization_code', client_id: 'app-user-wallet' },
      {},
      400,
      'invalid_request',
    ],
    [
      'a grant named like an inherited property',
      'AppUser',
      { grant_type: 'toString' },
      {},
      400,
      'unsupported_grant_type',
    ],
    ['no grant', 'AppUser', { client_id: 'app-user-unsafe' }, {}, 400, 'invalid_request'],
    [
      'a repeated parameter',
      'AppUser',
      'grant_type=password&grant_type=password',
      {},
      400,
      'invalid_request',
    ],
    [
      'two proofs at once',
      'AppProvider',
      { ...credentials, client_secret: secret },
      basic('app-provider-backend', secret),
      400,
      'invalid_request',
    ],
    [
      'two clients at once',
      'AppProvider',
      credentials,
      basic('app-provider-pqs', 'zuYvMzWEo8csYNiQNlmXNPsmPErBWP3W'),
      400,
      'invalid_request',
    ],
    [
      'an unknown scope',
      'AppProvider',
      { ...credentials, client_secret: secret, scope: 'openid everything' },
      {},
      400,
      'invalid_scope',
    ],
    [
      'a scope of other clients',
      'AppProvider',
      { ...credentials, client_secret: secret, scope: 'party_id' },
      {},
      400,
      'invalid_scope',
    ],
    ['JSON', 'AppProvider', '{}', { 'content-type': 'application/json' }, 400, 'invalid_request'],
  ])('%s', async (_what, realm, form, headers, status, code) => {
    const answer = await server.ask(realm, form, headers);
    expect([answer.status, answer.body['error']]).toEqual([status, code]);
    expect(answer.body['error_description']).toEqual(expect.any(String));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.has('www-authenticate')).toBe(status === 401);
  });

  test('a wrong user and a wrong password look the same', async () => {
    const [user, password] = await Promise.all([
      server.ask('AppUser', person('app-user-unsafe', 'nobody')),
      server.ask('AppUser', person('app-user-unsafe', 'app-user', 'x')),
    ]);
    expect(user.body).toEqual(password.body);
  });

  test('an unknown realm', async () => {
    const { status, body } = await server.ask('nowhere', person('admin-cli', 'admin'));
    expect([status, body]).toEqual([404, { error: 'Realm does not exist' }]);
    const keys = await fetch(`${server.base}/realms/Nowhere/protocol/openid-connect/certs`);
    expect(keys.status).toBe(404);
  });

  test('a form over the limit', async () => {
    const { status } = await server.ask('AppUser', { grant_type: 'x'.repeat(20_000) });
    expect(status).toBe(413);
  });
});
