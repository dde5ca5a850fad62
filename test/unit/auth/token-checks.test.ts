import { generatePrimeSync } from 'node:crypto';
import { importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBearerAuthentication } from '../../../src/auth/bearer.ts';
import type { Authenticate, BearerOptions } from '../../../src/auth/bearer.ts';
import { AUTH_LIMITS } from '../../../src/auth/limits.ts';
import type { OutgoingFetch } from '../../../src/auth/outgoing-fetch.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import type { Tenant } from '../../../src/domain/tenant.ts';
import type { SigningKey, TestIssuer } from '../../kit/issuer.ts';
import { TEST_AUDIENCE, makeKey, startIssuer } from '../../kit/issuer.ts';
import { TEST_GRANTS } from '../../kit/tenant-trust.ts';

/* Genuine tokens in all forms, and keys that change, that arrive slowly or that cannot be fetched. */

const PROVIDER = trusted<Party>('provider::1220aa');
const USER = trusted<Party>('user::1220bb');
const LEEWAY_MS = 10_000;
/** The time limit for an issuer's answer. */
const ISSUER_MS = 3_000;

const [RSA, CURVE] = await Promise.all([makeKey('RS256', 'rsa-1'), makeKey('ES256', 'curve-1')]);

let provider: TestIssuer;
let user: TestIssuer;
let nowMs = Date.now();
let steadyMs = 0;

beforeEach(async () => {
  nowMs = Date.now();
  [provider, user] = await Promise.all([
    startIssuer('AppProvider', RSA, () => nowMs),
    startIssuer('AppUser', CURVE, () => nowMs),
  ]);
});
afterEach(() => Promise.all([provider[Symbol.asyncDispose](), user[Symbol.asyncDispose]()]));

const tenant = (tenantId: string, party: Party, { issuer }: TestIssuer): Tenant => ({
  tenantId,
  party,
  walletUrl: null,
  clientId: 'login',
  issuerUrl: issuer,
  internal: party === PROVIDER,
  users: [],
});

function authentication(more: Partial<BearerOptions> = {}): Authenticate {
  const impatient: OutgoingFetch = (url, init) => {
    const limit = AbortSignal.timeout(ISSUER_MS);
    return fetch(url, { ...init, signal: AbortSignal.any([limit, init!.signal!]) });
  };
  const ours = tenant('AppProvider', PROVIDER, provider);
  const tenants = [ours, tenant('AppUser', USER, user)];
  return createBearerAuthentication({
    tenants: { find: async (wanted) => tenants.filter(wanted) },
    provider: ours,
    grants: TEST_GRANTS,
    rolesClaim: 'roles',
    homes: new Map(),
    audience: TEST_AUDIENCE,
    issuers: {
      jwksUrl: async (issuer) =>
        [provider, user].find((known) => known.issuer === issuer)?.jwksUrl ?? '',
      fetchOf: () => impatient,
    },
    nowMs: () => nowMs,
    leewayMs: LEEWAY_MS,
    steadyMs: () => steadyMs,
    ...more,
  });
}

/** Returns the refusal of a token, or `null` for an accepted token. */
async function refusal(done: Promise<unknown>) {
  const error = await done.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProblemError)) return error;
  const { code, message, extra } = error.details;
  const retryAfterS = extra?.['retryAfterS'];
  return { code, message, ...(retryAfterS === undefined ? {} : { retryAfterS }) };
}

/**
 * Returns an RSA key with these primes and this exponent. So its length is not random, and no search for primes is
 * needed.
 */
async function rsaKey(p: bigint, q: bigint, e: bigint): Promise<SigningKey> {
  const totient = (p - 1n) * (q - 1n);
  let [d, other, rest, divisor] = [0n, 1n, totient, e];
  while (divisor > 0n) {
    const times = rest / divisor;
    [rest, divisor] = [divisor, rest % divisor];
    [d, other] = [other, d - times * other];
  }
  d = ((d % totient) + totient) % totient;
  // The inverse of q modulo p, by Fermat's little theorem.
  let [qi, base] = [1n, q % p];
  for (let power = p - 2n; power > 0n; power >>= 1n) {
    if (power & 1n) qi = (qi * base) % p;
    base = (base * base) % p;
  }
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi };
  const jwk = Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => {
      const hex = value.toString(16);
      const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
      return [name, bytes.toString('base64url')];
    }),
  );
  const publicJwk = { kty: 'RSA', kid: 'made', alg: 'RS256', n: jwk['n']!, e: jwk['e']! };
  const privateKey = (await importJWK({ ...publicJwk, ...jwk }, 'RS256')) as CryptoKey;
  return { kid: 'made', alg: 'RS256', privateKey, jwk: publicJwk };
}

const unjudged = (retryAfterMs: number) => ({
  code: 'AUTHORIZATION_SERVER_UNAVAILABLE',
  message: `the keys of ${provider.issuer} cannot be read now, so the token cannot be checked`,
  retryAfterS: Math.ceil(retryAfterMs / 1_000),
});

describe('every genuine token is taken', () => {
  test.each([
    ['that begins a little later than now', { nbf: LEEWAY_MS / 1_000 }, true],
    ['that begins later than clocks differ', { nbf: LEEWAY_MS / 1_000 + 1 }, false],
    ['that ended a little earlier', { exp: 1 - LEEWAY_MS / 1_000 }, true],
    ['that ended earlier than clocks differ', { exp: -LEEWAY_MS / 1_000 }, false],
    ['that lives very long', { exp: AUTH_LIMITS.tokenLifeMsMax / 1_000 }, true],
    ['that lives longer', { exp: AUTH_LIMITS.tokenLifeMsMax / 1_000 + 60 }, false],
  ])('%s', async (_what, times, isTaken) => {
    const nowS = Math.floor(nowMs / 1_000);
    const claims = Object.fromEntries(Object.entries(times).map(([name, s]) => [name, nowS + s]));
    const refused = await refusal(authentication()(`Bearer ${await provider.token({ claims })}`));
    expect(refused === null).toBe(isTaken);
  });

  test.each([
    [{ typ: 'at+jwt' }, true],
    [{ typ: 'application/at+JWT' }, true],
    [{ typ: undefined }, true],
    [{ typ: 'logout+jwt' }, false],
    [{ typ: 7 }, false],
  ])('with the header %o: %s', async (header, isTaken) => {
    const refused = await refusal(authentication()(`Bearer ${await provider.token({ header })}`));
    expect(refused === null).toBe(isTaken);
  });

  test('however long it is', async () => {
    const token = await provider.token({ claims: { groups: 'x'.repeat(15_000) } });
    expect(await refusal(authentication()(`Bearer ${token}`))).toBeNull();
  });
});

describe('keys', () => {
  test('that are new are read when a token names one; until then nothing is said of the token', async () => {
    const authenticate = authentication();
    await authenticate(`Bearer ${await provider.token()}`);
    const withOldKey = await provider.token({ claims: { jti: 'before' } });
    await provider.rotate('ES256');
    const header = `Bearer ${await provider.token()}`;
    steadyMs += 1_000;
    // The keys were read a moment ago, and an unknown caller's token must not make the server read them again.
    expect(await refusal(authenticate(header))).toEqual(
      unjudged(AUTH_LIMITS.issuerKeysCooldownMs - 1_000),
    );
    expect(provider.reads).toBe(1);
    steadyMs += AUTH_LIMITS.issuerKeysCooldownMs - 1_000;
    expect((await authenticate(header)).party).toBe(PROVIDER);
    expect(provider.reads).toBe(2);
    steadyMs += AUTH_LIMITS.issuerKeysCooldownMs;
    expect(await refusal(authenticate(`Bearer ${withOldKey}`))).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'the token is signed with an unknown key',
    });
  });

  test('without an ID are told apart by the signature alone, also after one has replaced another', async () => {
    const authenticate = authentication();
    const [first, second, third] = await Promise.all(
      ['RS256', 'ES256', 'RS256'].map((alg) => makeKey(alg, 'unpublished')),
    );
    const nameless = ({ jwk }: SigningKey) => {
      const { kid: _kid, alg: _alg, ...rest } = jwk;
      return rest;
    };
    const by = async (key: SigningKey, header = {}) =>
      refusal(authenticate(`Bearer ${await provider.token({ key, header })}`));
    provider.publish([nameless(third!), nameless(second!), nameless(first!)]);
    for (const key of [first!, second!]) {
      expect(await by(key)).toBeNull();
      expect(await by(key, { kid: undefined })).toBeNull();
    }
    const fourth = await makeKey('RS256', 'unpublished');
    provider.publish([nameless(fourth)]);
    steadyMs += 1;
    expect(await by(fourth, { kid: undefined })).toEqual(
      unjudged(AUTH_LIMITS.issuerKeysCooldownMs),
    );
    steadyMs += AUTH_LIMITS.issuerKeysCooldownMs;
    expect(await by(fourth, { kid: undefined })).toBeNull();
  });

  test('of one ID that changed are read again', async () => {
    const authenticate = authentication();
    await authenticate(`Bearer ${await provider.token()}`);
    const changed = await makeKey('RS256', provider.key.kid);
    provider.publish([changed.jwk]);
    steadyMs += AUTH_LIMITS.issuerKeysCooldownMs + 1;
    expect(
      await refusal(authenticate(`Bearer ${await provider.token({ key: changed })}`)),
    ).toBeNull();
  });

  test('of RSA that are dear to check with are not tried', async () => {
    const [p, q] = [generatePrimeSync(1_024, { bigint: true }), (1n << 1_279n) - 1n];
    const [longer, usual, dear] = [(1n << 4_253n) - 1n, 65_537n, (1n << 89n) - 1n];
    const taken = async (key: SigningKey) => {
      provider.publish([key.jwk]);
      const outcome = await refusal(authentication()(`Bearer ${await provider.token({ key })}`));
      return outcome === null;
    };
    expect(await taken(await rsaKey(q, p, usual))).toBe(true);
    expect(await taken(await rsaKey(q, p, dear))).toBe(false);
    expect(await taken(await rsaKey(q, longer, usual))).toBe(false);
  });

  test('that no key ID tells apart are tried up to a number', async () => {
    const unnamed = ({ jwk: { kid: _kid, ...rest } }: SigningKey): JWK => rest;
    const other = await makeKey('RS256', 'another');
    const taken = async (others: number) => {
      provider.publish([...Array.from({ length: others }, () => unnamed(other)), unnamed(RSA)]);
      return refusal(authentication()(`Bearer ${await provider.token({ key: RSA })}`));
    };
    expect(await taken(AUTH_LIMITS.issuerKeysTriedMax - 1)).toBeNull();
    expect(await taken(AUTH_LIMITS.issuerKeysTriedMax)).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('that nobody can use stand in nobody’s way', async () => {
    const weak = { ...provider.key.jwk, kid: 'weak', n: provider.key.jwk.n!.slice(0, 171) };
    const broken = [{ kty: 'RSA', kid: provider.key.kid }, { kty: 'EC', crv: 'P-256' }, weak];
    provider.publish([...broken, provider.key.jwk] as JWK[]);
    const authenticate = authentication();
    expect(await refusal(authenticate(`Bearer ${await provider.token()}`))).toBeNull();
    const named = await provider.token({ kid: 'weak' });
    expect(await refusal(authenticate(`Bearer ${named}`))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  test('are read once for all who wait for them, and one issuer’s delay no other’s', async () => {
    const authenticate = authentication();
    provider.answerWith('nothing');
    const waiting = Array.from({ length: 20 }, async (_, n) =>
      refusal(authenticate(`Bearer ${await provider.token({ claims: { jti: `${n}` } })}`)),
    );
    await expect.poll(() => provider.reads).toBe(1);
    expect((await authenticate(`Bearer ${await user.token()}`)).party).toBe(USER);
    for (const one of await Promise.all(waiting)) expect(one).toEqual(unjudged(1_000));
    expect(provider.reads).toBe(1);
    provider.answerWith('keys');
    expect((await authenticate(`Bearer ${await provider.token()}`)).party).toBe(PROVIDER);
  });

  test.each(['error', 'nonsense'] as const)(
    'that cannot be read (%s) are our trouble, not the token’s',
    async (how) => {
      const seen: string[] = [];
      const authenticate = authentication({ onKeysUnavailable: (issuer) => seen.push(issuer) });
      provider.answerWith(how);
      const header = `Bearer ${await provider.token()}`;
      expect(await refusal(authenticate(header))).toMatchObject({
        code: 'AUTHORIZATION_SERVER_UNAVAILABLE',
      });
      expect(seen).toEqual([provider.issuer]);
      provider.answerWith('keys');
      expect((await authenticate(header)).party).toBe(PROVIDER);
    },
  );
});
