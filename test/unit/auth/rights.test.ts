import { describe, expect, test } from 'vitest';
import { LOCALNET_CLIENTS } from '../../../embedded/localnet.ts';
import { REALMS } from '../../../localnet/auth/realms.ts';
import { namesAt } from '../../../src/auth/claims.ts';
import type { Proof } from '../../../src/domain/caller.ts';
import { may, rightsOf } from '../../../src/domain/caller.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Tenant } from '../../../src/domain/tenant.ts';
import { ConfigError, loadConfig, readEnvironment } from '../../../src/main/config.ts';
import { grantsOf } from '../../../src/main/grants.ts';

const PROVIDER = trusted<Party>('provider::1220aa');
const USER = trusted<Party>('user::1220bb');
const tenant = (tenantId: string, party: Party, issuerUrl: string): Tenant => ({
  tenantId,
  party,
  walletUrl: null,
  clientId: 'login',
  issuerUrl,
  internal: false,
  users: [],
});
const OURS = tenant('AppProvider', PROVIDER, 'https://ours.example');
const THEIRS = tenant('Acme', USER, 'https://acme.example');

const ALL = ['read', 'write', 'policy', 'admin'];

function rightsUnder(settings: Readonly<Record<string, string>>, proof: Partial<Proof> = {}) {
  const all = { tenant: OURS, party: OURS.party, client: 'desk', claimedRoles: [], ...proof };
  const { roles, permissions } = rightsOf(all, OURS, grantsOf(readEnvironment(settings)));
  return [[...roles].join(' '), [...permissions].join(' ')];
}

describe('at the provider’s authorization server', () => {
  const production = { TENURE_ENVIRONMENT: 'production' };
  const listed = { AUTH_APP_PROVIDER_CLIENTS: 'desk, reports=read,ops=read+operate' };
  const asOperator = { claimedRoles: ['cook', 'operator'] };

  test.each<[string, Parameters<typeof rightsUnder>, readonly [string, string]]>([
    ['any client acts while none is listed', [{}], ['provider', ALL.join(' ')]],
    ['no client acts in production while none is listed', [production], ['provider', '']],
    ['a listed client acts', [{ ...production, ...listed }], ['provider', ALL.join(' ')]],
    ['a client that is not listed does not', [listed, { client: 'other' }], ['provider', '']],
    ['a token without a client does not', [listed, { client: undefined }], ['provider', '']],
    ['a client may only read', [listed, { client: 'reports' }], ['provider', 'read']],
    ['a client operates', [listed, { client: 'ops' }], ['provider operator', 'read operate']],
    [
      'a role adds to the client',
      [listed, asOperator],
      ['provider operator', `${ALL.join(' ')} operate`],
    ],
    [
      'a role is enough without the client',
      [{ ...production, AUTH_ROLE_PERMISSIONS: 'cook=read+policy' }, asOperator],
      ['provider', 'read policy'],
    ],
  ])('%s', (_what, args, rights) => {
    expect(rightsUnder(...args)).toEqual(rights);
  });

  test('a guest is a user, whatever its roles', () => {
    expect(rightsUnder(listed, { ...asOperator, party: USER })).toEqual(['user', 'read write']);
  });
});

describe('at the authorization server of a tenant', () => {
  test('clients and roles grant nothing but the desk of the tenant', () => {
    const settings = {
      AUTH_APP_PROVIDER_CLIENTS: 'desk',
      AUTH_ROLE_PERMISSIONS: 'operator=operate+admin+policy',
    };
    const own = { tenant: THEIRS, party: USER };
    expect(rightsUnder(settings, own)).toEqual(['user', 'read write']);
    const operator = rightsUnder(settings, { ...own, claimedRoles: ['operator'] });
    expect(operator).toEqual(['user operator', 'read write operate']);
  });

  test('the provider’s party has no permission', () => {
    const impostor = tenant('Impostor', PROVIDER, 'https://acme.example');
    const claims = { tenant: impostor, party: PROVIDER, claimedRoles: ['operator'] };
    expect(rightsUnder({}, claims)).toEqual(['user', '']);
  });
});

test('a session of an earlier version has the permissions of its roles', () => {
  const rights = { roles: new Set(['provider', 'operator'] as const) };
  expect(may(rights, 'admin') && may(rights, 'operate')).toBe(true);
  expect(may({ roles: new Set(['user'] as const) }, 'policy')).toBe(false);
  expect(may({ ...rights, permissions: new Set() }, 'read')).toBe(false);
});

test.each<[Readonly<Record<string, unknown>>, string, readonly string[]]>([
  [{ roles: ['a', 7, 'b'] }, 'roles', ['a', 'b']],
  [{ scope: 'openid  a b' }, 'scope', ['openid', 'a', 'b']],
  [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
  [{ resource_access: { 'x.y': { roles: ['a'] } } }, 'resource_access.x.y.roles', ['a']],
  [{ 'https://example.org/roles': ['a'] }, 'https://example.org/roles', ['a']],
  [{ roles: { a: true } }, 'roles', []],
  [{ realm_access: 'roles' }, 'realm_access.roles', []],
  [{}, '__proto__', []],
  [{}, 'constructor.name', []],
])('%j has at %s the names %j', (claims, path, names) => {
  expect(namesAt(claims, path)).toEqual(names);
});

test('LocalNet lists every client of the provider’s realm, and its reader only reads', () => {
  const { clients } = grantsOf(readEnvironment({ AUTH_APP_PROVIDER_CLIENTS: LOCALNET_CLIENTS }));
  const realm = REALMS.find(({ name }) => name === 'AppProvider')?.clients ?? [];
  expect(new Set(clients.keys())).toEqual(new Set(realm.map(({ clientId }) => clientId)));
  const readers = [...clients].filter(([, permissions]) => permissions.size === 1);
  expect(readers).toEqual([['app-provider-pqs', new Set(['read'])]]);
});

test('a list that cannot be read is a mistake of the configuration', () => {
  expect.assertions(1);
  try {
    loadConfig({ AUTH_APP_PROVIDER_CLIENTS: 'a=read+all', AUTH_ROLE_PERMISSIONS: 'x,,y' });
  } catch (error) {
    expect(error instanceof ConfigError ? error.mistakes : error).toEqual(
      expect.arrayContaining([
        'AUTH_APP_PROVIDER_CLIENTS: a=read+all is no name with some of read+write+policy+operate+admin',
        'AUTH_ROLE_PERMISSIONS:  is no name with some of read+write+policy+operate+admin',
      ]),
    );
  }
});
