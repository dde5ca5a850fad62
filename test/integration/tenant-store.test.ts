import { describe, expect, test } from 'vitest';
import type { Tenants } from '../../src/app/ports/tenants.ts';
import { withConfiguredTenants } from '../../src/app/callers/tenants.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { registrationIdOf } from '../../src/domain/tenant.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { PROVIDER, USER, io } from '../kit/store-rows.ts';
import { forFile } from '../kit/for-file.ts';

const under = await forFile(postgresStore());
const pool = under.pool;

const PROVIDER_TENANT: Tenant = {
  tenantId: 'AppProvider',
  party: PROVIDER,
  walletUrl: null,
  clientId: 'login',
  issuerUrl: 'http://issuer.example/provider',
  internal: true,
  users: ['app-provider'],
};

const tenant = (over: Partial<Tenant> & Pick<Tenant, 'tenantId'>): Tenant => ({
  party: USER,
  walletUrl: 'http://wallet.example',
  clientId: `client-of-${over.tenantId}`,
  issuerUrl: 'http://issuer.example/users',
  internal: false,
  users: [],
  ...over,
});

const byName = (tenantId: string, users: readonly string[]): Tenant =>
  tenant({ tenantId, clientId: null, issuerUrl: null, users });

/** Returns the tenants as one process sees them. The processes use the same database. */
const tenants = (): Tenants =>
  withConfiguredTenants(createTenants(pool, stopActsOf), [PROVIDER_TENANT]);

describe('a registration', () => {
  test('is what it was given, in every process, until it is removed', async () => {
    const given = byName('given', ['zoe', 'adam', 'Zoe']);
    expect(await tenants().add(given, io())).toBe('added');
    expect(await tenants().byId('given', io())).toEqual(given);
    expect(await tenants().remove('given', io())).toBe('removed');
    expect(await tenants().byId('given', io())).toBeNull();
    expect(await tenants().remove('given', io())).toBe('unknown');
    expect(await tenants().add(given, io()), 'its names are free again').toBe('added');
  });

  test('stands in the order of ids behind those of the configuration', async () => {
    for (const tenantId of ['order-b', 'order-a', 'Order-c']) {
      await tenants().add(tenant({ tenantId }), io());
    }
    const listed = (await tenants().list(io())).map(({ tenantId }) => tenantId);
    expect(listed.filter((id) => /^(order|app)/iu.test(id))).toEqual([
      'AppProvider',
      'Order-c',
      'order-a',
      'order-b',
    ]);
  });

  test('is one of as many as ask at once', async () => {
    const asked = Array.from({ length: 8 }, () =>
      tenants().add(tenant({ tenantId: 'raced' }), io()),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer === 'added')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'tenant-known')).toHaveLength(7);
  });

  test('takes no pair of client and issuer, and no registration id, that another has', async () => {
    const one = tenant({ tenantId: 'one', clientId: 'of-one' });
    expect(await tenants().add(one, io())).toBe('added');
    expect(await tenants().add({ ...one, tenantId: 'two' }, io())).toBe('pair-known');
    const alike = tenant({ tenantId: 'one-of', clientId: 'one', issuerUrl: 'http://else.example' });
    expect(registrationIdOf(alike)).toBe(registrationIdOf(one));
    expect(await tenants().add(alike, io())).toBe('registration-known');
  });

  test('stores nothing when one of its names is another tenant’s', async () => {
    expect(await tenants().add(byName('first', ['anna', 'bert']), io())).toBe('added');
    expect(await tenants().add(byName('second', ['carl', 'bert', 'anna']), io())).toEqual({
      userKnown: 'bert',
    });
    expect(await tenants().byId('second', io())).toBeNull();
    expect(await tenants().add(byName('third', ['carl']), io())).toBe('added');
    expect(await tenants().add(byName('fourth', ['app-provider']), io())).toEqual({
      userKnown: 'app-provider',
    });
  });
});

describe('the provider’s own tenant', () => {
  test('is always there and cannot be added again or removed', async () => {
    expect(await tenants().byId('AppProvider', io())).toEqual(PROVIDER_TENANT);
    expect(await tenants().remove('AppProvider', io())).toBe('internal');
    expect(await tenants().add(tenant({ tenantId: 'AppProvider' }), io())).toBe('tenant-known');
    const { clientId, issuerUrl } = PROVIDER_TENANT;
    const copy = tenant({ tenantId: 'copy', clientId, issuerUrl });
    expect(await tenants().add(copy, io())).toBe('pair-known');
  });

  test('names its login after itself alone', () => {
    expect(registrationIdOf(PROVIDER_TENANT)).toBe('AppProvider');
    expect(registrationIdOf(tenant({ tenantId: 'AppUser', clientId: 'x' }))).toBe('AppUser-x');
  });
});
