import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, STRANGER, USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { selfSignedToken } from './kit/tokens.ts';
import { ledgerUserWallet } from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

const START = '2026-11-21T12:00:00Z';

const network = await forFile(openNetwork({ staticTime: START }));

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * Sends a request with another host name than that of its address. It uses node:http, because fetch sets the `Host`
 * header itself.
 */
function ask(
  base: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Raw> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      path,
      headers,
      method: body === undefined ? 'GET' : 'POST',
    });
    sent.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const walletPort = () => new URL(network.localnet.urls.wallet).port;
const page = (host: string, path = '/', headers: Record<string, string> = {}) =>
  ask(network.localnet.urls.wallet, path, {
    host: `${host}:${walletPort()}`,
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    ...headers,
  });

describe('the page', () => {
  test.each(['localhost', '127.0.0.1', 'wallet.localhost'])('is there as %s', async (host) => {
    for (const path of ['/', '/allocations', '//allocations', '/?code=a&state=b']) {
      const { status, headers, text } = await page(host, path);
      expect([path, status, headers['content-type']]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain('<title>Wallet');
    }
  });

  test('lets nothing run but its own files', async () => {
    const { headers, text } = await page('wallet.localhost');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const authPort = new URL(network.localnet.urls.auth).port;
    expect(policy).toContain(`connect-src 'self' http://keycloak.localhost:${authPort};`);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(text).not.toMatch(/<script>|<style|\son\w+=|style=/);
  });

  test('is read again only when it has changed', async () => {
    const { headers } = await page('wallet.localhost', '/wallet/wallet.js');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    const etag = String(headers['etag']);
    const again = await page('wallet.localhost', '/wallet/wallet.js', { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('every file that it names is there', async () => {
    const { text } = await page('localhost');
    const named = [...text.matchAll(/(?:src|href)="(\/wallet\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) expect((await page('localhost', path)).status).toBe(200);
  });

  test('is told where to sign in, and what time it is', async () => {
    const { wallet, auth } = network.localnet.urls;
    expect((await http(network, `${wallet}/wallet/config.json`)).json).toEqual({
      mode: 'oauth2',
      authority: `http://keycloak.localhost:${new URL(auth).port}/realms/AppUser`,
      client_id: 'app-user-wallet',
      scope: 'openid',
    });
    const time = await http(network, `${wallet}/wallet/ledger-time`);
    expect(time.json).toEqual({ mode: 'static', now: START });
  });

  test.each([
    ['/api/validator/v0/nothing', 'text/html'],
    ['/wallet/nothing.js', 'text/html'],
    ['/wallet/../../package.json', 'application/json'],
    ['/wallet/%2e%2e%2fnetwork.ts', 'text/html'],
    ['/registry/metadata/v1/info', 'text/html'],
    ['/nothing', 'application/json'],
  ])('%s is not there', async (path, accept) => {
    const { status, text } = await page('localhost', path, { accept });
    expect([status, JSON.parse(text)]).toEqual([
      404,
      expect.objectContaining({ error: 'Not found' }),
    ]);
  });
});

describe('names on the same port', () => {
  const bearer = async () => ({ authorization: `Bearer ${await network.tokens.of(USER_PERSON)}` });

  test.each(['json-ledger-api.localhost', 'canton.localhost', 'JSON-Ledger-API.localhost'])(
    '%s is the JSON Ledger API, for pages of any origin',
    async (host) => {
      const { wallet } = network.localnet.urls;
      const headers = { host: `${host}:${walletPort()}`, origin: 'http://elsewhere.example' };
      const ready = await ask(wallet, '/readyz', headers);
      expect([ready.status, ready.text]).toEqual([
        200,
        expect.stringContaining('readyz check passed'),
      ]);
      expect(ready.headers['access-control-allow-origin']).toBe('http://elsewhere.example');
      expect((await ask(wallet, '/v2/state/ledger-end', headers)).status).toBe(401);
      const end = await ask(wallet, '/v2/state/ledger-end', { ...headers, ...(await bearer()) });
      expect(JSON.parse(end.text)).toHaveProperty('offset');
    },
  );

  test('a body arrives whole', async () => {
    const { wallet } = network.localnet.urls;
    const headers = { host: `json-ledger-api.localhost:${walletPort()}`, ...(await bearer()) };
    const { status, text } = await ask(
      wallet,
      '/v2/commands/submit-and-wait',
      headers,
      '{"commands":1}',
    );
    expect([status, text]).toEqual([400, expect.stringContaining("'commands'")]);
  });

  test('the network port answers with the super validator’s', async () => {
    const { network: port } = network.localnet.urls;
    const authorization = `Bearer ${await selfSignedToken()}`;
    const host = `json-ledger-api.localhost:${new URL(port).port}`;
    expect((await ask(port, '/v2/version', { host, authorization })).status).toBe(200);
    const scan = `scan.localhost:${new URL(port).port}`;
    expect((await ask(port, '/api/scan/readyz', { host: scan })).status).toBe(200);
    const { text } = await ask(port, '/api/scan/v0/dso-party-id', { host: scan });
    expect(JSON.parse(text)).toEqual({ dso_party_id: network.localnet.parties.dso });
  });
});

describe('getting a wallet', () => {
  const admin = (identity: typeof USER_ADMIN, path: string, body?: unknown) => {
    const { validator } = network.localnet.urls.participants[identity.participant];
    return http(network, `${validator}/api/validator/v0${path}`, {
      as: identity,
      ...(body === undefined ? {} : { body }),
    });
  };

  test('one registers oneself, and begins with nothing', async () => {
    const adrian = ledgerUserWallet(network, STRANGER);
    expect(await adrian.expectOk('/wallet/user-status')).toEqual({
      party_id: '',
      user_onboarded: false,
      user_wallet_installed: false,
      has_featured_app_right: false,
    });
    const { party_id } = await adrian.expectOk('/register', { method: 'POST' });
    expect(party_id).toMatch(/^e37a3590-77d7-4acf-a053-70e84211dfa6-[0-9a-f]{8}::1220/);
    expect(await adrian.expectOk('/register', { body: null })).toEqual({ party_id });
    expect(await adrian.expectOk('/wallet/user-status')).toMatchObject({
      party_id,
      user_onboarded: true,
      user_wallet_installed: true,
    });
    expect(await adrian.balance()).toEqual({ free: '0.0000000000', locked: '0.0000000000' });
    const at = Date.parse(START) * 1_000;
    const reply = await adrian.ask('/allocations', {
      body: {
        settlement: {
          executor: party_id,
          settlement_ref: { id: 'r' },
          requested_at: at,
          allocate_before: at + 1,
          settle_before: at + 1,
        },
        transfer_leg_id: 'leg',
        transfer_leg: { receiver: party_id, amount: '1' },
      },
    });
    const text = expect.stringContaining('At least one input holding must be provided');
    expect([reply.status, reply.json]).toEqual([400, { error: text }]);
    await adrian.tap('1');
    expect((await adrian.balance()).free).toBe('1.0000000000');
    expect((await ledgerUserWallet(network).balance()).free).toBe('0.0000000000');
  });

  test('an administrator gives one, with a new party or a hosted one, once', async () => {
    const name = 'auth0|somebody';
    const made = await admin(USER_ADMIN, '/admin/users', { name });
    const { party_id } = made.json as Body;
    expect([made.status, party_id]).toEqual([
      200,
      expect.stringMatching(/^auth0_somebody-[0-9a-f]{8}::1220/),
    ]);
    for (const body of [{ name }, { name, party_id }, { name, party_id: null }]) {
      expect((await admin(USER_ADMIN, '/admin/users', body)).json).toEqual({ party_id });
    }
    const other = { name, party_id: network.localnet.parties.appUser };
    expect((await admin(USER_ADMIN, '/admin/users', other)).status).toBe(409);
    const second = { name: 'second', party_id };
    expect((await admin(USER_ADMIN, '/admin/users', second)).json).toEqual({ party_id });
    const { usernames } = (await admin(USER_ADMIN, '/admin/users')).json as Body;
    expect(usernames).toEqual(expect.arrayContaining([name, 'second', USER_PERSON.userId]));
  });

  test('a user without a party gets it, and keeps its other rights', async () => {
    await network.as(USER_ADMIN).userAdmin.createUser({
      user: {
        id: 'plain',
        primaryParty: '',
        isDeactivated: false,
        metadata: undefined,
        identityProviderId: '',
      },
      rights: [],
    });
    const { json } = await admin(USER_ADMIN, '/admin/users', { name: 'plain' });
    const { user } = await network.as(USER_ADMIN).userAdmin.getUser({ userId: 'plain' });
    expect(json).toEqual({ party_id: user!.primaryParty });
    const { rights } = await network.as(USER_ADMIN).userAdmin.listUserRights({ userId: 'plain' });
    expect(rights).toEqual([{ kind: { $case: 'canActAs', value: { party: user!.primaryParty } } }]);
  });

  test.each<[string, unknown, number]>([
    ['no name', {}, 400],
    ['an empty name', { name: '' }, 400],
    ['a name that is none', { name: 'a b' }, 400],
    ['a name too long', { name: 'x'.repeat(200) }, 400],
    ['a number', { name: 1 }, 400],
    ['a party that nobody hosts', { name: 'third', party_id: 'nobody::1220' }, 404],
    ['a party of another participant', { name: 'third', party_id: 'DSO' }, 404],
    ['no party', { name: 'third', party_id: '' }, 400],
  ])('%s is refused, and makes nothing', async (_what, body, status) => {
    const before = await network.as(USER_ADMIN).partyAdmin.listKnownParties({});
    const reply = await admin(USER_ADMIN, '/admin/users', body);
    expect([reply.status, reply.json]).toEqual([status, { error: expect.any(String) }]);
    const after = await network.as(USER_ADMIN).partyAdmin.listKnownParties({});
    expect(after.partyDetails.length).toBe(before.partyDetails.length);
  });

  test('only administrators, of the same participant', async () => {
    expect((await admin(USER_PERSON, '/admin/users', { name: 'x' })).status).toBe(403);
    expect((await admin(USER_PERSON, '/admin/users')).status).toBe(403);
    const { validator } = network.localnet.urls.participants['app-user'];
    const url = `${validator}/api/validator/v0/admin/users`;
    expect((await http(network, url, { as: PROVIDER_ADMIN, body: { name: 'x' } })).status).toBe(
      401,
    );
  });

  test('what a wallet page asks first', async () => {
    const { json } = await admin(USER_PERSON, '/feature-support');
    expect(json).toEqual({ token_standard: true, transfer_preapproval_description: true });
  });
});
