import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { localnetAddresses, localnetEnvironment } from '../../embedded/localnet.ts';
import type { LocalnetReady } from '../../embedded/localnet.ts';
import type { AuthMode } from '../../localnet/auth/participant-trust.ts';
import type { Localnet } from '../../localnet/localnet.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { PlainBrowser } from './kit/browser.ts';
import { ledgerEnd } from './kit/commands.ts';
import { http } from './kit/http.ts';
import { PROVIDER_BACKEND, USER_PERSON } from './kit/identities.ts';
import type { Identity } from './kit/identities.ts';
import { redeemForm, signIn } from './kit/login.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { selfSignedToken } from './kit/tokens.ts';

/*
 * A network whose participants refuse tokens without an expiry or without a scope. The network's own clients must get
 * tokens that these participants accept.
 */

/** A scope that the authorization server serves only because it is configured. */
const SCOPE = 'shop_ledger';
const ACCEPTED = { json: 200, grpc: 'OK' };
const REFUSED = { json: 401, grpc: 'UNAUTHENTICATED' };

type Side = 'app-user' | 'app-provider';
type Strict = Network<Localnet>;

/** Opens a strict network. Returns it with the values that LocalNet's process prints when it is ready. */
async function openStrict(auth: AuthMode): Promise<readonly [Strict, LocalnetReady]> {
  const network = await openNetwork({ auth, strictScope: SCOPE });
  const { ports, parties, strictScope } = network.localnet;
  const line = JSON.stringify({ ports, parties, strictScope });
  return [network, JSON.parse(line) as LocalnetReady];
}

/** Returns how the JSON API and the Ledger API answer a token. */
async function answersTo(network: Strict, side: Side, token = '') {
  const { json } = network.localnet.urls.participants[side];
  const { status } = await http(network, `${json}/v2/state/ledger-end`, { as: `Bearer ${token}` });
  const call = ledgerEnd(network.bearing(side, () => token));
  const grpc = await call.then(
    () => 'OK',
    async () => (await refusalOf(call)).status,
  );
  return { json: status, grpc };
}

/** Requests a token from the authorization server. */
async function granted({ localnet }: Strict, realm: Identity['realm'], form: object) {
  const answer = await fetch(localnet.urls.tokenEndpoints[realm], {
    method: 'POST',
    body: new URLSearchParams({ ...form }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  return token;
}

interface PageConfig {
  readonly client_id: string;
  readonly scope: string;
}

const pageConfig = async (network: Strict): Promise<PageConfig> =>
  (await http(network, `${network.localnet.urls.wallet}/wallet/config.json`)).json as PageConfig;

const browserStore = new Map<string, string>();
beforeEach(() => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => browserStore.get(key) ?? null,
    setItem: (key: string, value: string) => browserStore.set(key, value),
  });
  vi.stubGlobal('location', { reload: () => undefined });
});
afterEach(() => {
  browserStore.clear();
  vi.unstubAllGlobals();
});

test('clients of a realm get tokens that strict participants accept', async () => {
  const [network, ready] = await openStrict('oauth2');
  await using _ = network;
  const settings = await localnetEnvironment(ready);
  expect(settings['LEDGER_API_AUTH_SCOPE']).toBe(SCOPE);
  const backend = await granted(network, 'AppProvider', {
    ...PROVIDER_BACKEND.grant,
    scope: SCOPE,
  });
  expect(await answersTo(network, 'app-provider', backend)).toEqual(ACCEPTED);

  const addresses = localnetAddresses(ready);
  for (const [side, who] of [
    ['app-user', 'user'],
    ['app-provider', 'provider'],
  ] as const) {
    const token = await fetchToken(addresses, who);
    expect([who, await answersTo(network, side, token)]).toEqual([who, ACCEPTED]);
  }

  const { client_id: client, scope } = await pageConfig(network);
  const redirectUri = `http://wallet.localhost:${network.localnet.ports.wallet}/`;
  const login = { realm: 'AppUser', client, redirectUri, parameters: { scope } };
  const back = await signIn(new PlainBrowser(), network.localnet.urls.auth, login, 'app-user');
  const person = await granted(network, 'AppUser', redeemForm(login, back.get('code')));
  expect(await answersTo(network, 'app-user', person)).toEqual(ACCEPTED);

  const signed = await network.localnet.signToken('app-user', USER_PERSON.userId, 60);
  expect(await answersTo(network, 'app-user', signed)).toEqual(ACCEPTED);
});

test('programs with the shared secret sign tokens that strict participants accept', async () => {
  const [network, ready] = await openStrict('shared-secret');
  await using _ = network;
  const settings = await localnetEnvironment(ready);
  for (const [side, name] of [
    ['app-provider', 'APP_PROVIDER_BACKEND_USER_TOKEN'],
    ['app-user', 'APP_USER_BACKEND_USER_TOKEN'],
  ] as const) {
    expect([name, await answersTo(network, side, settings[name])]).toEqual([name, ACCEPTED]);
  }
  const token = await fetchToken(localnetAddresses(ready, 'shared-secret'), 'user');
  expect(await answersTo(network, 'app-user', token)).toEqual(ACCEPTED);

  const page = new URL('../../localnet/wallet-page/name-sign-in.js', import.meta.url).href;
  const { NameSignIn } = (await import(page)) as {
    NameSignIn: new (config: PageConfig) => {
      begin(name: string): Promise<void>;
      token(): Promise<string>;
    };
  };
  const session = new NameSignIn(await pageConfig(network));
  await session.begin('app-user');
  expect(await answersTo(network, 'app-user', await session.token())).toEqual(ACCEPTED);
});

test('tokens without an expiry or without the scope are refused over HTTP and gRPC', async () => {
  const [network] = await openStrict('shared-secret');
  await using _ = network;
  const userId = 'app-user';
  for (const [what, options, answers] of [
    ['neither', {}, REFUSED],
    ['no scope', { expiresInS: 60 }, REFUSED],
    ['another scope', { expiresInS: 60, scope: 'openid daml_ledger_api' }, REFUSED],
    ['no expiry', { scope: SCOPE }, REFUSED],
    ['both', { expiresInS: 60, scope: `openid ${SCOPE}` }, ACCEPTED],
  ] as const) {
    const token = await selfSignedToken({ userId, ...options });
    expect([what, await answersTo(network, 'app-user', token)]).toEqual([what, answers]);
  }

  const [realms] = await openStrict('oauth2');
  await using __ = realms;
  const { grant } = PROVIDER_BACKEND;
  const unscoped = await granted(realms, 'AppProvider', { ...grant, scope: 'openid' });
  expect(await answersTo(realms, 'app-provider', unscoped)).toEqual(REFUSED);
});
