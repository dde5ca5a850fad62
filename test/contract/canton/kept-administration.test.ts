import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executeAs, externalParty } from '../kit/external-party.ts';
import { USER_ADMIN } from '../kit/identities.ts';
import { createRequest } from '../kit/licensing.ts';
import { openNetwork } from '../kit/network.ts';

test('external parties, identity providers and vetting outlive the process', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-kept-'));
  try {
    const provider = {
      identityProviderId: 'kept',
      issuer: 'https://kept',
      jwksUrl: 'http://127.0.0.1:1/jwks.json',
      isDeactivated: false,
      audience: '',
    };
    const before = await openNetwork({ dataDir });
    const alice = await externalParty(before, 'alice');
    const command = createRequest({ user: alice.party, provider: alice.party });
    const first = await executeAs(before.as(USER_ADMIN), alice, command);
    const { identityProviders, packageAdmin } = before.as(USER_ADMIN);
    await identityProviders.createIdentityProviderConfig({ identityProviderConfig: provider });
    const ref = { packageName: 'splice-api-token-metadata-v1' };
    const changes = [{ operation: { $case: 'unvet', value: { packages: [ref] } } as const }];
    const { newVettedPackages } = await packageAdmin.updateVettedPackages({ changes });
    await before[Symbol.asyncDispose]();

    await using after = await openNetwork({ dataDir });
    const ledger = after.as(USER_ADMIN);
    const second = await executeAs(ledger, alice, command);
    expect(second.transaction.offset).toBeGreaterThan(first.transaction.offset);
    const { update } = await ledger.updates.getUpdateById({
      updateId: first.transaction.updateId,
      updateFormat: {
        includeTransactions: {
          transactionShape: 1,
          eventFormat: { filtersByParty: { [alice.party]: {} } },
        },
      },
    });
    if (update?.$case !== 'transaction') throw new Error('no transaction');
    expect(update.value.externalTransactionHash).toEqual(first.transaction.externalTransactionHash);
    const listed = await ledger.identityProviders.listIdentityProviderConfigs({});
    expect(listed.identityProviderConfigs).toEqual([provider]);
    const { vettedPackages } = await ledger.packages.listVettedPackages({});
    expect(vettedPackages).toContainEqual(newVettedPackages);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
