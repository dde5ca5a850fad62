import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { runTenure } from '../../embedded/run.ts';
import type { RunningTenure } from '../../embedded/run.ts';
import { forFile } from '../kit/for-file.ts';
import { callApi } from './kit/call-api.ts';
import { serversOfRun } from './kit/parts.ts';

/*
 * Tenants of a whole Tenure on LocalNet. They are registered in the same way as by the reference's onboarding, and
 * checked again after a restart.
 */

const servers = await forFile(serversOfRun());
let dataDir: string;
let tenure: RunningTenure;
const start = () =>
  runTenure({
    environment: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TENURE_LOG_LEVEL: 'error',
      ...servers.environment,
      BACKEND_PORT: '0',
      TENURE_DATA_DIR: dataDir,
    },
    ports: 'free',
    signal: AbortSignal.timeout(120_000),
  });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-e2e-'));
  tenure = await start();
});
afterAll(async () => {
  await tenure.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const REALM = 'http://keycloak.localhost:8082/realms/AppUser';

const localnet = () => {
  if (tenure.state.localnet === null) throw new Error('no LocalNet');
  return tenure.state.localnet;
};

/** Returns the token with which the reference's onboarding registers tenants. */
async function validatorToken(): Promise<string> {
  const answer = await fetch(localnet().providerTokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'app-provider-validator',
      client_secret: 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
      scope: 'openid',
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function call(token: string, method: string, path: string, body?: object) {
  const answer = await callApi(`${tenure.state.apiUrl}${path}`, { method, body, token });
  return { status: answer.status, body: answer.body as unknown };
}

const TENANTS = '/api/admin/tenant-registrations';

/** Removes a tenant, with the confirmation from the preview. */
async function remove(token: string, tenantId: string) {
  const path = `${TENANTS}/${tenantId}`;
  const { body } = await call(token, 'POST', `${path}/preview-delete`);
  const seen = body as { readonly token: string; readonly count: number };
  return call(token, 'DELETE', `${path}?token=${seen.token}&count=${seen.count}&reason=gone`);
}

/** Returns the registration that the reference's onboarding sends. */
const onboarding = () => ({
  tenantId: 'AppUser',
  partyId: localnet().userParty,
  walletUrl: 'http://wallet.localhost:2000',
  clientId: 'app-provider-backend-oidc',
  issuerUrl: REALM,
  internal: false,
});
const listed = (over: object = {}) => ({ ...onboarding(), users: [], ...over });

test('LocalNet’s user is registered at start; without its registration its tokens are worth nothing', async () => {
  const [provider, user] = await Promise.all([validatorToken(), fetchToken(localnet(), 'user')]);
  expect(await call(provider, 'GET', TENANTS)).toEqual({
    status: 200,
    body: [
      {
        tenantId: 'AppProvider',
        partyId: tenure.state.providerParty,
        walletUrl: null,
        clientId: 'app-provider-backend-oidc',
        issuerUrl: 'http://keycloak.localhost:8082/realms/AppProvider',
        internal: true,
        users: [],
        hosted: true,
      },
      listed({
        hosted: true,
        walletUrl: expect.stringMatching(/^http:\/\/wallet\.localhost:\d+$/u),
      }),
    ],
  });
  expect((await call(user, 'GET', '/licenses')).status).toBe(200);
  expect((await call(user, 'GET', TENANTS)).status).toBe(403);
  expect((await remove(provider, 'AppUser')).status).toBe(204);
  expect((await call(user, 'GET', '/licenses')).status).toBe(401);
  const created = await call(provider, 'POST', TENANTS, onboarding());
  expect(created).toEqual({ status: 201, body: listed({ internal: null }) });
  expect((await call(user, 'GET', '/licenses')).status).toBe(200);
});

test('a party that the ledger does not know sees nothing, and nothing is sent for it', async () => {
  const [provider, user] = await Promise.all([validatorToken(), fetchToken(localnet(), 'user')]);
  const request = (party: string) => call(user, 'POST', `/app-install-requests?commandId=${party}`);
  expect((await request('party-known')).status).toBe(201);
  expect((await remove(provider, 'AppUser')).status).toBe(204);
  const unknown = { ...onboarding(), partyId: 'party-123456' };
  expect((await call(provider, 'POST', TENANTS, unknown)).status).toBe(201);
  expect(await call(user, 'GET', '/user')).toMatchObject({
    status: 200,
    body: { party: 'party-123456', roles: ['AppUser', 'party-123456'], isAdmin: false },
  });
  expect(await call(user, 'GET', '/app-install-requests')).toEqual({ status: 200, body: [] });
  expect(await request('party-unknown')).toMatchObject({
    status: 422,
    body: {
      code: 'PARTY_NOT_HOSTED',
      message: 'no configured participant can act as party-123456',
    },
  });
  expect((await call(provider, 'GET', '/app-install-requests')).body).toHaveLength(1);
  expect((await remove(provider, 'AppUser')).status).toBe(204);
  expect((await call(provider, 'POST', TENANTS, onboarding())).status).toBe(201);
  expect((await call(user, 'GET', '/app-install-requests')).body).toHaveLength(1);
});

test('a restart forgets no tenant, and changes none', async () => {
  const other = { ...onboarding(), tenantId: 'Other', clientId: 'app-user-unsafe' };
  expect((await call(await validatorToken(), 'POST', TENANTS, other)).status).toBe(201);
  const before = await call(await validatorToken(), 'GET', TENANTS);
  await tenure.stop();
  tenure = await start();
  expect(await call(await validatorToken(), 'GET', TENANTS)).toEqual(before);
  expect((await call(await fetchToken(localnet(), 'user'), 'GET', '/licenses')).status).toBe(200);
});
