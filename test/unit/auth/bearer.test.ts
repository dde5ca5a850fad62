import { SignJWT, UnsecuredJWT, base64url } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBearerAuthentication, trustPartyClaim } from '../../../src/auth/bearer.ts';
import type { Authenticate, BearerOptions } from '../../../src/auth/bearer.ts';
import type { OutgoingFetch } from '../../../src/auth/outgoing-fetch.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Tenant } from '../../../src/domain/tenant.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import type { TestIssuer } from '../../kit/issuer.ts';
import { TEST_AUDIENCE, makeKey, startIssuer } from '../../kit/issuer.ts';
import { TEST_GRANTS } from '../../kit/tenant-trust.ts';

const PROVIDER = trusted<Party>('provider::1220aa');
const USER = trusted<Party>('user::1220bb');

const [RSA, CURVE] = await Promise.all([makeKey('RS256', 'rsa-1'), makeKey('ES256', 'curve-1')]);

let provider: TestIssuer;
let user: TestIssuer;
let nowMs = Date.now();
const LEEWAY_MS = 10_000;

beforeEach(async () => {
  nowMs = Date.now();
  [provider, user] = await Promise.all([
    startIssuer('AppProvider', RSA, () => nowMs),
    startIssuer('AppUser', CURVE, () => nowMs),
  ]);
});
afterEach(async () => {
  await Promise.all([provider[Symbol.asyncDispose](), user[Symbol.asyncDispose]()]);
});

const tenant = (tenantId: string, party: Party, over: Partial<Tenant>): Tenant => ({
  tenantId,
  party,
  walletUrl: null,
  clientId: 'login',
  issuerUrl: null,
  internal: false,
  users: [],
  ...over,
});
const providerTenant = (): Tenant =>
  tenant('AppProvider', PROVIDER, { issuerUrl: provider.issuer, internal: true });
const userTenant = (): Tenant => tenant('AppUser', USER, { issuerUrl: user.issuer });

const authentication = (
  more: Partial<BearerOptions> = {},
  tenants: readonly Tenant[] = [providerTenant(), userTenant()],
): Authenticate => {
  const impatient: OutgoingFetch = (url, init) => {
    const limit = AbortSignal.timeout(3_000);
    return fetch(url, { ...init, signal: AbortSignal.any([limit, init!.signal!]) });
  };
  return createBearerAuthentication({
    tenants: { find: async (wanted) => tenants.filter(wanted) },
    provider: providerTenant(),
    grants: TEST_GRANTS,
    rolesClaim: 'roles',
    homes: new Map([[provider.issuer, 'AppProvider']]),
    audience: TEST_AUDIENCE,
    issuers: {
      jwksUrl: async (issuer) =>
        [provider, user].find((known) => known.issuer === issuer)?.jwksUrl ?? '',
      fetchOf: () => impatient,
    },
    nowMs: () => nowMs,
    leewayMs: LEEWAY_MS,
    ...more,
  });
};

const refusal = async (done: Promise<unknown>) => {
  const error = await done.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof ProblemError
    ? { code: error.details.code, message: error.details.message }
    : error;
};

describe('a good token', () => {
  test('of either issuer speaks for that tenant’s party', async () => {
    const authenticate = authentication();
    const [asProvider, asUser] = await Promise.all([
      authenticate(`Bearer ${await provider.token()}`),
      authenticate(`bearer ${await user.token()}`),
    ]);
    expect(asProvider).toEqual({
      party: PROVIDER,
      roles: new Set(['provider']),
      permissions: new Set(['read', 'write', 'policy', 'admin']),
      via: 'bearer',
      tenantId: 'AppProvider',
      subject: 'AppProvider-subject',
      name: 'AppProvider-subject',
    });
    expect([asUser.party, [...asUser.roles]]).toEqual([USER, ['user']]);
  });

  test('of a demo user is refused where the deployment refuses them', async () => {
    const check = authentication({ refusesSubject: (subject) => subject === 'AppUser-subject' });
    expect(await refusal(check(`Bearer ${await user.token()}`))).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'the token is of a published demo user',
    });
    expect((await check(`Bearer ${await provider.token()}`)).party).toBe(PROVIDER);
  });

  test('makes an operator where the server of the party’s own tenant says so', async () => {
    const authenticate = authentication();
    const claims = { roles: ['operator', 'provider', 'cook'] };
    const rolesIn = async (issuer: TestIssuer, more: object = {}, check = authenticate) => {
      const token = await issuer.token({ claims: { ...claims, ...more } });
      return [...(await check(`Bearer ${token}`)).roles];
    };
    expect(await rolesIn(provider)).toEqual(['provider', 'operator']);
    expect(await rolesIn(user)).toEqual(['user', 'operator']);
    expect(await rolesIn(user, { roles: 'operators operator' })).toEqual(['user', 'operator']);
    expect(await rolesIn(user, { roles: { operator: 'operator' } })).toEqual(['user']);
    // A caller that names its party in test mode gains no roles by doing so.
    const trusting = authentication({ [trustPartyClaim]: true });
    for (const party of [PROVIDER, 'other::1220cc']) {
      expect(await rolesIn(user, { party_id: party }, trusting)).toEqual(['user']);
    }
    expect(await rolesIn(provider, { party_id: USER }, trusting)).toEqual(['user']);
    // This tenant is registered for the provider's party, but has another authorization server than the provider.
    const posing = [providerTenant(), { ...userTenant(), party: PROVIDER }];
    expect(await rolesIn(user, {}, authentication({}, posing))).toEqual(['user']);
  });

  test('names its own party only where that is switched on', async () => {
    const token = await user.token({ claims: { party_id: 'other::1220cc' } });
    expect((await authentication()(`Bearer ${token}`)).party).toBe(USER);
    const trusting = authentication({ [trustPartyClaim]: true });
    expect((await trusting(`Bearer ${token}`)).party).toBe('other::1220cc');
    expect((await trusting(`Bearer ${await user.token()}`)).party).toBe(USER);
    const nonsense = await user.token({ claims: { party_id: 'nobody' } });
    expect(await refusal(trusting(`Bearer ${nonsense}`))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  test('costs the issuer one read of its keys, however often it comes', async () => {
    const authenticate = authentication();
    const header = `Bearer ${await provider.token()}`;
    await Promise.all(Array.from({ length: 20 }, () => authenticate(header)));
    await authenticate(`Bearer ${await provider.token({ claims: { jti: 'another' } })}`);
    expect(provider.reads).toBe(1);
  });

  test('is not remembered beyond its end', async () => {
    const authenticate = authentication();
    const header = `Bearer ${await provider.token({ expiresInS: 60 })}`;
    await authenticate(header);
    nowMs += 60_000 + LEEWAY_MS - 1_000;
    await authenticate(header);
    nowMs += 1_000;
    expect(await refusal(authenticate(header))).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'the token has expired',
    });
  });
});

describe('refused', () => {
  const expectRefused = async (header: string | undefined, message: string) => {
    expect(await refusal(authentication()(header))).toEqual({ code: 'UNAUTHENTICATED', message });
  };

  test('nothing, another scheme, and what is no token', async () => {
    await expectRefused(undefined, 'a bearer token is required');
    await expectRefused('', 'the authorization is not a bearer token');
    await expectRefused('Basic YTpi', 'the authorization is not a bearer token');
    await expectRefused('Bearer', 'the authorization is not a bearer token');
    await expectRefused('Bearer a b', 'the authorization is not a bearer token');
    await expectRefused('Bearer abc', 'the issuer of the token is not trusted');
  });

  test.each([
    ['another audience', { aud: 'someone-else' }, 'the token is meant for another audience'],
    ['no audience', { aud: undefined }, 'the token is meant for another audience'],
    ['an unknown issuer', { iss: 'http://evil.example' }, 'the issuer of the token is not trusted'],
    ['no issuer', { iss: undefined }, 'the issuer of the token is not trusted'],
    ['its end in the past', { exp: 1 }, 'the token has expired'],
    ['no end', { exp: undefined }, 'claim exp is missing or not acceptable'],
    ['its beginning in the future', { nbf: 4_000_000_000 }, 'the token is not valid yet'],
    ['no subject', { sub: undefined }, 'claim sub is missing or not acceptable'],
    [
      'a subject that is no text',
      { sub: 7 },
      'claim sub is not a name of 1 to 255 printable characters, or is a pseudonym',
    ],
    [
      'a subject with a NUL',
      { sub: 'a\0' },
      'claim sub is not a name of 1 to 255 printable characters, or is a pseudonym',
    ],
  ])('a token with %s', async (_what, claims, message) => {
    await expectRefused(`Bearer ${await provider.token({ claims })}`, message);
  });

  test('a token of one issuer in the name of another', async () => {
    const forged = await user.token({ claims: { iss: provider.issuer } });
    await expectRefused(`Bearer ${forged}`, 'the token is signed with an unknown key');
  });

  test('a token signed by somebody with the right key ID', async () => {
    const key = await makeKey('RS256', provider.key.kid);
    await expectRefused(`Bearer ${await provider.token({ key })}`, 'the signature does not match');
  });

  test('a token whose claims were changed after signing', async () => {
    const [header, , signature] = (await provider.token()).split('.');
    const claims = { iss: provider.issuer, aud: TEST_AUDIENCE, sub: 'me', exp: 4_000_000_000 };
    const forged = `${header}.${base64url.encode(JSON.stringify(claims))}.${signature}`;
    await expectRefused(`Bearer ${forged}`, 'the signature does not match');
  });

  test('algorithm none, and an HMAC with the public key as the secret', async () => {
    const claims = { iss: provider.issuer, aud: TEST_AUDIENCE, sub: 'me', exp: 4_000_000_000 };
    const unsigned = new UnsecuredJWT(claims).encode();
    await expectRefused(`Bearer ${unsigned}`, 'the token is signed with another algorithm');
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: provider.key.kid })
      .sign(new TextEncoder().encode(JSON.stringify(provider.key.jwk)));
    await expectRefused(`Bearer ${hmac}`, 'the token is signed with another algorithm');
  });
});

describe('whom a token stands for', () => {
  const OTHER = trusted<Party>('other::1220cc');
  const other = (over: Partial<Tenant> = {}) =>
    tenant('Other', OTHER, { issuerUrl: user.issuer, clientId: 'other-login', ...over });
  const by = async (issuer: TestIssuer, claims: object, tenants: readonly Tenant[]) => {
    const header = `Bearer ${await issuer.token({ claims: { ...claims } })}`;
    const { party, roles, tenantId } = await authentication({}, tenants)(header);
    return { party, roles: [...roles], tenantId };
  };

  test('is decided by its client where several tenants have the issuer', async () => {
    const all = [providerTenant(), userTenant(), other()];
    const asOther = { party: OTHER, roles: ['user'], tenantId: 'Other' };
    for (const claim of ['azp', 'client_id', 'cid', 'appid']) {
      expect(await by(user, { [claim]: 'other-login' }, all)).toEqual(asOther);
    }
    expect(await by(user, { azp: 'login' }, all)).toMatchObject({ tenantId: 'AppUser' });
  });

  test('is nobody when its client belongs to none of several', async () => {
    const all = [providerTenant(), userTenant(), other()];
    for (const claims of [{}, { azp: 'third' }, { azp: 7 }, { azp: ['login'] }]) {
      expect(await refusal(by(user, claims, all))).toEqual({
        code: 'UNAUTHENTICATED',
        message:
          'several tenants have the issuer of the token, and its client belongs to none of them',
      });
    }
  });

  test('is the tenant that configuration set its issuer up for, but for clients of others', async () => {
    const all = [providerTenant(), userTenant(), other()];
    const header = async (azp: string) => `Bearer ${await user.token({ claims: { azp } })}`;
    const authenticate = authentication({ homes: new Map([[user.issuer, 'AppUser']]) }, all);
    expect((await authenticate(await header('a-script'))).tenantId).toBe('AppUser');
    expect((await authenticate(await header('other-login'))).tenantId).toBe('Other');
  });

  test('is the one tenant of the issuer, whatever its client', async () => {
    const all = [providerTenant(), userTenant()];
    expect(await by(user, { azp: 'a-script' }, all)).toMatchObject({ party: USER });
  });

  test('is a user for a tenant that shares the provider’s issuer, and for one that has its party', async () => {
    const guest = other({ issuerUrl: provider.issuer });
    const all = [providerTenant(), userTenant(), guest];
    const claims = { azp: 'other-login', roles: ['operator'] };
    expect(await by(provider, claims, all)).toMatchObject({ party: OTHER, roles: ['user'] });
    expect(await by(provider, { azp: 'a-script' }, all)).toMatchObject({ roles: ['provider'] });
    const alike = other({ party: PROVIDER, clientId: 'alike' });
    const posing = await by(user, { azp: 'alike', roles: ['operator'] }, [...all, alike]);
    expect(posing).toMatchObject({ party: PROVIDER, roles: ['user'] });
  });

  test('is looked up with each use: a tenant that is gone is out', async () => {
    const tenants = [providerTenant(), userTenant()];
    const authenticate = authentication({}, tenants);
    const header = `Bearer ${await user.token()}`;
    await authenticate(header);
    const [gone] = tenants.splice(1, 1);
    expect(await refusal(authenticate(header))).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'the issuer of the token is not trusted',
    });
    tenants.push({ ...gone!, party: OTHER });
    expect((await authenticate(header)).party).toBe(OTHER);
  });
});
