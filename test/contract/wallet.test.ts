import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER_ADMIN, PROVIDER_BACKEND, STRANGER, USER_READER } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { selfSignedToken } from './kit/tokens.ts';
import {
  acceptanceOf,
  askForRenewal,
  completeRenewal,
  ledgerUserWallet,
  newUserLicense,
  seenByProvider,
  WalletClient,
} from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

const network = await forFile(openNetwork());
const wallet = ledgerUserWallet(network);
let license = await newUserLicense(network);

const providerWallet = () =>
  new WalletClient(
    network,
    network.localnet.urls.participants['app-provider'].validator,
    PROVIDER_ADMIN,
  );
const refused = (status: number, error: unknown = expect.any(String)) => [status, { error }];
/** Converts a decimal to ten-thousandths, which are precise enough for the amounts in this file. */
const units = (decimal: string) => Math.round(Number(decimal) * 10_000);

async function openRequest(amount: string, allocateWithinMs = 600_000): Promise<Body> {
  const requestId = await askForRenewal(network, license, { amount, allocateWithinMs });
  return wallet.request(requestId);
}

describe('paying', () => {
  test('the whole way: tap, accept, settle; the provider has the money and nothing is left over', async () => {
    await wallet.tap('1000.0');
    const before = { user: await wallet.balance(), provider: await providerWallet().balance() };
    const request = await openRequest('125.5');
    expect(request).toMatchObject({
      template_id: expect.stringMatching(
        /^[0-9a-f]{64}:Splice\.Api\.Token\.AllocationRequestV1:AllocationRequest$/,
      ),
      created_event_blob: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      created_at: expect.stringMatching(/Z$/),
      payload: {
        settlement: {
          executor: network.localnet.parties.appProvider,
          meta: { values: { 'splice.lfdecentralizedtrust.org/reason': 'One more year' } },
        },
        transferLegs: {
          licenseFeePayment: {
            sender: network.localnet.parties.appUser,
            receiver: network.localnet.parties.appProvider,
            amount: '125.5000000000',
            instrumentId: { admin: network.localnet.parties.dso, id: 'Amulet' },
          },
        },
      },
    });

    const allocation = await wallet.accept(request);
    const held = await wallet.balance();
    expect(units(held.free)).toBe(units(before.user.free) - units('125.5'));
    expect(units(held.locked)).toBe(units(before.user.locked) + units('125.5'));
    expect(await seenByProvider(network)).toContain(allocation);
    const payments = async () =>
      ((await wallet.expectOk('/wallet/app-payment-requests')).payment_requests as Body[]).filter(
        ({ contract }) =>
          contract.payload.requestId === request.payload.settlement.settlementRef.id,
      );
    expect(await payments()).toEqual([
      {
        contract: expect.objectContaining({
          payload: expect.objectContaining({ amount: '125.5000000000' }),
        }),
        domain_id: network.localnet.synchronizerId,
      },
    ]);
    // Accepting the request does not end it; only the provider's settlement does.
    expect(await wallet.request(request.payload.settlement.settlementRef.id)).toEqual(request);
    expect((await wallet.expectOk('/allocations')).allocations).toContainEqual({
      contract: expect.objectContaining({
        contract_id: allocation,
        payload: expect.objectContaining({ allocation: expect.any(Object) }),
      }),
    });

    const settled = await completeRenewal(network, {
      renewal: request.contract_id,
      allocation,
      license,
    });
    expect([settled.status, settled.text]).toEqual([200, expect.any(String)]);
    license = await newUserLicense(network);
    expect(await payments()).toEqual([]);
    expect(units((await wallet.balance()).locked)).toBe(units(before.user.locked));
    const received = units((await providerWallet().balance()).free) - units(before.provider.free);
    expect(received).toBe(units('125.5'));
    expect(await wallet.request(request.payload.settlement.settlementRef.id)).toBeUndefined();
  });

  test('amounts are exact to the last of ten digits', async () => {
    const before = (await wallet.balance()).free;
    await wallet.tap('0.0000000001');
    const [, fraction = ''] = (await wallet.balance()).free.split('.');
    const [, fractionBefore = ''] = before.split('.');
    expect(BigInt(fraction) - BigInt(fractionBefore)).toBe(1n);
    const { amulets } = await wallet.expectOk('/wallet/amulets');
    expect(amulets.at(-1)).toMatchObject({
      contract: { contract: { payload: { amount: { initialAmount: '0.0000000001' } } } },
      effective_amount: '0.0000000001',
      accrued_holding_fee: '0.0000000000',
      round: expect.any(Number),
    });
  });

  test('many payments at once all find their holdings', async () => {
    await wallet.tap('100');
    const requests = await Promise.all(
      ['1', '2', '3', '4', '5'].map((amount) => openRequest(amount)),
    );
    const allocations = await Promise.all(requests.map((request) => wallet.accept(request)));
    expect(new Set(allocations).size).toBe(5);
    await Promise.all(
      allocations.map((cid) => wallet.expectOk(`/allocations/${cid}/withdraw`, { method: 'POST' })),
    );
  });

  test('a command id makes a repeated tap one tap', async () => {
    const body = { amount: '1', command_id: randomUUID() };
    await wallet.expectOk('/wallet/tap', { body });
    const before = await wallet.balance();
    const { status, json } = await wallet.ask('/wallet/tap', { body });
    expect([status, json]).toEqual(refused(409));
    expect(await wallet.balance()).toEqual(before);
  });
});

describe('changing one’s mind', () => {
  test('a withdrawn allocation gives the coins back, and cannot be withdrawn twice', async () => {
    await wallet.tap('50');
    const before = await wallet.balance();
    const allocation = await wallet.accept(await openRequest('20'));
    const path = `/allocations/${allocation}/withdraw`;
    const withdrawn = await wallet.expectOk(path, { method: 'POST' });
    expect(withdrawn).toEqual({ sender_holding_cids: [expect.any(String)], meta: {} });
    expect(await wallet.balance()).toEqual(before);
    const { status, json } = await wallet.ask(path, { body: {} });
    expect([status, json]).toEqual(refused(404, `AmuletAllocation '${allocation}' not found.`));
  });

  test('a rejected request is gone on both sides, and cannot be rejected twice', async () => {
    const request = await openRequest('20');
    const path = `/wallet/token-standard/allocation-requests/${request.contract_id}/reject`;
    // Some clients declare JSON but send no body.
    const headers = { 'content-type': 'application/json' };
    expect(await wallet.expectOk(path, { method: 'POST', headers })).toEqual({ meta: {} });
    expect(await wallet.request(request.payload.settlement.settlementRef.id)).toBeUndefined();
    expect(await seenByProvider(network)).not.toContain(request.contract_id);
    const { status, json } = await wallet.ask(path, { body: {} });
    expect([status, json]).toEqual(refused(404, expect.stringContaining(request.contract_id)));
  });

  test('only the payer can reject: the provider is told so by the ledger', async () => {
    const request = await openRequest('20');
    const path = `/wallet/token-standard/allocation-requests/${request.contract_id}/reject`;
    const { status, json } = await providerWallet().ask(path, { body: {} });
    const text = expect.stringContaining('Actor is the user paying the fee');
    expect([status, json]).toEqual(refused(400, text));
  });

  test('the payee sees the request, and not the allocation as its own', async () => {
    const request = await openRequest('20');
    await wallet.tap('20');
    const allocation = await wallet.accept(request);
    const seen = await providerWallet().request(request.payload.settlement.settlementRef.id);
    expect(seen.contract_id).toBe(request.contract_id);
    expect(await providerWallet().expectOk('/allocations')).toEqual({ allocations: [] });
    const { status } = await providerWallet().ask(`/allocations/${allocation}/withdraw`, {
      body: {},
    });
    expect(status).toBe(404);
  });
});

describe('what the ledger refuses is told in its words', () => {
  test.each<[string, (body: Body) => void, string]>([
    [
      'more than there is',
      (body) => (body.transfer_leg.amount = '1000000000'),
      'ITR_InsufficientFunds',
    ],
    ['too late', (body) => (body.settlement.allocate_before = 1_000_000), 'allocateBefore'],
    [
      'from the future',
      (body) => (body.settlement.requested_at = Date.now() * 2_000),
      'requestedAt',
    ],
    [
      'deadlines the wrong way round',
      (body) => (body.settlement.settle_before = body.settlement.requested_at),
      'settleBefore',
    ],
  ])('%s', async (_what, change, text) => {
    await wallet.tap('10');
    const body = acceptanceOf(await openRequest('1'));
    change(body);
    const { status, json } = await wallet.ask('/allocations', { body });
    expect([status, json]).toEqual(refused(400, expect.stringContaining(text)));
  });
});

describe('bad input is refused as such', () => {
  const request = {
    settlement: {
      executor: 'a::1220',
      settlement_ref: { id: 'r' },
      requested_at: 1,
      allocate_before: 2,
      settle_before: 3,
    },
    transfer_leg_id: 'leg',
    transfer_leg: { receiver: 'a::1220', amount: '1' },
  };
  const settlement = (changes: object) => ({
    ...request,
    settlement: { ...request.settlement, ...changes },
  });
  const leg = (changes: object) => ({
    ...request,
    transfer_leg: { ...request.transfer_leg, ...changes },
  });

  test.each<[string, string, Body]>([
    ['tap', '/wallet/tap', {}],
    ['tap: a number', '/wallet/tap', { amount: 1 }],
    ['tap: words', '/wallet/tap', { amount: 'ten' }],
    ['tap: nothing', '/wallet/tap', { amount: '0.0' }],
    ['tap: less', '/wallet/tap', { amount: '-1' }],
    ['tap: eleven digits', '/wallet/tap', { amount: '0.00000000001' }],
    ['tap: too much for the ledger', '/wallet/tap', { amount: '1'.repeat(29) }],
    ['tap: endless', '/wallet/tap', { amount: '1'.repeat(500) }],
    ['tap: exponent', '/wallet/tap', { amount: '1e3' }],
    ['tap: no command id', '/wallet/tap', { amount: '1', command_id: 'a\nb' }],
    ['tap: a list', '/wallet/tap', [1]],
    ['tap: text', '/wallet/tap', '"x"'],
    ['allocate: nothing', '/allocations', {}],
    ['allocate: no leg', '/allocations', { ...request, transfer_leg: null }],
    ['allocate: no party', '/allocations', settlement({ executor: 'no/party' })],
    ['allocate: no executor', '/allocations', settlement({ executor: '' })],
    ['allocate: a fraction of a microsecond', '/allocations', settlement({ requested_at: 0.5 })],
    ['allocate: a date', '/allocations', settlement({ requested_at: '2026-01-01T00:00:00Z' })],
    ['allocate: no such time', '/allocations', settlement({ settle_before: '999999999999999999' })],
    ['allocate: an unsafe number', '/allocations', settlement({ settle_before: 2 ** 60 })],
    [
      'allocate: no contract',
      '/allocations',
      settlement({ settlement_ref: { id: 'r', cid: 'x' } }),
    ],
    ['allocate: meta of numbers', '/allocations', settlement({ meta: { a: 1 } })],
    ['allocate: NUL', '/allocations', settlement({ settlement_ref: { id: 'a\0b' } })],
    ['allocate: NUL in meta', '/allocations', leg({ meta: { a: '\0' } })],
    ['allocate: nothing to pay', '/allocations', leg({ amount: '0' })],
    ['allocate: eleven digits', '/allocations', leg({ amount: '1.00000000001' })],
    ['allocate: a number', '/allocations', leg({ amount: 1 })],
    ['allocate: to nobody', '/allocations', leg({ receiver: 'nobody::1220' })],
  ])('%s', async (_what, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await wallet.ask(path, { body, headers });
    expect([status, json]).toEqual(refused(400));
  });

  test.each(['NaN', '', '1'.repeat(35), '1e3', '+1', '.5', '1.', '0.00000000001'])(
    'an amount of "%s" is refused in the words of a validator',
    async (amount) => {
      const error = String.raw`Failed to decode: Invalid Decimal string "${amount}", as it does not match "-?\d{1,28}(\.\d{1,10})?"`;
      for (const [path, body] of [
        ['/wallet/tap', { amount }],
        ['/allocations', leg({ amount })],
      ] as const) {
        const { status, json } = await wallet.ask(path, { body });
        expect([path, status, json]).toEqual([path, 400, { error }]);
      }
    },
  );

  test.each([
    ['not JSON', '{', 'application/json', 400],
    ['a form', 'amount=1', 'application/x-www-form-urlencoded', 415],
    ['far too long', JSON.stringify({ amount: 'x'.repeat(300_000) }), 'application/json', 413],
  ])('%s', async (_what, body, type, status) => {
    const headers = { 'content-type': type };
    const reply = await wallet.ask('/wallet/tap', { body, headers });
    expect([reply.status, reply.json]).toEqual(refused(status));
  });

  test.each(['nonsense', '00', `00${'ab'.repeat(60)}`, '%00', '..%2f..', 'x'.repeat(900)])(
    'contract id %s is not found',
    async (contractId) => {
      for (const path of [
        `/allocations/${contractId}/withdraw`,
        `/wallet/token-standard/allocation-requests/${contractId}/reject`,
      ]) {
        expect((await wallet.ask(path, { body: {} })).status).toBe(404);
      }
    },
  );
});

describe('whose wallet it is', () => {
  const PATHS = [
    ['GET', '/wallet/balance'],
    ['GET', '/wallet/amulets'],
    ['GET', '/wallet/token-standard/allocation-requests'],
    ['GET', '/wallet/app-payment-requests'],
    ['GET', '/allocations'],
    ['POST', '/wallet/tap'],
    ['POST', '/allocations'],
    ['POST', '/allocations/00/withdraw'],
    ['POST', '/wallet/token-standard/allocation-requests/00/reject'],
  ] as const;

  test.each(PATHS)(
    '%s %s needs a token of the right realm, before the body counts',
    async (method, path) => {
      const invalid = refused(401, 'The supplied authentication is invalid');
      const foreign = `Bearer ${await network.tokens.of(PROVIDER_BACKEND)}`;
      for (const as of ['Bearer nonsense', foreign, `Bearer ${await selfSignedToken()}`]) {
        const { status, json } = await ledgerUserWallet(network, as).ask(path, { method });
        expect([status, json]).toEqual(invalid);
      }
      const stranger = await ledgerUserWallet(network, STRANGER).ask(path, { method });
      expect([stranger.status, stranger.json]).toEqual(
        refused(403, 'The supplied authentication does not allow this'),
      );
      const reader = await ledgerUserWallet(network, USER_READER).ask(path, { method });
      expect([reader.status, reader.json]).toEqual(
        refused(404, expect.stringContaining('No wallet')),
      );
    },
  );

  test('who may read as a party, and not act, sees its wallet and cannot use it', async () => {
    const admin = network.as(PROVIDER_ADMIN).userAdmin;
    const { user } = await admin.getUser({ userId: PROVIDER_BACKEND.userId });
    const party = network.localnet.parties.appProvider;
    await admin.updateUser({
      user: { ...user!, primaryParty: party },
      updateMask: ['primary_party'],
    });
    const { validator } = network.localnet.urls.participants['app-provider'];
    const backend = new WalletClient(network, validator, PROVIDER_BACKEND);
    await backend.tap('1');
    const right = { kind: { $case: 'canActAs', value: { party } } } as const;
    await admin.revokeUserRights({ userId: PROVIDER_BACKEND.userId, rights: [right] });
    try {
      await backend.balance();
      expect((await backend.ask('/wallet/tap', { body: { amount: '1' } })).status).toBe(403);
    } finally {
      await admin.grantUserRights({ userId: PROVIDER_BACKEND.userId, rights: [right] });
    }
  });

  test('the super validator has a wallet too', async () => {
    const { validator } = network.localnet.urls.participants.sv;
    const dso = new WalletClient(network, validator, `Bearer ${await selfSignedToken()}`);
    await dso.tap('7.5');
    expect((await dso.balance()).free).toBe('7.5000000000');
  });

  test('each sees its own holdings only', async () => {
    await wallet.tap('3.25');
    const { amulets } = await providerWallet().expectOk('/wallet/amulets');
    const owners = new Set(
      (amulets as Body[]).map(({ contract }) => contract.contract.payload.owner),
    );
    expect([...owners].filter((owner) => owner !== network.localnet.parties.appProvider)).toEqual(
      [],
    );
  });
});

test('a wallet pays while time stands still', async () => {
  await using still = await openNetwork({ staticTime: '2026-11-21T12:00:00Z' });
  const client = ledgerUserWallet(still);
  await client.tap('5');
  const at = BigInt(Date.parse('2026-11-21T12:00:00Z')) * 1_000n;
  const { appProvider } = still.localnet.parties;
  await client.expectOk('/allocations', {
    body: {
      settlement: {
        executor: appProvider,
        settlement_ref: { id: 'r' },
        requested_at: at.toString(),
        allocate_before: (at + 1n).toString(),
        settle_before: (at + 1n).toString(),
      },
      transfer_leg_id: 'leg',
      transfer_leg: { receiver: appProvider, amount: '5' },
    },
  });
  expect(await client.balance()).toEqual({ free: '0.0000000000', locked: '5.0000000000' });
});
