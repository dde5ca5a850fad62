import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PlainBrowser } from './kit/browser.ts';
import { ledgerEnd } from './kit/commands.ts';
import { authorizationUrl, openSignIn, returned } from './kit/login.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';

/*
 * Logins on a whole network, with a certified client library. It gets only values that are public: the issuer, a
 * client, and the client's redirect URI.
 */

const ISSUER = 'http://keycloak.localhost:8082/realms/AppUser';
const REDIRECT_URI = 'http://wallet.localhost:2000/';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-login-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Reads the issuer's metadata at this network's port, where name resolution would find it. */
async function discover(network: Network, client: string): Promise<oidc.Configuration> {
  const { origin } = new URL(network.localnet.urls.auth);
  return oidc.discovery(new URL(ISSUER), client, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
    [oidc.customFetch]: (url, options) =>
      fetch(url.replace('http://keycloak.localhost:8082', origin), options as RequestInit),
  });
}

async function login(config: oidc.Configuration, browser: PlainBrowser) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const page = await browser.open(url.href);
  const form = { username: 'app-user', password: 'abc123' };
  const back = page.location === undefined ? await browser.open(page.url, form) : page;
  return oidc.authorizationCodeGrant(config, new URL(back.location ?? ''), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
}

describe('a certified client', () => {
  test('logs in, refreshes, asks who it is and logs out', async () => {
    await using network = await openNetwork();
    const browser = new PlainBrowser();
    const wallet = await discover(network, 'app-user-wallet');
    const tokens = await login(wallet, browser);
    const claims = tokens.claims();
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: 'app-user-wallet',
      sub: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
      name: 'app user',
    });
    const info = await oidc.fetchUserInfo(wallet, tokens.access_token, claims!.sub);
    expect(info['preferred_username']).toBe('app-user');
    const fresh = await oidc.refreshTokenGrant(wallet, tokens.refresh_token!);
    expect(fresh.claims()?.sub).toBe(claims!.sub);
    expect(fresh.access_token).not.toBe(tokens.access_token);
    const end = oidc.buildEndSessionUrl(wallet, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: REDIRECT_URI,
    });
    expect((await browser.open(end.href)).location).toBe(REDIRECT_URI);
    await expect(oidc.refreshTokenGrant(wallet, tokens.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('a token from a login', () => {
  test('speaks for the person at the participant of its realm, and at no other', async () => {
    await using network = await openNetwork();
    const { access_token: token } = await login(
      await discover(network, 'app-user-wallet'),
      new PlainBrowser(),
    );
    const bearing = (participant: 'app-user' | 'app-provider') =>
      network.bearing(participant, () => token);
    const { user } = await bearing('app-user').userAdmin.getUser({ userId: '' });
    expect([user?.id, user?.primaryParty]).toEqual([
      '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
      network.localnet.parties.appUser,
    ]);
    expect((await refusalOf(ledgerEnd(bearing('app-provider')))).status).toBe('UNAUTHENTICATED');
    const dso = await fetch(
      `${network.localnet.urls.participants['app-user'].validator}/api/validator/v0/scan-proxy/dso-party-id`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(dso.status).toBe(200);
  });

  test('names the party that the network really has', async () => {
    await using network = await openNetwork();
    const base = network.localnet.urls.auth;
    const request = { realm: 'AppUser', client: 'app-provider-backend-oidc' };
    const browser = new PlainBrowser();
    const page = await openSignIn(browser, base, request);
    const back = await browser.open(page.url, { username: 'app-user', password: 'abc123' });
    const answer = await fetch(network.localnet.urls.tokenEndpoints.AppUser, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: request.client,
        code: String(returned(back).get('code')),
        redirect_uri: 'http://app-provider.localhost:3000/login/oauth2/code/AppUser',
      }),
    });
    const { id_token } = (await answer.json()) as { id_token: string };
    expect(decodeJwt(id_token)['party_id']).toBe(network.localnet.parties.appUser);
  });
});

test('a restart keeps tokens and forgets logins', async () => {
  const browser = new PlainBrowser();
  const { access_token: token, id_token: idToken } = await (async () => {
    await using network = await openNetwork({ dataDir });
    return await login(await discover(network, 'app-user-wallet'), browser);
  })();
  await using network = await openNetwork({ dataDir });
  expect(await ledgerEnd(network.bearing('app-user', () => token))).toBeGreaterThan(0n);
  // The ports are new. Like real browsers, this one distinguishes cookies by path but not by port.
  const request = { realm: 'AppUser', client: 'app-user-wallet', redirectUri: REDIRECT_URI };
  const base = network.localnet.urls.auth;
  const silent = authorizationUrl(base, { ...request, parameters: { prompt: 'none' } });
  expect(returned(await browser.open(silent)).get('error')).toBe('login_required');
  // The ID token still names the person who signs out, although the session has ended.
  const end = oidc.buildEndSessionUrl(await discover(network, 'app-user-wallet'), {
    id_token_hint: idToken!,
    post_logout_redirect_uri: REDIRECT_URI,
  });
  expect((await browser.open(end.href)).location).toBe(REDIRECT_URI);
  const again = await login(await discover(network, 'app-user-wallet'), browser);
  expect(again.claims()?.['preferred_username']).toBe('app-user');
});
