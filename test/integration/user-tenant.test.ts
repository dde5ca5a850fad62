import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { loadConfig } from '../../src/main/config.ts';
import { registerUserTenant } from '../../src/main/tenants.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';
import { forFile } from '../kit/for-file.ts';

/* Tenant AppUser, as each start finds it or makes it. */

const PARTIES = {
  providerParty: trusted<Party>('provider::1220aa'),
  userParty: trusted<Party>('user::1220bb'),
};
const COMPLETE = {
  DATABASE_URL: 'postgresql://localhost/any',
  LEDGER_HOST: 'localhost',
  REGISTRY_BASE_URI: 'http://localhost:5012',
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 'secret',
  APP_PROVIDER_BACKEND_USER_TOKEN: 'token',
};

const under = await forFile(postgresStore());

async function started(mode: string) {
  const tenants = createTenants(under.pool, stopActsOf);
  const config = loadConfig({ ...COMPLETE, AUTH_MODE: mode });
  await registerUserTenant(config, PARTIES, tenants, pino({ level: 'silent' }), io());
  return tenants.byId('AppUser', io());
}

test('is registered anew when people sign in otherwise than before, and otherwise left alone', async () => {
  const issuerUrl = 'http://keycloak.localhost:8082/realms/AppUser';
  expect(await started('oauth2')).toMatchObject({ issuerUrl, users: [] });
  await under.pool.query(`update tenant set wallet_url = 'http://elsewhere'`);
  expect(await started('oauth2')).toMatchObject({ walletUrl: 'http://elsewhere' });
  expect(await started('shared-secret')).toMatchObject({
    issuerUrl: null,
    clientId: null,
    users: ['app-user'],
    walletUrl: 'http://wallet.localhost:2000',
  });
  expect(await started('oauth2')).toMatchObject({ issuerUrl, users: [] });
});
