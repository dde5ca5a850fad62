import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER_ADMIN, USER_ADMIN, USER_READER } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import {
  askForRenewal,
  completeRenewal,
  ledgerUserWallet,
  newUserLicense,
  WalletClient,
} from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

const network = await forFile(openNetwork());
const wallet = ledgerUserWallet(network);
const { appUser, appProvider } = network.localnet.parties;

const page = async (of: WalletClient, body: Body = { page_size: 20 }): Promise<Body[]> =>
  (await of.expectOk('/wallet/transactions', { body })).items;
const providerWallet = () =>
  new WalletClient(
    network,
    network.localnet.urls.participants['app-provider'].validator,
    PROVIDER_ADMIN,
  );

test('a tap is a balance change, shown once to its owner', async () => {
  await wallet.tap('12.5');
  const [latest] = await page(wallet, { page_size: 1 });
  expect(latest).toEqual({
    transaction_type: 'balance_change',
    transaction_subtype: {
      template_id: expect.stringMatching(/^[0-9a-f]{64}:Splice\.AmuletRules:AmuletRules$/),
      choice: 'AmuletRules_DevNet_Tap',
    },
    event_id: expect.stringMatching(/^#[0-9a-f]+:\d+$/),
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    receivers: [{ party: appUser, amount: '12.5000000000' }],
    amulet_price: '0.0050000000',
  });
});

test('what is locked has left the sender; unlocking gives it back; a payment reaches its receiver', async () => {
  await wallet.tap('100');
  const license = await newUserLicense(network);
  const requestId = await askForRenewal(network, license, { amount: '40' });
  const request = await wallet.request(requestId);
  const withdrawn = await wallet.accept(request);
  await wallet.expectOk(`/allocations/${withdrawn}/withdraw`, { method: 'POST' });
  const allocation = await wallet.accept(request);
  const settled = await completeRenewal(network, {
    renewal: request.contract_id,
    allocation,
    license,
  });
  expect(settled.status).toBe(200);

  const shown = (await page(wallet)).map((item) => [
    item.transaction_type,
    item.transaction_subtype.choice,
    item.sender?.amount,
    item.receivers,
  ]);
  const returned = [{ party: appUser, amount: '40.0000000000' }];
  expect(shown.slice(0, 5)).toEqual([
    // When a settlement pays, its amount is unlocked first.
    [
      'transfer',
      'AmuletRules_Transfer',
      '-40.0000000000',
      [{ party: appProvider, amount: '40.0000000000' }],
    ],
    ['balance_change', 'LockedAmulet_Unlock', undefined, returned],
    ['transfer', 'AmuletRules_Transfer', '-40.0000000000', []],
    ['balance_change', 'LockedAmulet_Unlock', undefined, returned],
    ['transfer', 'AmuletRules_Transfer', '-40.0000000000', []],
  ]);
  const [received] = await page(providerWallet(), { page_size: 1 });
  expect(received).toMatchObject({
    transaction_type: 'transfer',
    provider: appProvider,
    sender: { party: appUser, amount: '-40.0000000000' },
    receivers: [{ party: appProvider, amount: '40.0000000000' }],
    holding_fees: '0.0000000000',
    app_rewards_used: '0.0000000000',
  });
});

test('pages follow each other, the latest first, and one who may only read sees them too', async () => {
  for (const amount of ['1', '2', '3']) await wallet.tap(amount);
  const { userId: id } = USER_READER;
  await network.as(USER_ADMIN).userAdmin.updateUser({
    user: { id, primaryParty: appUser },
    updateMask: ['primary_party'],
  });
  const all = await page(ledgerUserWallet(network, USER_READER));
  expect(all).toEqual(await page(wallet));
  const pages: Body[] = [];
  for (let after: string | undefined; ;) {
    const items = await page(wallet, { page_size: 2, begin_after_id: after ?? '' });
    if (items.length === 0) break;
    pages.push(...items);
    after = items.at(-1).event_id;
  }
  expect(pages.slice(0, all.length)).toEqual(all);
  expect(await page(wallet, { page_size: 2, begin_after_id: '#unknown:0' })).toEqual([]);
});

test.for([
  ['no size', {}],
  ['a size of 0', { page_size: 0 }],
  ['a text as size', { page_size: '2' }],
  ['something that is no event', { page_size: 2, begin_after_id: 'x' }],
] as const)('refused: %s', async ([, body]) => {
  const { status, json } = await wallet.ask('/wallet/transactions', { body });
  expect([status, json]).toEqual([400, { error: expect.any(String) }]);
});
