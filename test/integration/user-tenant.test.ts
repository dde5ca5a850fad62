import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { loadConfig } from '../../src/main/config.ts';
import { registerUserTenant } from '../../src/main/tenants.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';
import { forFile } from '../kit/for-file.ts';

/* The tenant AppUser, which each start finds or creates. */

const PARTIES = {
  providerParty: trusted<Party>('provider::1220aa'),
  userParty: trusted<Party>('user::1220bb'),
};
const OPERATOR: Caller = {
  subject: 'olga',
  party: PARTIES.providerParty,
  roles: new Set(),
  via: 'bearer',
  tenantId: 'AppProvider',
  name: 'Olga',
};
const COMPLETE = {
  DATABASE_URL: 'postgresql://localhost/any',
  LEDGER_HOST: 'localhost',
  REGISTRY_BASE_URI: 'http://localhost:5012',
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 'secret',
  APP_PROVIDER_BACKEND_USER_TOKEN: 'token',
};

const under = await forFile(postgresStore());

const tenants = createTenants(under.pool, stopActsOf);

async function started(mode: string, settings: Readonly<Record<string, string>> = {}) {
  const config = loadConfig({ ...COMPLETE, AUTH_MODE: mode, ...settings });
  const store = { tenants, pool: under.pool };
  await registerUserTenant(config, PARTIES, store, pino({ level: 'silent' }), io());
  return tenants.byId('AppUser', io());
}

test('is registered anew when people sign in otherwise than before', async () => {
  const issuerUrl = 'http://keycloak.localhost:8082/realms/AppUser';
  expect(await started('oauth2')).toMatchObject({ issuerUrl, users: [] });
  expect(await started('shared-secret')).toMatchObject({
    issuerUrl: null,
    clientId: null,
    users: ['app-user'],
    walletUrl: 'http://wallet.localhost:2000',
  });
  expect(await started('oauth2')).toMatchObject({ issuerUrl, users: [] });
});

test('has the addresses of each start, unless a person has registered it', async () => {
  const moved = { APP_USER_WALLET_URL: 'http://wallet.localhost:38265' };
  await started('oauth2');
  expect(await started('oauth2', moved)).toMatchObject({
    walletUrl: moved.APP_USER_WALLET_URL,
    party: PARTIES.userParty,
  });
  const theirs = { ...(await tenants.byId('AppUser', io()))!, walletUrl: 'http://elsewhere' };
  await tenants.remove('AppUser', io(), { by: OPERATOR, reason: 'it moves' });
  await tenants.add(theirs, io(), OPERATOR);
  expect(await started('oauth2', moved)).toMatchObject({ walletUrl: 'http://elsewhere' });
  await tenants.remove('AppUser', io(), { by: OPERATOR, reason: 'it is the demo again' });
  await started('oauth2');
  expect(await started('oauth2', moved)).toMatchObject({ walletUrl: moved.APP_USER_WALLET_URL });
});
