import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerEnd } from './kit/commands.ts';
import { PROVIDER_BACKEND, USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, newRequest } from './kit/steps.ts';
import { selfSignedToken } from './kit/tokens.ts';

/*
 * The shared-secret mode, in which programs sign their own tokens. The names are those of the reference, and are
 * repeated here on purpose.
 */

type Side = 'app-user' | 'app-provider';
const speakingAs = (network: Network, side: Side, userId: string) =>
  network.bearing(side, () => selfSignedToken({ userId }));

test('names speak for the parties that they stand for', async () => {
  await using network = await openNetwork({ auth: 'shared-secret' });
  const { appUser, appProvider } = network.localnet.parties;
  for (const [side, userId, primaryParty] of [
    ['app-user', 'ledger-api-user', appUser],
    ['app-user', 'app-user', appUser],
    ['app-user', 'app-user-pqs', ''],
    ['app-provider', 'ledger-api-user', appProvider],
    ['app-provider', 'app-provider', appProvider],
    ['app-provider', 'app-provider-backend', ''],
    ['app-provider', 'app-provider-pqs', ''],
  ] as const) {
    const { user } = await speakingAs(network, side, userId).userAdmin.getUser({ userId: '' });
    expect([user?.id, user?.primaryParty]).toEqual([userId, primaryParty]);
  }
  const person = speakingAs(network, 'app-user', 'app-user');
  const { contractId } = await newRequest(person, { user: appUser, provider: appProvider });
  for (const reader of ['app-provider-backend', 'app-provider-pqs']) {
    const seen = await activeIds(speakingAs(network, 'app-provider', reader), appProvider);
    expect(seen).toEqual([contractId]);
  }
  const admin = speakingAs(network, 'app-user', 'ledger-api-user');
  expect((await admin.partyAdmin.listKnownParties({})).partyDetails.length).toBeGreaterThan(0);
  expect((await refusalOf(person.partyAdmin.listKnownParties({}))).status).toBe(
    'PERMISSION_DENIED',
  );
});

test('nothing but the secret opens a participant, and no realm does', async () => {
  await using network = await openNetwork({ auth: 'shared-secret' });
  for (const [what, token] of [
    ['another secret', await selfSignedToken({ userId: 'app-user', secret: randomBytes(32) })],
    ['another audience', await selfSignedToken({ userId: 'app-user', audience: 'https://x' })],
    ['an expired token', await selfSignedToken({ userId: 'app-user', expiresInS: -10 })],
    ['a token of the realm', await network.tokens.of(USER_ADMIN)],
  ] as const) {
    const refusal = await refusalOf(ledgerEnd(network.bearing('app-user', () => token)));
    expect([what, refusal.status]).toEqual([what, 'UNAUTHENTICATED']);
  }
  const nobody = speakingAs(network, 'app-user', 'nobody');
  expect((await refusalOf(ledgerEnd(nobody))).status).toBe('PERMISSION_DENIED');
});

test('a network may change its mode, and keeps what was done in the other', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-shared-secret-'));
  try {
    const contractId = await (async () => {
      await using network = await openNetwork({ dataDir });
      const { appUser, appProvider } = network.localnet.parties;
      const stranger = speakingAs(network, 'app-user', 'app-user');
      expect((await refusalOf(ledgerEnd(stranger))).status).toBe('UNAUTHENTICATED');
      const admin = network.as(USER_ADMIN);
      return (await newRequest(admin, { user: appUser, provider: appProvider })).contractId;
    })();
    await (async () => {
      await using network = await openNetwork({ dataDir, auth: 'shared-secret' });
      const { appUser } = network.localnet.parties;
      const admin = speakingAs(network, 'app-user', 'ledger-api-user');
      expect(await activeIds(admin, appUser)).toEqual([contractId]);
      await admin.userAdmin.deleteUser({ userId: 'app-user-pqs' });
    })();
    await (async () => {
      await using network = await openNetwork({ dataDir, auth: 'shared-secret' });
      const deleted = speakingAs(network, 'app-user', 'app-user-pqs');
      expect((await refusalOf(ledgerEnd(deleted))).status).toBe('PERMISSION_DENIED');
    })();
    await using network = await openNetwork({ dataDir });
    const seen = await activeIds(
      network.as(PROVIDER_BACKEND),
      network.localnet.parties.appProvider,
    );
    expect(seen).toEqual([contractId]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
