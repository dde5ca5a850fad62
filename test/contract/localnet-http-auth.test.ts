import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { basic, openAuthorizationServer, person, USER_PARTY } from './kit/authorization-server.ts';

/*
 * The authorization server as programs see it. The credentials are the reference's public demo credentials, which are
 * repeated here on purpose: if a server accepts only other credentials, it is not compatible, whatever its own tables
 * contain.
 */

const AUDIENCE = 'https://canton.network.global';

const server = await forFile(openAuthorizationServer());

/** Verifies a token as a resource server would that knows only the issuer's address. */
async function verified(realm: string, token: unknown): Promise<JWTPayload> {
  const discovery = (await (
    await fetch(`${server.base}/realms/${realm}/.well-known/openid-configuration`)
  ).json()) as { issuer: string; jwks_uri: string };
  const { payload } = await jwtVerify(
    String(token),
    createRemoteJWKSet(new URL(discovery.jwks_uri)),
    { issuer: discovery.issuer, audience: AUDIENCE, algorithms: ['RS256'] },
  );
  return payload;
}

describe('client credentials', () => {
  test.each([
    [
      'AppProvider',
      'app-provider-backend',
      '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz',
      '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
    ],
    [
      'AppProvider',
      'app-provider-validator',
      'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
      'c87743ab-80e0-4b83-935a-4c0582226691',
    ],
    [
      'AppProvider',
      'app-provider-pqs',
      'zuYvMzWEo8csYNiQNlmXNPsmPErBWP3W',
      '0145df12-c560-40fa-bef3-caff2c5c2224',
    ],
    [
      'AppUser',
      'app-user-validator',
      '6m12QyyGl81d9nABWQXMycZdXho6ejEX',
      '97bb6cef-a7a9-410b-ba8c-ada08451a5c9',
    ],
    [
      'AppUser',
      'app-user-pqs',
      '7WkEjRTCSDz7u8CuXRWFp0UKdAp24hO4',
      'eecd72be-b6a6-44ed-834a-9305ad22f610',
    ],
  ])('%s %s', async (realm, client, secret, userId) => {
    const grant = { grant_type: 'client_credentials', scope: 'openid' };
    const fromForm = await server.ask(realm, {
      ...grant,
      client_id: client,
      client_secret: secret,
    });
    const fromBasic = await server.ask(realm, grant, basic(client, secret));
    for (const { status, headers, body } of [fromForm, fromBasic]) {
      expect([status, body['token_type'], body['expires_in']]).toEqual([200, 'Bearer', 300]);
      expect(headers.get('cache-control')).toBe('no-store');
      const claims = await verified(realm, body['access_token']);
      expect(claims).toMatchObject({
        iss: `http://keycloak.localhost:8082/realms/${realm}`,
        sub: userId,
        aud: AUDIENCE,
        azp: client,
        client_id: client,
        preferred_username: `service-account-${client}`,
        scope: 'openid profile email',
      });
      expect(claims.exp! - claims.iat!).toBe(300);
      expect(claims).not.toHaveProperty('party_id');
      expect(claims).not.toHaveProperty('roles');
    }
    expect(fromForm.body['access_token']).not.toBe(fromBasic.body['access_token']);
  });
});

describe('password', () => {
  test.each([
    [
      'AppProvider',
      'app-provider-unsafe',
      'app-provider',
      '553c6754-8879-41c9-ae80-b302f5af92c9',
      'app provider',
      undefined,
    ],
    [
      'AppProvider',
      'app-provider-unsafe',
      'beatris',
      '3c467325-772f-4f93-8972-711ec75634b1',
      'Beatris Doe',
      undefined,
    ],
    [
      'AppUser',
      'app-user-unsafe',
      'app-user',
      '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
      'app user',
      USER_PARTY,
    ],
    [
      'AppUser',
      'app-user-unsafe',
      'adrian',
      'e37a3590-77d7-4acf-a053-70e84211dfa6',
      'Adrian Doe',
      USER_PARTY,
    ],
  ])('%s %s %s', async (realm, client, username, userId, name, partyId) => {
    const { status, body } = await server.ask(realm, person(client, username));
    expect(status).toBe(200);
    const claims = await verified(realm, body['access_token']);
    expect(claims).toMatchObject({ sub: userId, azp: client, preferred_username: username, name });
    expect([claims['party_id'], claims['roles']]).toEqual([partyId, undefined]);
  });

  test('a confidential client with this grant proves itself too', async () => {
    const form = { ...person('app-user-pqs', 'app-user') };
    expect((await server.ask('AppUser', form)).status).toBe(401);
    const proved = await server.ask('AppUser', {
      ...form,
      client_secret: '7WkEjRTCSDz7u8CuXRWFp0UKdAp24hO4',
    });
    expect(proved.status).toBe(200);
    // The tokens of this client do not name the party, because the scope for this belongs to other clients.
    expect(await verified('AppUser', proved.body['access_token'])).not.toHaveProperty('party_id');
  });

  test.each([
    ['AppProvider', 'app-provider-unsafe'],
    ['AppUser', 'app-user-unsafe'],
  ])(
    'the operator of %s carries the role that the operations desk asks for',
    async (realm, client) => {
      const { body } = await server.ask(realm, person(client, 'operator'));
      const claims = await verified(realm, body['access_token']);
      expect(claims['roles']).toEqual(['operator']);
      const other = realm === 'AppUser' ? 'beatris' : 'adrian';
      expect((await server.ask(realm, person(client, other))).status).toBe(400);
    },
  );

  test('a public client may come by HTTP Basic with an empty secret', async () => {
    const { status } = await server.ask(
      'AppUser',
      { grant_type: 'password', username: 'app-user', password: 'abc123' },
      basic('app-user-unsafe', ''),
    );
    expect(status).toBe(200);
  });
});

describe('discovery', () => {
  const discover = async (host: string) => {
    const url = new URL(`${server.base}/realms/AppUser/.well-known/openid-configuration`);
    url.hostname = host;
    return (await (await fetch(url)).json()) as Record<string, string>;
  };

  test('the issuer stays, the endpoints are where the caller is', async () => {
    const port = new URL(server.base).port;
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await discover(host)).toMatchObject({
        issuer: 'http://keycloak.localhost:8082/realms/AppUser',
        token_endpoint: `http://${host}:${port}/realms/AppUser/protocol/openid-connect/token`,
        jwks_uri: `http://${host}:${port}/realms/AppUser/protocol/openid-connect/certs`,
      });
    }
  });

  test('a realm publishes its own keys only', async () => {
    const keysOf = async (realm: string) =>
      (await (
        await fetch(`${server.base}/realms/${realm}/protocol/openid-connect/certs`)
      ).json()) as {
        keys: { kid: string }[];
      };
    const { body } = await server.ask('AppProvider', person('app-provider-unsafe', 'app-provider'));
    const foreign = createLocalJWKSet(await keysOf('AppUser'));
    await expect(jwtVerify(String(body['access_token']), foreign)).rejects.toMatchObject({
      code: 'ERR_JWKS_NO_MATCHING_KEY',
    });
    await jwtVerify(String(body['access_token']), createLocalJWKSet(await keysOf('AppProvider')));
  });

  test('pages of any origin may ask, and unknown paths are JSON', async () => {
    const preflight = await fetch(server.tokenUrl('AppUser'), {
      method: 'OPTIONS',
      headers: { origin: 'http://wallet.localhost:2000', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(
      'http://wallet.localhost:2000',
    );
    const lost = await fetch(`${server.base}/auth?code=secret`);
    expect([lost.status, await lost.json()]).toEqual([
      404,
      { error: 'Not found', method: 'GET', path: '/auth' },
    ]);
  });
});
