import { expect, test } from 'vitest';
import { signAccessToken } from '../../../localnet/auth/access-token.ts';
import { openRealms } from '../../../localnet/auth/signing-keys.ts';
import type { OpenRealm, RealmStore } from '../../../localnet/auth/signing-keys.ts';
import { createTokenVerifier, LOCALNET_AUDIENCE } from '../../../localnet/auth/verify.ts';

function storeIn(kept: Map<string, string>): RealmStore {
  return {
    keys: {
      get: (name) => kept.get(name),
      put: async (name, value) => {
        kept.set(name, value);
      },
    },
    users: { all: () => [], put: () => undefined },
  };
}

const named = (realms: readonly OpenRealm[], name: string): OpenRealm =>
  realms.find(({ realm }) => realm.name === name)!;

async function tokenOf(open: OpenRealm): Promise<string> {
  const [client] = open.realm.clients;
  const subject = {
    kind: 'service-account',
    client: client!,
    id: client!.serviceAccountId!,
  } as const;
  return `Bearer ${await signAccessToken(open, { subject, scopes: ['profile'] }, Date.now())}`;
}

const verifierOf = (open: OpenRealm) =>
  createTokenVerifier({ issuers: [open], audiences: [LOCALNET_AUDIENCE] });

test('tokens outlive a restart, because keys do', async () => {
  const kept = new Map<string, string>();
  const before = await openRealms(storeIn(kept));
  const token = await tokenOf(named(before, 'AppProvider'));
  const after = await openRealms(storeIn(kept));
  expect(after.map(({ jwks }) => jwks)).toEqual(before.map(({ jwks }) => jwks));
  const verified = await verifierOf(named(after, 'AppProvider'))(token);
  expect(verified.userId).toBe('1a36eb86-4ccc-4ec6-b7b7-caa08b354989');
});

test('each realm and each network has a key of its own', async () => {
  const [here, there] = await Promise.all([
    openRealms(storeIn(new Map())),
    openRealms(storeIn(new Map())),
  ]);
  const kids = [...here, ...there].map(({ signingKey }) => signingKey.kid);
  expect(new Set(kids).size).toBe(4);
  const foreign = await tokenOf(named(there, 'AppUser'));
  await expect(verifierOf(named(here, 'AppUser'))(foreign)).rejects.toMatchObject({
    defect: 'signature',
  });
});

test('the published set holds nothing private', async () => {
  const realms = await openRealms(storeIn(new Map()));
  for (const { jwks } of realms) {
    expect(jwks.keys.map((key) => Object.keys(key).toSorted())).toEqual([
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
    ]);
  }
});

test('the issuer is the configured one', async () => {
  const kept = new Map<string, string>();
  const standard = await openRealms(storeIn(kept));
  expect(standard.map(({ issuer }) => issuer)).toEqual([
    'http://keycloak.localhost:8082/realms/AppProvider',
    'http://keycloak.localhost:8082/realms/AppUser',
  ]);
  const moved = await openRealms(storeIn(kept), 'http://auth.localhost:1234');
  expect(named(moved, 'AppUser').issuer).toBe('http://auth.localhost:1234/realms/AppUser');
});

test.each([
  ['text that is no JSON', '{', /cannot be read/],
  ['a key of another kind', JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), /not an RSA key/],
])(
  'a stored key that is %s stops the start instead of being replaced',
  async (_what, stored, why) => {
    const kept = new Map([['AppProvider', stored]]);
    await expect(openRealms(storeIn(kept))).rejects.toThrow(why);
    expect(kept.get('AppProvider')).toBe(stored);
  },
);
