import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWTPayload } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createTokenVerifier,
  LOCALNET_AUDIENCE,
  participantAudience,
  TokenRejected,
} from '../../../localnet/auth/verify.ts';
import type { TokenDefect, TokenVerifierOptions } from '../../../localnet/auth/verify.ts';

const ISSUER = 'http://keycloak.localhost:8082/realms/AppProvider';
const NOW_MS = Date.parse('2026-11-21T10:00:00Z');
const NOW_S = NOW_MS / 1_000;
const PARTICIPANT_AUDIENCE = participantAudience('app-provider::1220ab');

interface Key {
  readonly privateKey: CryptoKey;
  readonly publicJwk: Awaited<ReturnType<typeof exportJWK>>;
}

async function makeKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256' } };
}

let ours: Key;
let theirs: Key;
let options: TokenVerifierOptions;

beforeAll(async () => {
  [ours, theirs] = await Promise.all([makeKey('ours'), makeKey('ours')]);
  options = {
    issuers: [{ issuer: ISSUER, jwks: { keys: [ours.publicJwk] } }],
    audiences: [LOCALNET_AUDIENCE, PARTICIPANT_AUDIENCE],
    nowMs: () => NOW_MS,
  };
});

const GOOD: JWTPayload = {
  iss: ISSUER,
  sub: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
  aud: LOCALNET_AUDIENCE,
  exp: NOW_S + 300,
};

interface Variation {
  /** `undefined` omits a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly kid?: string;
  readonly key?: CryptoKey;
}

const sign = ({ claims = {}, kid = 'ours', key = ours.privateKey }: Variation = {}) =>
  new SignJWT({ ...GOOD, ...claims }).setProtectedHeader({ alg: 'RS256', kid }).sign(key);

const signHmac = (secret: Uint8Array, claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret);

const bearer = (token: string) => `Bearer ${token}`;
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function defectOf(promise: Promise<unknown>): Promise<TokenDefect> {
  const error = await promise.then(
    (value) => new Error(`accepted: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TokenRejected)) throw error;
  return error.defect;
}

describe('a good token', () => {
  test('gives its user and when it ends', async () => {
    const verify = createTokenVerifier(options);
    expect(await verify(bearer(await sign()))).toEqual({
      userId: GOOD.sub,
      expiresAtMs: NOW_MS + 300_000,
    });
  });

  test.each([
    ['the network', [LOCALNET_AUDIENCE]],
    ['the network among others', ['account', LOCALNET_AUDIENCE]],
    ['this participant', [PARTICIPANT_AUDIENCE]],
  ])('may be meant for %s', async (_whom, aud) => {
    const verify = createTokenVerifier(options);
    const { userId } = await verify(bearer(await sign({ claims: { aud } })));
    expect(userId).toBe(GOOD.sub);
  });
});

describe('a defect is told apart for the log', () => {
  const tampered = async () => {
    const [header, payload, signature] = (await sign()).split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as JWTPayload;
    return [header, base64url({ ...claims, sub: 'participant_admin' }), signature].join('.');
  };
  const unsigned = () => `${base64url({ alg: 'none' })}.${base64url(GOOD)}.`;
  // Anyone may know the public key. A verifier that accepted any algorithm would take it for an HMAC secret.
  const confused = () => signHmac(new TextEncoder().encode(JSON.stringify(ours.publicJwk)), GOOD);

  test.each<[string, TokenDefect, () => Promise<string | undefined> | string | undefined]>([
    ['no header', 'missing', () => undefined],
    ['an empty header', 'missing', () => ''],
    ['another scheme', 'malformed', () => 'Basic YTpi'],
    ['the scheme in another case', 'malformed', async () => `bearer ${await sign()}`],
    ['a token with a blank', 'malformed', async () => `Bearer ${await sign()} x`],
    ['no token', 'malformed', () => 'Bearer '],
    ['something else than a token', 'malformed', () => 'Bearer abc'],
    ['three parts of nothing', 'malformed', () => 'Bearer a.b.c'],
    ['a header without end', 'malformed', () => `Bearer ${'a'.repeat(20_000)}`],
    ['no algorithm', 'algorithm', async () => bearer(unsigned())],
    ['the public key as secret', 'algorithm', async () => bearer(await confused())],
    ['another issuer', 'issuer', async () => bearer(await sign({ claims: { iss: `${ISSUER}2` } }))],
    ['no issuer', 'issuer', async () => bearer(await sign({ claims: { iss: undefined } }))],
    ['another key', 'signature', async () => bearer(await sign({ key: theirs.privateKey }))],
    ['an unknown key ID', 'signature', async () => bearer(await sign({ kid: 'old' }))],
    ['changed claims', 'signature', async () => bearer(await tampered())],
    [
      'another audience',
      'audience',
      async () => bearer(await sign({ claims: { aud: 'account' } })),
    ],
    [
      'another participant as audience',
      'audience',
      async () => bearer(await sign({ claims: { aud: participantAudience('sv::1220') } })),
    ],
    ['no audience', 'audience', async () => bearer(await sign({ claims: { aud: undefined } }))],
    ['an end in the past', 'expired', async () => bearer(await sign({ claims: { exp: NOW_S } }))],
    ['no end', 'expired', async () => bearer(await sign({ claims: { exp: undefined } }))],
    [
      'a later begin',
      'not-yet-valid',
      async () => bearer(await sign({ claims: { nbf: NOW_S + 60 } })),
    ],
    ['no subject', 'subject', async () => bearer(await sign({ claims: { sub: undefined } }))],
  ])('%s: %s', async (_what, defect, header) => {
    const verify = createTokenVerifier(options);
    expect(await defectOf(verify(await header()))).toBe(defect);
  });
});

describe('a remembered token', () => {
  test('is not checked twice, and checks that run at once are one', async () => {
    const verify = createTokenVerifier(options);
    const header = bearer(await sign());
    const [first, second] = await Promise.all([verify(header), verify(header)]);
    expect(second).toBe(first);
    expect(await verify(header)).toBe(first);
  });

  test('ends when it says, not when it is forgotten', async () => {
    let nowMs = NOW_MS;
    const verify = createTokenVerifier({ ...options, nowMs: () => nowMs });
    const header = bearer(await sign());
    await verify(header);
    nowMs = NOW_MS + 299_999;
    await verify(header);
    nowMs = NOW_MS + 300_000;
    expect(await defectOf(verify(header))).toBe('expired');
    expect(await defectOf(verify(header))).toBe('expired');
  });

  test('makes room for others, the longest unused first', async () => {
    const verify = createTokenVerifier({ ...options, cacheEntriesMax: 2 });
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(async (jti) => bearer(await sign({ claims: { jti } }))),
    );
    const [keptA, keptB] = [await verify(a), await verify(b)];
    await verify(a);
    await verify(c); // Removes b from the cache, because no caller has used b since.
    expect(await verify(a)).toBe(keptA);
    expect(await verify(b)).not.toBe(keptB);
  });

  test('is never a refused one', async () => {
    let nowMs = NOW_MS;
    const verify = createTokenVerifier({ ...options, nowMs: () => nowMs });
    const header = bearer(await sign({ claims: { nbf: NOW_S + 60 } }));
    expect(await defectOf(verify(header))).toBe('not-yet-valid');
    nowMs = NOW_MS + 60_000;
    expect((await verify(header)).userId).toBe(GOOD.sub);
  });
});

describe('a shared secret', () => {
  const secret = new TextEncoder().encode('unsafe');
  const claims = { sub: 'ledger-api-user', aud: LOCALNET_AUDIENCE };

  test.each<[string, TokenDefect | null, JWTPayload]>([
    ['neither an end nor a scope', 'endless', {}],
    ['no end', 'endless', { scope: 'daml_ledger_api' }],
    ['no scope', 'scope', { exp: NOW_S + 60 }],
    ['another scope', 'scope', { exp: NOW_S + 60, scope: 'openid daml_ledger_apis' }],
    ['an end and the scope', null, { exp: NOW_S + 60, scope: 'openid daml_ledger_api' }],
  ])('with strict checks, a token with %s', async (_what, defect, more) => {
    const shared = { ...options, issuers: [], unsafeSharedSecret: 'unsafe' };
    const token = bearer(await signHmac(secret, { ...claims, ...more }));
    const strictly = createTokenVerifier({ ...shared, strictScope: 'daml_ledger_api' })(token);
    if (defect === null) expect((await strictly).userId).toBe(claims.sub);
    else expect(await defectOf(strictly)).toBe(defect);
    expect((await createTokenVerifier(shared)(token)).userId).toBe(claims.sub);
  });

  test('opens only where it is configured', async () => {
    const token = bearer(await signHmac(secret, claims));
    expect(await defectOf(createTokenVerifier(options)(token))).toBe('algorithm');
    const verify = createTokenVerifier({ ...options, issuers: [], unsafeSharedSecret: 'unsafe' });
    expect(await verify(token)).toEqual({ userId: 'ledger-api-user', expiresAtMs: Infinity });
  });

  test('is a secret, and the other claims still count', async () => {
    const verify = createTokenVerifier({ ...options, issuers: [], unsafeSharedSecret: 'unsafe' });
    const other = await signHmac(new TextEncoder().encode('safe'), claims);
    expect(await defectOf(verify(bearer(other)))).toBe('signature');
    const ended = await signHmac(secret, { ...claims, exp: NOW_S - 1 });
    expect(await defectOf(verify(bearer(ended)))).toBe('expired');
    const elsewhere = await signHmac(secret, { ...claims, aud: 'account' });
    expect(await defectOf(verify(bearer(elsewhere)))).toBe('audience');
  });
});
