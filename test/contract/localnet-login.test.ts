import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { basic, openAuthorizationServer, USER_PARTY } from './kit/authorization-server.ts';
import { PlainBrowser } from './kit/browser.ts';
import {
  authorizationUrl,
  CALLBACK,
  connectUrl,
  field,
  openSignIn,
  pkce,
  redeemForm,
  returned,
  signIn,
} from './kit/login.ts';
import type { LoginRequest } from './kit/login.ts';

/*
 * The authorization code flow over HTTP. The clients, people and addresses are those of the reference, and are repeated
 * here on purpose.
 */

const ISSUER = 'http://keycloak.localhost:8082/realms/AppUser';
const APP: LoginRequest = { realm: 'AppUser', client: 'app-provider-backend-oidc' };
const WALLET: LoginRequest = {
  realm: 'AppUser',
  client: 'app-user-wallet',
  redirectUri: 'http://wallet.localhost:2000/',
};

let browser: PlainBrowser;
const server = await forFile(openAuthorizationServer());
beforeEach(() => {
  browser = new PlainBrowser();
});

const verified = async (realm: string, token: string, audience: string) => {
  const keys = createRemoteJWKSet(new URL(connectUrl(server.base, realm, 'certs')));
  const issuer = `http://keycloak.localhost:8082/realms/${realm}`;
  return jwtVerify(token, keys, { issuer, audience, algorithms: ['RS256'] });
};

/** Signs in and redeems the code. */
async function tokensOf(request: LoginRequest, username: string) {
  const { verifier, parameters } = pkce();
  const asked = { ...request, parameters: { ...parameters, ...request.parameters } };
  const back = await signIn(browser, server.base, asked, username);
  return server.ask(request.realm, redeemForm(request, back.get('code'), verifier));
}

describe('a login', () => {
  test.each([
    ['AppProvider', 'app-provider', '553c6754-8879-41c9-ae80-b302f5af92c9', 'app provider'],
    ['AppProvider', 'beatris', '3c467325-772f-4f93-8972-711ec75634b1', 'Beatris Doe'],
    ['AppUser', 'app-user', '92a520cb-2f09-4e55-b465-d178c6cfe5e4', 'app user'],
    ['AppUser', 'adrian', 'e37a3590-77d7-4acf-a053-70e84211dfa6', 'Adrian Doe'],
  ])('realm %s, %s', async (realm, username, sub, name) => {
    const request = { ...APP, realm };
    const { verifier, parameters } = pkce();
    const back = await signIn(browser, server.base, { ...request, parameters }, username);
    const issuer = `http://keycloak.localhost:8082/realms/${realm}`;
    expect([back.get('state'), back.get('iss')]).toEqual(['s-1', issuer]);

    const reply = await server.ask(realm, redeemForm(request, back.get('code'), verifier));
    const partyId = realm === 'AppUser' ? USER_PARTY : undefined;
    const scope = `openid profile email${realm === 'AppUser' ? ' party_id' : ''}`;
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope });
    expect(reply.body['refresh_token']).toEqual(expect.any(String));

    const id = (await verified(realm, field(reply, 'id_token'), APP.client)).payload;
    expect(id).toMatchObject({ sub, name, preferred_username: username, nonce: 'n-1' });
    expect(id.exp! - id.iat!).toBe(300);
    const access = await verified(
      realm,
      field(reply, 'access_token'),
      'https://canton.network.global',
    );
    expect(access.protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const claims = access.payload;
    expect(claims).toMatchObject({
      sub,
      name,
      preferred_username: username,
      azp: APP.client,
      typ: 'Bearer',
      scope,
    });
    expect(claims.exp! - claims.iat!).toBe(300);
    expect([id['party_id'], claims['party_id']]).toEqual([partyId, partyId]);
  });

  test('of the operator carries the role, of others none', async () => {
    const request = { ...APP, realm: 'AppProvider' };
    const operator = await tokensOf(request, 'operator');
    const rolesIn = (reply: typeof operator) =>
      ['id_token', 'access_token'].map((name) => decodeJwt(field(reply, name))['roles']);
    expect(rolesIn(operator)).toEqual([['operator'], ['operator']]);
    browser.forget();
    expect(rolesIn(await tokensOf(request, 'beatris'))).toEqual([undefined, undefined]);
  });

  test('works without PKCE and with the empty secret of a public client, as the reference has it', async () => {
    const back = await signIn(browser, server.base, APP, 'app-user');
    const { client_id: _, ...form } = redeemForm(APP, back.get('code'));
    const reply = await server.ask('AppUser', form, basic(APP.client, ''));
    expect([reply.status, typeof reply.body['id_token']]).toEqual([200, 'string']);
  });

  test('is enough for a second client, and only in its realm', async () => {
    await signIn(browser, server.base, APP, 'app-user');
    const second = await browser.open(authorizationUrl(server.base, WALLET));
    const reply = await server.ask('AppUser', redeemForm(WALLET, returned(second).get('code')));
    const claims = decodeJwt(field(reply, 'access_token'));
    expect([claims['preferred_username'], claims['azp']]).toEqual(['app-user', WALLET.client]);
    // The wallet's tokens do not name the party, because the scope for this belongs to other clients.
    expect(claims).not.toHaveProperty('party_id');
    await openSignIn(browser, server.base, { ...APP, realm: 'AppProvider' });
  });

  test('goes on to the addresses of the client and to loopback ones', async () => {
    for (const redirectUri of [
      'http://app-provider.localhost:5173/x?y=1',
      'http://localhost:41234/back',
      'http://127.0.0.1:41234/back',
    ]) {
      const back = await browser.open(
        authorizationUrl(server.base, { ...APP, redirectUri, parameters: { prompt: 'none' } }),
      );
      expect(back.location).toContain(redirectUri);
      expect(returned(back).get('error')).toBe('login_required');
    }
  });

  test('prompt=login asks again, and another person may answer', async () => {
    await signIn(browser, server.base, APP, 'app-user');
    const again = { ...APP, parameters: { prompt: 'login' } };
    const reply = await tokensOf(again, 'adrian');
    expect(decodeJwt(field(reply, 'id_token'))['preferred_username']).toBe('adrian');
    const silent = { ...APP, parameters: { prompt: 'none' } };
    const back = returned(await browser.open(authorizationUrl(server.base, silent)));
    const same = await server.ask('AppUser', redeemForm(APP, back.get('code')));
    expect(decodeJwt(field(same, 'id_token'))['preferred_username']).toBe('adrian');
  });

  test('prompt=consent is satisfied without a question', async () => {
    const request = { ...APP, parameters: { prompt: 'consent' } };
    expect((await signIn(browser, server.base, request, 'app-user')).get('code')).toBeTruthy();
  });
});

describe('a code', () => {
  const start = async () => {
    const { verifier, parameters } = pkce();
    const back = await signIn(browser, server.base, { ...APP, parameters }, 'app-user');
    return { code: back.get('code'), verifier };
  };

  test.each<[string, (form: Record<string, string>) => Record<string, string>]>([
    ['another verifier', (form) => ({ ...form, code_verifier: pkce().verifier })],
    ['no verifier', (form) => ({ ...form, code_verifier: '' })],
    ['another client', (form) => ({ ...form, client_id: 'app-user-wallet' })],
    ['another redirect URI', (form) => ({ ...form, redirect_uri: `${CALLBACK}x` })],
    ['another code', (form) => ({ ...form, code: `${form['code']}x` })],
  ])('is worth nothing with %s', async (_what, change) => {
    const { code, verifier } = await start();
    const form = redeemForm(APP, code, verifier);
    const refused = await server.ask('AppUser', change(form));
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant']);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    // The change is the reason for the refusal: without the change, the same form is accepted.
    expect((await server.ask('AppUser', form)).status).toBe(200);
  });

  test('is worth nothing in the other realm', async () => {
    const { code, verifier } = await start();
    const refused = await server.ask('AppProvider', redeemForm(APP, code, verifier));
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('that is used twice takes back what it gave', async () => {
    const { code, verifier } = await start();
    const form = redeemForm(APP, code, verifier);
    const first = await server.ask('AppUser', form);
    const refresh = {
      grant_type: 'refresh_token',
      client_id: APP.client,
      refresh_token: field(first, 'refresh_token'),
    };
    expect((await server.ask('AppUser', refresh)).status).toBe(200);
    const second = await server.ask('AppUser', form);
    expect([second.status, second.body['error']]).toEqual([400, 'invalid_grant']);
    const taken = await server.ask('AppUser', refresh);
    expect([taken.status, taken.body['error']]).toEqual([400, 'invalid_grant']);
  });
});

describe('a refresh token', () => {
  test('gives fresh tokens, as often as asked, to its own client', async () => {
    const first = await tokensOf(APP, 'app-user');
    const form = {
      grant_type: 'refresh_token',
      client_id: APP.client,
      refresh_token: field(first, 'refresh_token'),
    };
    const seen = new Set([field(first, 'access_token')]);
    for (let round = 0; round < 2; round += 1) {
      const reply = await server.ask('AppUser', form);
      expect([reply.status, reply.body['scope']]).toEqual([200, 'openid profile email party_id']);
      const { payload } = await verified(
        'AppUser',
        field(reply, 'access_token'),
        'https://canton.network.global',
      );
      expect([payload.sub, payload['party_id']]).toEqual([
        '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
        USER_PARTY,
      ]);
      seen.add(field(reply, 'access_token'));
    }
    expect(seen.size).toBe(3);
    const foreign = await server.ask('AppUser', { ...form, client_id: 'app-user-wallet' });
    expect([foreign.status, foreign.body['error']]).toEqual([400, 'invalid_grant']);
    const unable = await server.ask('AppUser', { ...form, client_id: 'app-user-unsafe' });
    expect([unable.status, unable.body['error']]).toEqual([400, 'unauthorized_client']);
  });
});

describe('a logout', () => {
  const logoutUrl = (parameters: Record<string, string>) =>
    `${connectUrl(server.base, 'AppUser', 'logout')}?${new URLSearchParams(parameters).toString()}`;
  const isSignedIn = async () => {
    const silent = { ...APP, parameters: { prompt: 'none' } };
    return returned(await browser.open(authorizationUrl(server.base, silent))).has('code');
  };

  test('with the ID token asks nothing, goes back, and ends refresh tokens', async () => {
    const tokens = await tokensOf(APP, 'app-user');
    expect(await isSignedIn()).toBe(true);
    const back = await browser.open(
      logoutUrl({
        id_token_hint: field(tokens, 'id_token'),
        post_logout_redirect_uri: 'http://app-provider.localhost:3000/bye',
        state: 'z',
      }),
    );
    expect(back.location).toBe('http://app-provider.localhost:3000/bye?state=z');
    expect(await isSignedIn()).toBe(false);
    expect(browser.cookies.map(({ name }) => name)).not.toContain('LOCALNET_SSO');
    const refused = await server.ask('AppUser', {
      grant_type: 'refresh_token',
      client_id: APP.client,
      refresh_token: field(tokens, 'refresh_token'),
    });
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('with the ID token alone ends at a page', async () => {
    const tokens = await tokensOf(APP, 'app-user');
    const page = await browser.open(logoutUrl({ id_token_hint: field(tokens, 'id_token') }));
    expect([page.status, page.text.includes('You are signed out')]).toEqual([200, true]);
    expect(await isSignedIn()).toBe(false);
  });

  test('by the application alone ends the login that its ID token names, and no other', async () => {
    const tokens = await tokensOf(APP, 'app-user');
    const stranger = new PlainBrowser();
    const theirs = await signIn(stranger, server.base, APP, 'app-user');
    expect(theirs.has('code')).toBe(true);
    const page = await new PlainBrowser().open(
      logoutUrl({ id_token_hint: field(tokens, 'id_token') }),
    );
    expect(page.status).toBe(200);
    expect(await isSignedIn()).toBe(false);
    const silent = { ...APP, parameters: { prompt: 'none' } };
    const still = await stranger.open(authorizationUrl(server.base, silent));
    expect(returned(still).has('code')).toBe(true);
  });

  test('works when the login is gone already', async () => {
    const tokens = await tokensOf(APP, 'app-user');
    browser.forget();
    const hint = { id_token_hint: field(tokens, 'id_token') };
    const bye = { ...hint, post_logout_redirect_uri: 'http://localhost:3000/bye' };
    expect((await browser.open(logoutUrl(bye))).location).toBe('http://localhost:3000/bye');
    expect((await browser.open(logoutUrl(hint))).status).toBe(200);
  });

  test('without the ID token, or with somebody else’s, asks first', async () => {
    const tokens = await tokensOf(APP, 'adrian');
    browser.forget();
    await tokensOf(APP, 'app-user');
    for (const parameters of [{}, { id_token_hint: field(tokens, 'id_token') }]) {
      const page = await browser.open(logoutUrl(parameters));
      expect([page.status, page.text.includes('Sign out?')]).toEqual([200, true]);
      expect(await isSignedIn()).toBe(true);
    }
    const page = await browser.open(logoutUrl({}));
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
    const confirm = `${connectUrl(server.base, 'AppUser', 'logout')}/confirm`;
    expect((await browser.open(confirm, { xsrf: 'x', logout: 'yes' })).status).toBe(400);
    expect(await isSignedIn()).toBe(true);
    expect((await browser.open(logoutUrl({}))).status).toBe(200);
    const [, fresh = xsrf] =
      /name="xsrf" value="([^"]+)"/.exec((await browser.open(logoutUrl({}))).text) ?? [];
    const done = await browser.open(confirm, { xsrf: fresh, logout: 'yes' });
    expect([done.status, done.text.includes('You are signed out')]).toEqual([200, true]);
    expect(await isSignedIn()).toBe(false);
  });

  test('goes nowhere that is not registered, and takes no forged ID token', async () => {
    const tokens = await tokensOf(APP, 'app-user');
    const hint = field(tokens, 'id_token');
    const [header, payload] = hint.split('.');
    for (const parameters of [
      { id_token_hint: hint, post_logout_redirect_uri: 'http://elsewhere.example/' },
      { id_token_hint: `${header}.${payload}.AAAA` },
      { id_token_hint: 'nonsense' },
    ]) {
      const page = await browser.open(logoutUrl(parameters));
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(page.text).toContain('That did not work');
    }
    expect(await isSignedIn()).toBe(true);
  });
});

describe('userinfo', () => {
  const ask = (token: string, method = 'GET') =>
    fetch(connectUrl(server.base, 'AppUser', 'userinfo'), {
      method,
      headers: { authorization: `Bearer ${token}`, origin: 'http://wallet.localhost:2000' },
    });

  test('says what the token says of its subject', async () => {
    const token = field(await tokensOf(APP, 'app-user'), 'access_token');
    for (const method of ['GET', 'POST']) {
      const answer = await ask(token, method);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          sub: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
          preferred_username: 'app-user',
          name: 'app user',
          party_id: USER_PARTY,
        },
      ]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(
        'http://wallet.localhost:2000',
      );
    }
  });

  test('refuses other tokens', async () => {
    const foreign = field(
      await tokensOf({ ...APP, realm: 'AppProvider' }, 'beatris'),
      'access_token',
    );
    for (const token of ['a.b.c', foreign]) {
      const answer = await ask(token);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    const { body } = await server.ask('AppUser', {
      grant_type: 'password',
      client_id: 'app-user-unsafe',
      username: 'app-user',
      password: 'abc123',
    });
    expect((await ask(String(body['access_token']))).status).toBe(403);
  });
});

test('discovery names every endpoint at the address that was asked', async () => {
  const answer = await fetch(`${server.base}/realms/AppUser/.well-known/openid-configuration`);
  const at = (endpoint: string) => connectUrl(server.base, 'AppUser', endpoint);
  expect(await answer.json()).toMatchObject({
    issuer: ISSUER,
    authorization_endpoint: at('auth'),
    token_endpoint: at('token'),
    userinfo_endpoint: at('userinfo'),
    jwks_uri: at('certs'),
    end_session_endpoint: at('logout'),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  });
});
