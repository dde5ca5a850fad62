import { describe, expect, test } from 'vitest';
import type { Tenants } from '../../../src/app/ports/tenants.ts';
import { createTrustedTenants } from '../../../src/app/callers/trusted-tenants.ts';
import { SignInRefusedError } from '../../../src/app/callers/sign-in.ts';
import { trustPartyClaim } from '../../../src/auth/bearer.ts';
import type { SignInOptions } from '../../../src/auth/sign-in.ts';
import { createSignIn } from '../../../src/auth/sign-in.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { AUTH_LIMITS } from '../../../src/auth/limits.ts';
import type { Tenant } from '../../../src/domain/tenant.ts';
import { TEST_GRANTS } from '../../kit/tenant-trust.ts';

const PROVIDER = trusted<Party>('provider::1220aa');
const USER = trusted<Party>('user::1220bb');

const tenant = (tenantId: string, party: Party, internal: boolean): Tenant => ({
  tenantId,
  party,
  walletUrl: null,
  clientId: 'login',
  issuerUrl: `http://issuer.example/${tenantId}`,
  internal,
  users: [],
});
const ALL = [tenant('AppProvider', PROVIDER, true), tenant('AppUser', USER, false)] as const;

const TENANTS: SignInOptions['tenants'] = { find: async (wanted) => ALL.filter(wanted) };

/** Returns a sign-in for which the authorization server gives this answer after the browser has returned. */
const signInOf = (
  claims: object,
  {
    idToken = 'id',
    testMode = false,
    grants = TEST_GRANTS,
    refusesSubject = (_subject: string): boolean => false,
    tenants = TENANTS,
  } = {},
) =>
  createSignIn({
    mode: 'oauth2',
    tenants,
    provider: ALL[0],
    grants,
    refusesSubject,
    rolesClaim: 'roles',
    clients: {
      begin: () => Promise.reject(new Error('not begun here')),
      finish: async (client) => ({
        claims: { iss: client.issuer, sub: 'me', aud: 'login', iat: 0, exp: 0, ...claims },
        idToken,
        refreshToken: idToken,
      }),
      refresh: () => Promise.reject(new Error('not renewed here')),
      endUrl: async () => null,
      end: async () => {},
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(testMode ? { [trustPartyClaim]: true } : {}),
  });
const signedIn = (...login: Parameters<typeof signInOf>) => {
  const signIn = signInOf(...login);
  return (registrationId: string) =>
    signIn.finish({ registrationId, redirectUri: '', state: '', nonce: '', codeVerifier: '' }, '');
};

describe('a login', () => {
  test('takes the party from the tenant, and from the token only in test mode', async () => {
    const claims = { party_id: 'other::1220cc' };
    expect((await signedIn(claims)('AppUser-login')).party).toBe(USER);
    expect((await signedIn(claims, { testMode: true })('AppUser-login')).party).toBe(
      'other::1220cc',
    );
    expect((await signedIn({}, { testMode: true })('AppUser-login')).party).toBe(USER);
    const nobody = signedIn({ party_id: 'nobody' }, { testMode: true });
    await expect(nobody('AppUser-login')).rejects.toThrow(SignInRefusedError);
  });

  test('makes a provider only of whoever stands for the provider’s party', async () => {
    const rolesOf = async (registrationId: string, claims: object, testMode: boolean) => [
      ...(await signedIn(claims, { testMode })(registrationId)).roles,
    ];
    expect(await rolesOf('AppProvider', { roles: ['operator'] }, false)).toEqual([
      'provider',
      'operator',
    ]);
    expect(await rolesOf('AppProvider', { party_id: USER, roles: ['operator'] }, true)).toEqual([
      'user',
    ]);
    expect(await rolesOf('AppUser-login', { party_id: PROVIDER }, true)).toEqual(['user']);
  });

  test('at the provider needs a client or a role that grants something', async () => {
    const grants = { ...TEST_GRANTS, isStrict: true };
    const refused = signedIn({ roles: ['cook'] }, { grants })('AppProvider');
    await expect(refused).rejects.toThrow('the person has no permission');
    const operator = await signedIn({ roles: ['operator'] }, { grants })('AppProvider');
    expect(operator.permissions).toEqual(new Set(['operate']));
    const user = await signedIn({}, { grants })('AppUser-login');
    expect(user.permissions).toEqual(new Set(['read', 'write']));
  });

  test('is refused to demo users where the deployment refuses them', async () => {
    const refusesSubject = (subject: string) => subject === 'me';
    const refused = signedIn({}, { refusesSubject })('AppUser-login');
    await expect(refused).rejects.toThrow('the person is a published demo user');
    expect((await signedIn({ sub: 'you' }, { refusesSubject })('AppUser-login')).subject).toBe(
      'you',
    );
  });

  test('is refused to a person whose subject has the form of a pseudonym', async () => {
    const sub = 'person:00000000-0000-4000-8000-000000000000';
    const refused = signedIn({ sub })('AppUser-login');
    await expect(refused).rejects.toThrow('claim sub is not a name');
  });

  test('and the list of logins read the tenants in memory', async () => {
    let reads = 0;
    const list = async () => {
      reads += 1;
      return ALL;
    };
    const tenants = createTrustedTenants({
      tenants: { list } as unknown as Tenants,
      nowMs: () => 0,
    });
    const signIn = signInOf({}, { tenants });
    expect(await signIn.links()).toHaveLength(2);
    for (const name of ['nobody', 'nobody-else']) expect(await signIn.begin(name, '')).toBeNull();
    expect(reads).toBe(1);
  });

  test('calls people by what can be shown', async () => {
    const nameOf = async (claims: object) => (await signedIn(claims)('AppProvider')).name;
    expect(await nameOf({ name: 'A Person', preferred_username: 'a' })).toBe('A Person');
    expect(await nameOf({ name: 'a\u202eb\0', preferred_username: 'a' })).toBe('a');
    expect(await nameOf({ name: 7, preferred_username: 'x'.repeat(300) })).toBe('me');
  });

  test('goes without tokens that are too long to keep', async () => {
    const idToken = 'x'.repeat(AUTH_LIMITS.keptTokenCharsMax + 1);
    expect((await signedIn({}, { idToken })('AppProvider')).login).toEqual({
      registrationId: 'AppProvider',
      idToken: null,
      refreshToken: null,
    });
  });
});
