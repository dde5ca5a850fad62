import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import type { IdentityProviderConfig } from '../../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { USER_ADMIN, USER_READER } from '../kit/identities.ts';
import { refusalOf } from '../kit/refusal.ts';

/* Modelled on the suite IdentityProviderConfigServiceIT, and Canton's IdentityProviderConfigIntegrationTest. */

const { network, ledger, party } = await openSuite();
const { identityProviders: idps, userAdmin, partyAdmin } = ledger;

const config = (more: Partial<IdentityProviderConfig> = {}): IdentityProviderConfig => ({
  identityProviderId: unique('idp'),
  isDeactivated: false,
  issuer: unique('issuer'),
  jwksUrl: 'http://daml.com/jwks.json',
  audience: '',
  ...more,
});

/**
 * Creates an identity provider for the callback, and deletes it afterwards, because only 16 may exist at the same time.
 */
async function withProvider<T>(
  more: Partial<IdentityProviderConfig>,
  use: (created: IdentityProviderConfig) => Promise<T>,
): Promise<T> {
  const created = config(more);
  await idps.createIdentityProviderConfig({ identityProviderConfig: created });
  try {
    return await use(created);
  } finally {
    const { identityProviderId } = created;
    await idps.deleteIdentityProviderConfig({ identityProviderId }).catch(() => undefined);
  }
}

test('IdentityProviderConfigServiceIT CreateConfigInvalidArguments: what is no configuration is not created', async () => {
  const create = (more: Partial<IdentityProviderConfig>) =>
    idps.createIdentityProviderConfig({ identityProviderConfig: config(more) });
  await expectRefused(create({ identityProviderId: '' }), 'MISSING_FIELD');
  await expectRefused(create({ identityProviderId: '!@' }), 'INVALID_FIELD');
  await expectRefused(create({ issuer: '' }), 'MISSING_FIELD');
  await expectRefused(create({ jwksUrl: '' }), 'MISSING_FIELD');
  await expectRefused(create({ jwksUrl: 'url.com' }), 'INVALID_FIELD');
  await expectRefused(idps.createIdentityProviderConfig({}), 'MISSING_FIELD');
});

test('IdentityProviderConfigServiceIT GetConfigInvalidArguments: what is no ID is not found', async () => {
  const get = (identityProviderId: string) =>
    idps.getIdentityProviderConfig({ identityProviderId });
  await expectRefused(get(''), 'MISSING_FIELD');
  await expectRefused(get('!@'), 'INVALID_FIELD');
});

test('IdentityProviderConfigServiceIT UpdateConfigInvalidArguments: what is no update changes nothing', async () => {
  const update = (more: Partial<IdentityProviderConfig>, updateMask?: string[]) =>
    idps.updateIdentityProviderConfig({ identityProviderConfig: config(more), updateMask });
  const mask = ['is_deactivated'];
  await expectRefused(update({ identityProviderId: '' }, mask), 'MISSING_FIELD');
  await expectRefused(update({ identityProviderId: '!@' }, mask), 'INVALID_FIELD');
  await expectRefused(update({ jwksUrl: 'url.com' }, mask), 'INVALID_FIELD');
  await expectRefused(update({}), 'MISSING_FIELD');
  await expectRefused(idps.updateIdentityProviderConfig({}), 'MISSING_FIELD');
  await withProvider({}, (identityProviderConfig) =>
    expectRefused(
      idps.updateIdentityProviderConfig({ identityProviderConfig, updateMask: [] }),
      'INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST',
    ),
  );
});

test('IdentityProviderConfigServiceIT DeleteConfigInvalidArguments: what is no ID is not deleted', async () => {
  const remove = (identityProviderId: string) =>
    idps.deleteIdentityProviderConfig({ identityProviderId });
  await expectRefused(remove(''), 'MISSING_FIELD');
  await expectRefused(remove('!@'), 'INVALID_FIELD');
});

test('IdentityProviderConfigServiceIT CreateConfigSuccess: one ID and one issuer each', async () => {
  await withProvider({ isDeactivated: true }, async (created) => {
    const { identityProviderConfig } = await idps.getIdentityProviderConfig(created);
    expect(identityProviderConfig).toEqual(created);
    const again = config({ identityProviderId: created.identityProviderId });
    await expectRefused(
      idps.createIdentityProviderConfig({ identityProviderConfig: again }),
      'IDP_CONFIG_ALREADY_EXISTS',
    );
    const sameIssuer = config({ issuer: created.issuer });
    await expectRefused(
      idps.createIdentityProviderConfig({ identityProviderConfig: sameIssuer }),
      'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
    );
  });
});

test('IdentityProviderConfigServiceIT UpdateConfigSuccess: every field but the ID changes', async () => {
  await withProvider({}, (other) =>
    withProvider({}, async (created) => {
      const update = async (change: Partial<IdentityProviderConfig>, ...updateMask: string[]) => {
        const asked = { identityProviderConfig: { ...created, ...change }, updateMask };
        return (await idps.updateIdentityProviderConfig(asked)).identityProviderConfig;
      };
      expect(await update({ isDeactivated: true }, 'is_deactivated')).toMatchObject({
        isDeactivated: true,
      });
      const jwksUrl = 'http://daml.com/jwks2.json';
      expect(await update({ jwksUrl }, 'jwks_url')).toMatchObject({ jwksUrl });
      const issuer = unique('issuer');
      expect(await update({ issuer }, 'issuer')).toMatchObject({ issuer, jwksUrl });
      await expectRefused(
        update({ issuer: other.issuer }, 'issuer'),
        'IDP_CONFIG_ISSUER_ALREADY_EXISTS',
      );
    }),
  );
});

test('IdentityProviderConfigServiceIT GetConfigSuccess: what was created, and nothing else', async () => {
  await withProvider({ audience: 'other' }, async (created) => {
    const { identityProviderConfig } = await idps.getIdentityProviderConfig(created);
    expect(identityProviderConfig).toEqual(created);
    await expectRefused(
      idps.getIdentityProviderConfig({ identityProviderId: unique('none') }),
      'IDP_CONFIG_NOT_FOUND',
    );
  });
});

test('IdentityProviderConfigServiceIT ListConfig: all of them', async () => {
  await withProvider({}, (one) =>
    withProvider({}, async (other) => {
      const { identityProviderConfigs } = await idps.listIdentityProviderConfigs({});
      expect(identityProviderConfigs).toEqual(expect.arrayContaining([one, other]));
    }),
  );
});

test('IdentityProviderConfigServiceIT DeleteConfigSuccess: once', async () => {
  await withProvider({}, async (created) => {
    expect(await idps.deleteIdentityProviderConfig(created)).toEqual({});
    await expectRefused(idps.deleteIdentityProviderConfig(created), 'IDP_CONFIG_NOT_FOUND');
  });
});

test.each([
  ['CreateIdentityProviderConfigAuthIT', () => reader().createIdentityProviderConfig({})],
  ['GetIdentityProviderConfigAuthIT', () => reader().getIdentityProviderConfig({})],
  ['UpdateIdentityProviderConfigAuthIT', () => reader().updateIdentityProviderConfig({})],
  ['ListIdentityProviderConfigsAuthIT', () => reader().listIdentityProviderConfigs({})],
  ['DeleteIdentityProviderConfigsAuthIT', () => reader().deleteIdentityProviderConfig({})],
])('%s deny calls with a token of a user who is no participant admin', async (_name, call) => {
  expect((await refusalOf(call())).status).toBe('PERMISSION_DENIED');
});

const reader = () => network.as(USER_READER).identityProviders;

/** Starts an identity provider that publishes its keys and signs tokens. */
async function signingProvider(answerOf: (keys: string) => string = (keys) => keys) {
  const issuer = unique('https://issuer');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(answerOf(JSON.stringify({ keys: [jwk] })));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    issuer,
    jwksUrl: `http://127.0.0.1:${port}/jwks.json`,
    tokenOf: (userId: string, audience: string) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setSubject(userId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime('5m')
        .sign(privateKey),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

test('a token of the provider speaks for a user of the provider', async () => {
  await using signing = await signingProvider();
  const { issuer, jwksUrl } = signing;
  await withProvider({ issuer, jwksUrl, audience: 'us' }, async ({ identityProviderId }) => {
    const id = unique('user');
    await userAdmin.createUser({
      user: { id, identityProviderId },
      rights: [{ kind: { $case: 'identityProviderAdmin', value: {} } }],
    });
    const own = network.bearing('app-user', () => signing.tokenOf(id, 'us'));
    const { user } = await own.userAdmin.getUser({});
    expect(user).toMatchObject({ id, identityProviderId });
    const { users } = await own.userAdmin.listUsers({});
    expect(users.map((one) => one.id)).toEqual([id]);
    const colleague = unique('colleague');
    const created = await own.userAdmin.createUser({ user: { id: colleague } });
    expect(created.user).toMatchObject({ identityProviderId });
    const refused = [
      // A call with a token for another audience.
      () => network.bearing('app-user', () => signing.tokenOf(id, 'them')).state.getLedgerEnd({}),
      // A call in the name of a user of another provider.
      () =>
        network
          .bearing('app-user', () => signing.tokenOf(USER_READER.userId, 'us'))
          .userAdmin.getUser({}),
      // A call about users of another provider.
      () => own.userAdmin.listUsers({ identityProviderId: unique('other') }),
      // Rights that an administrator of the provider may not grant.
      () =>
        own.userAdmin.grantUserRights({
          userId: colleague,
          rights: [{ kind: { $case: 'participantAdmin', value: {} } }],
        }),
    ];
    const statuses = [];
    for (const call of refused) statuses.push((await refusalOf(call())).status);
    const denied = 'PERMISSION_DENIED';
    expect(statuses).toEqual(['UNAUTHENTICATED', denied, denied, denied]);
  });
});

test('a validator takes no token of a provider, whatever name it speaks for', async () => {
  await using signing = await signingProvider();
  const { issuer, jwksUrl } = signing;
  await withProvider({ issuer, jwksUrl }, async () => {
    const token = await signing.tokenOf(USER_ADMIN.userId, 'us');
    const { validator } = network.localnet.urls.participants['app-user'];
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['admin/users', 'wallet/balance', 'wallet/user-status']) {
      const { status } = await fetch(`${validator}/api/validator/v0/${path}`, { headers });
      expect([path, status]).toEqual([path, 401]);
    }
  });
});

test('a provider whose keys never end is not read to the end', async () => {
  await using signing = await signingProvider((keys) => `${keys}${' '.repeat(300 * 1024)}`);
  const { issuer, jwksUrl } = signing;
  await withProvider({ issuer, jwksUrl }, async ({ identityProviderId }) => {
    const id = unique('user');
    await userAdmin.createUser({ user: { id, identityProviderId } });
    const own = network.bearing('app-user', () => signing.tokenOf(id, 'us'));
    expect((await refusalOf(own.userAdmin.getUser({}))).status).toBe('UNAUTHENTICATED');
  });
});

test('users move between providers', async () => {
  await withProvider({}, async ({ identityProviderId }) => {
    const id = unique('user');
    await userAdmin.createUser({ user: { id } });
    const move = (sourceIdentityProviderId: string, targetIdentityProviderId: string) =>
      userAdmin.updateUserIdentityProviderId({
        userId: id,
        sourceIdentityProviderId,
        targetIdentityProviderId,
      });
    await move('', identityProviderId);
    const { user } = await userAdmin.getUser({ userId: id, identityProviderId });
    expect(user!.identityProviderId).toBe(identityProviderId);
    expect((await refusalOf(userAdmin.getUser({ userId: id }))).status).toBe('PERMISSION_DENIED');
    expect((await refusalOf(move('', identityProviderId))).status).toBe('PERMISSION_DENIED');
    await expectRefused(move(unique('none'), ''), 'INVALID_ARGUMENT', 'has not been found');
    await move(identityProviderId, '');
    expect((await userAdmin.getUser({ userId: id })).user!.identityProviderId).toBe('');
  });
});

test('parties move between providers', async () => {
  await withProvider({}, async ({ identityProviderId }) => {
    const who = await party();
    const seen = async (by: string) => {
      const { partyDetails } = await partyAdmin.getParties({
        parties: [who],
        identityProviderId: by,
      });
      return partyDetails[0];
    };
    await partyAdmin.updatePartyIdentityProviderId({
      party: who,
      sourceIdentityProviderId: '',
      targetIdentityProviderId: identityProviderId,
    });
    expect(await seen(identityProviderId)).toMatchObject({ identityProviderId, isLocal: true });
    expect(await seen('')).toMatchObject({ identityProviderId: '', isLocal: true });
    // The first user now belongs to another provider, and the second one does not exist.
    for (const unknown of [who, 'missing::none']) {
      await expectRefused(
        partyAdmin.updatePartyIdentityProviderId({
          party: unknown,
          sourceIdentityProviderId: '',
          targetIdentityProviderId: identityProviderId,
        }),
        'PARTY_NOT_FOUND',
      );
    }
  });
});
