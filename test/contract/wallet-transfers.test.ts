import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { ledgerUserWallet, WalletClient } from './kit/wallet.ts';
import type { Body } from './kit/wallet.ts';

const network = await forFile(openNetwork());
const { appUser, appProvider, dso } = network.localnet.parties;
const user = ledgerUserWallet(network);
const providerUrl = network.localnet.urls.participants['app-provider'].validator;
const provider = new WalletClient(network, providerUrl, PROVIDER_ADMIN);
const userAdmin = ledgerUserWallet(network, USER_ADMIN);
await user.tap('1000');
await provider.tap('1000');

const inMicros = (seconds: number) => (Date.now() + seconds * 1_000) * 1_000;
const transferBody = (changes: Body = {}): Body => ({
  receiver_party_id: appProvider,
  amount: '10.0',
  description: 'for the coffee',
  expires_at: inMicros(600),
  tracking_id: randomUUID(),
  ...changes,
});
const refused = (status: number, error: unknown = expect.any(String)) => [status, { error }];
const answered = async (of: WalletClient, path: string, request: Body = {}) => {
  const { status, json } = await of.ask(path, request);
  return [status, json];
};
const NOBODY = `00${'ab'.repeat(66)}`;

describe('transfers by the token standard', () => {
  const at = '/wallet/token-standard/transfers';
  const offer = async (changes: Body = {}): Promise<string> => {
    const { output, meta } = await user.expectOk(at, { body: transferBody(changes) });
    expect(meta).toEqual(expect.any(Object));
    return output.transfer_instruction_cid;
  };
  const listed = async (of: WalletClient): Promise<string[]> =>
    ((await of.expectOk(at)).transfers as Body[]).map(({ contract_id }) => contract_id);

  test('accepted: both see it waiting, the receiver ends it, and both histories tell it', async () => {
    const before = { user: await user.balance(), provider: await provider.balance() };
    const cid = await offer();
    expect(await listed(user)).toContain(cid);
    const { transfers } = await provider.expectOk(at);
    expect((transfers as Body[]).find(({ contract_id }) => contract_id === cid)).toMatchObject({
      template_id: expect.stringContaining(':Splice.AmuletTransferInstruction:'),
      payload: { transfer: { sender: appUser, receiver: appProvider, amount: '10.0000000000' } },
      created_event_blob: expect.any(String),
    });
    const done = await provider.expectOk(`${at}/${cid}/accept`, { method: 'POST' });
    expect(done).toMatchObject({ output: { receiver_holding_cids: [expect.any(String)] } });
    expect(await listed(provider)).not.toContain(cid);
    const after = { user: await user.balance(), provider: await provider.balance() };
    expect(Number(after.user.free)).toBe(Number(before.user.free) - 10);
    expect(Number(after.provider.free)).toBe(Number(before.provider.free) + 10);

    const page = { body: { page_size: 2 } };
    const [accepted, offered] = (await provider.expectOk('/wallet/transactions', page)).items;
    expect(accepted).toMatchObject({
      transaction_type: 'transfer',
      transaction_subtype: {
        choice: 'TransferInstruction_Accept',
        interface_id: expect.stringMatching(/^[0-9a-f]{64}:.*:TransferInstruction$/),
      },
      sender: { party: appUser },
      receivers: [{ party: appProvider, amount: '10.0000000000' }],
      transfer_instruction_cid: cid,
    });
    expect(offered).toMatchObject({
      transaction_subtype: { choice: 'TransferFactory_Transfer' },
      transfer_instruction_receiver: appProvider,
      transfer_instruction_amount: '10.0000000000',
      transfer_instruction_cid: cid,
      description: 'for the coffee',
    });
  });

  test('rejected by the receiver or withdrawn by the sender, the coins are back', async () => {
    const before = await user.balance();
    const rejected = await offer();
    expect(await answered(user, `${at}/${rejected}/reject`, { method: 'POST' })).toEqual(
      refused(400),
    );
    const answer = await provider.expectOk(`${at}/${rejected}/reject`, { method: 'POST' });
    expect(answer.output).toEqual({});
    const withdrawn = await offer();
    await user.expectOk(`${at}/${withdrawn}/withdraw`, { method: 'POST' });
    expect(await user.balance()).toEqual(before);
    const { items } = await user.expectOk('/wallet/transactions', { body: { page_size: 1 } });
    expect(items[0]).toMatchObject({
      transaction_type: 'balance_change',
      transaction_subtype: { choice: 'TransferInstruction_Withdraw' },
      receivers: [{ party: appUser, amount: '10.0000000000' }],
      transfer_instruction_cid: withdrawn,
    });
  });

  test('the same tracking id transfers once', async () => {
    const body = transferBody();
    await user.expectOk(at, { body });
    expect(await answered(user, at, { body })).toEqual(refused(409));
  });

  test.each<[string, Body]>([
    ['no amount', { amount: undefined }],
    ['an amount of 0', { amount: '0' }],
    ['a time that is none', { expires_at: 'soon' }],
    ['no tracking id', { tracking_id: '' }],
    ['an instant in the past', { expires_at: inMicros(-10) }],
  ])('refused: %s', async (_case, changes) => {
    expect(await answered(user, at, { body: transferBody(changes) })).toEqual(refused(400));
  });

  test.each(['accept', 'reject', 'withdraw'])('%s: nothing is known by that id', async (step) => {
    expect(await answered(user, `${at}/${NOBODY}/${step}`, { method: 'POST' })).toEqual(
      refused(404),
    );
  });
});

describe('offers', () => {
  const at = '/wallet/transfer-offers';
  const offer = async (changes: Body = {}) => {
    const body = transferBody(changes);
    const { offer_contract_id: cid } = await user.expectOk(at, { body });
    return { cid, trackingId: body.tracking_id as string };
  };
  const status = (of: WalletClient, trackingId: string) =>
    of.expectOk(`${at}/${trackingId}/status`, { method: 'POST' });

  test('accepted by the receiver, paid by the sender’s validator', async () => {
    const { cid, trackingId } = await offer();
    expect(await status(user, trackingId)).toEqual({
      status: 'created',
      transaction_id: expect.any(String),
      contract_id: cid,
    });
    const { offers } = await provider.expectOk(at);
    expect((offers as Body[]).map(({ contract_id }) => contract_id)).toContain(cid);
    const accepted = await provider.expectOk(`${at}/${cid}/accept`, { method: 'POST' });
    expect(accepted).toEqual({ accepted_offer_contract_id: expect.any(String) });
    await expect.poll(async () => (await status(provider, trackingId)).status).toBe('completed');
    expect((await provider.expectOk('/wallet/accepted-transfer-offers')).accepted_offers).toEqual(
      [],
    );
  });

  test('that the sender cannot pay ends, and says why', async () => {
    const { cid, trackingId } = await offer({ amount: '1000000' });
    await provider.expectOk(`${at}/${cid}/accept`, { method: 'POST' });
    await expect.poll(async () => (await status(user, trackingId)).status).toBe('failed');
    expect(await status(user, trackingId)).toMatchObject({
      failure_kind: 'withdrawn',
      withdrawn_reason: expect.stringContaining('out of funds'),
    });
  });

  test('rejected and withdrawn', async () => {
    const rejected = await offer();
    expect((await provider.ask(`${at}/${rejected.cid}/reject`, { method: 'POST' })).status).toBe(
      200,
    );
    expect(await status(user, rejected.trackingId)).toEqual({
      status: 'failed',
      failure_kind: 'rejected',
    });
    const withdrawn = await offer();
    expect((await user.ask(`${at}/${withdrawn.cid}/withdraw`, { method: 'POST' })).status).toBe(
      200,
    );
    expect(await status(user, withdrawn.trackingId)).toEqual({
      status: 'failed',
      failure_kind: 'withdrawn',
      withdrawn_reason: 'Withdrawn by sender',
    });
  });

  test('a tracking id is used once, and an unknown one is not found', async () => {
    const { trackingId } = await offer();
    const body = transferBody({ tracking_id: trackingId });
    expect(await answered(user, at, { body })).toEqual(refused(409));
    const request = { method: 'POST' };
    expect(await answered(user, `${at}/${randomUUID()}/status`, request)).toEqual(refused(404));
    expect(await answered(user, `${at}/${NOBODY}/accept`, request)).toEqual(refused(404));
  });
});

describe('taking coins unasked', () => {
  const by = (party: string) => `/scan-proxy/transfer-preapprovals/by-party/${party}`;

  test('the validator pays for it, others send, and it is cancelled', async () => {
    const text = `No TransferPreapproval found for party: ${appProvider}`;
    expect(await answered(user, by(appProvider))).toEqual(refused(404, text));
    const send = { receiver_party_id: appProvider, amount: '3', deduplication_id: randomUUID() };
    const sendPath = '/wallet/transfer-preapproval/send';
    expect(await answered(user, sendPath, { body: send })).toEqual(refused(400));

    const path = '/wallet/transfer-preapproval';
    const [created, made] = await answered(provider, path, { method: 'POST' });
    expect([created, made]).toEqual([
      200,
      { transfer_preapproval_contract_id: expect.any(String) },
    ]);
    expect(await answered(provider, path, { method: 'POST' })).toEqual([409, made]);
    expect(await user.expectOk(by(appProvider))).toMatchObject({
      transfer_preapproval: {
        contract: { payload: { receiver: appProvider, provider: appProvider, dso } },
        domain_id: network.localnet.synchronizerId,
      },
    });
    const { free } = await provider.balance();
    expect((await user.ask(sendPath, { body: { ...send, description: 'a gift' } })).status).toBe(
      200,
    );
    expect(Number((await provider.balance()).free)).toBe(Number(free) + 3);
    expect(await answered(user, sendPath, { body: send })).toEqual(refused(409));

    const admin = `/admin/transfer-preapprovals`;
    expect((await provider.expectOk(admin)).contracts).toHaveLength(1);
    expect(await answered(user, admin)).toEqual(refused(403));
    const cancel = { method: 'DELETE' };
    const path2 = `${admin}/by-party/${appProvider}`;
    expect((await provider.ask(path2, cancel)).status).toBe(200);
    expect(await answered(provider, path2, cancel)).toEqual(refused(404, text));
  });
});

describe('a validator', () => {
  test('says who runs it, without a token', async () => {
    const url = `${network.localnet.urls.participants['app-user'].validator}/api/validator/v0`;
    const { json } = await http(network, `${url}/validator-user`);
    expect(json).toEqual({ party_id: appUser, user_name: USER_ADMIN.userId, featured: false });
  });

  test('features an app until it gives that up', async () => {
    const { contract_id } = await provider.expectOk('/wallet/self-grant-feature-app-right', {
      method: 'POST',
    });
    const found = await user.expectOk(`/scan-proxy/featured-apps/${appProvider}`);
    expect(found.featured_app_right).toMatchObject({ contract_id });
    expect(await provider.expectOk('/wallet/user-status')).toMatchObject({
      has_featured_app_right: true,
    });
    const path = '/wallet/cancel-featured-app-rights';
    expect((await provider.ask(path, { method: 'DELETE' })).status).toBe(200);
    expect(await user.expectOk(`/scan-proxy/featured-apps/${appProvider}`)).toEqual({});
    expect((await provider.ask(path, { method: 'DELETE' })).status).toBe(200);
  });

  test('takes a wallet away, but not its own', async () => {
    const name = `guest-${randomUUID()}`;
    await userAdmin.expectOk('/admin/users', { body: { name } });
    const offboard = (username: string) =>
      userAdmin.ask(`/admin/users/offboard?username=${username}`, { method: 'POST' });
    expect((await offboard(name)).status).toBe(200);
    expect((await userAdmin.expectOk('/admin/users')).usernames).not.toContain(name);
    expect((await offboard('nobody-known')).status).toBe(200);
    expect((await offboard(USER_ADMIN.userId)).status).toBe(400);
    expect((await user.ask('/admin/users/offboard?username=x', { method: 'POST' })).status).toBe(
      403,
    );
  });

  test('tells the balance of a party that it hosts', async () => {
    const path = (party: string) => `/admin/external-party/balance?party_id=${party}`;
    const { free, locked } = await user.balance();
    expect(await userAdmin.expectOk(path(appUser))).toMatchObject({
      party_id: appUser,
      total_unlocked_coin: free,
      total_locked_coin: locked,
      total_available_coin: free,
      computed_as_of_round: 0,
    });
    expect(await answered(userAdmin, path(appProvider))).toEqual(refused(404));
  });

  test.each([
    ['GET', 'admin/participant/identities'],
    ['GET', 'admin/participant/global-domain-connection-config'],
    ['GET', 'admin/domain/data-snapshot'],
    ['POST', 'admin/external-party/topology/generate'],
    ['POST', 'admin/external-party/topology/submit'],
    ['POST', 'admin/external-party/setup-proposal'],
    ['GET', 'admin/external-party/setup-proposal'],
    ['POST', 'admin/external-party/setup-proposal/prepare-accept'],
    ['POST', 'admin/external-party/setup-proposal/submit-accept'],
    ['POST', 'admin/external-party/transfer-preapproval/prepare-send'],
    ['POST', 'admin/external-party/transfer-preapproval/submit-send'],
    ['POST', 'wallet/buy-traffic-requests'],
  ])('has %s %s switched off', async (method, path) => {
    expect(await answered(userAdmin, `/${path}`, { method })).toEqual(refused(501));
  });

  test.each([
    ['/wallet/subscriptions', 'subscriptions'],
    ['/wallet/subscription-requests', 'subscription_requests'],
    ['/wallet/subscription-initial-payments', 'initial_payments'],
    ['/wallet/accepted-app-payments', 'accepted_app_payments'],
    ['/wallet/sv-reward-coupons', 'sv_reward_coupons'],
    ['/wallet/validator-faucet-coupons', 'validator_faucet_coupons'],
    ['/wallet/validator-liveness-activity-records', 'validator_liveness_activity_records'],
    ['/entry/all', 'entries'],
  ])('has none of %s', async (path, field) => {
    expect(await user.expectOk(path)).toEqual({ [field]: [] });
  });

  test.each<[string, Body]>([
    ['/wallet/subscription-requests/x/accept', { method: 'POST' }],
    ['/wallet/subscription-requests/x', { method: 'DELETE' }],
    ['/wallet/app-payment-requests/x', {}],
    ['/wallet/buy-traffic-requests/x/status', { method: 'POST' }],
    ['/entry/create', { body: { name: 'n.unverified.ans', url: '', description: '' } }],
    ['/scan-proxy/ans-rules', { body: {} }],
    [`/scan-proxy/transfer-command-counter/${appUser}`, {}],
    [`/scan-proxy/transfer-command/status?sender=${appUser}&nonce=0`, {}],
    ['/scan-proxy/ans-entries/by-name/n', {}],
  ])('finds nothing at %s', async (path, request) => {
    expect(await answered(user, path, request)).toEqual(refused(404));
  });
});

describe('the scan and the registry below scan-proxy', () => {
  const scan = (path: string, request: Body = {}) =>
    http(network, `${network.localnet.urls.network}/api/scan/v0${path}`, request);

  test('rules and rounds, unless the caller has them', async () => {
    const { json } = await scan('/amulet-rules', { body: {} });
    const { contract, domain_id } = (json as Body).amulet_rules_update;
    expect(contract.payload).toMatchObject({ dso, isDevNet: true });
    const cached = { cached_amulet_rules_contract_id: contract.contract_id };
    expect((await scan('/amulet-rules', { body: cached })).json).toEqual({
      amulet_rules_update: { domain_id },
    });
    const body = {
      cached_open_mining_round_contract_ids: [],
      cached_issuing_round_contract_ids: [],
    };
    const rounds = (await scan('/open-and-issuing-mining-rounds', { body })).json as Body;
    const [round] = Object.values<Body>(rounds.open_mining_rounds);
    // A wallet uses a round only between the times at which it opens and closes.
    expect(Date.parse(round.contract.payload.opensAt)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(round.contract.payload.targetClosesAt)).toBeGreaterThan(Date.now());
    expect((await scan('/open-and-issuing-mining-rounds', { body: {} })).status).toBe(400);
  });

  test('the names of the network, and no round that is closed', async () => {
    const names = (await scan('/splice-instance-names')).json as Body;
    expect(names).toMatchObject({ network_name: 'Splice', amulet_name_acronym: 'AMT' });
    expect((await scan('/closed-rounds')).json).toEqual({ rounds: [] });
  });

  test('who hosts a party, and what its participant has used', async () => {
    const { synchronizerId } = network.localnet;
    const hosted = await scan(`/domains/${synchronizerId}/parties/${appUser}/participant-id`);
    const { participant_id } = hosted.json as Body;
    expect(participant_id).toMatch(/^PAR::participant::1220/);
    const used = await scan(`/domains/${synchronizerId}/members/${participant_id}/traffic-status`);
    const { actual, target } = (used.json as Body).traffic_status;
    expect(actual.total_consumed).toBeGreaterThan(0);
    // There is no limit, so the reported limit equals what has been used.
    expect(actual.total_limit).toBe(actual.total_consumed);
    expect(target.total_purchased).toBe(actual.total_limit);
    expect((await scan(`/domains/x::y/members/z/traffic-status`)).status).toBe(404);
  });

  test('the same factory with a token as without', async () => {
    const path = '/registry/transfer-instruction/v1/transfer-factory';
    const transfer = { sender: appUser, receiver: appUser };
    const body = { choiceArguments: { transfer }, excludeDebugFields: true };
    const direct = await http(network, `${network.localnet.urls.registry}${path}`, { body });
    expect(direct.json).toMatchObject({
      factoryId: expect.any(String),
      transferKind: 'self',
      choiceContext: { choiceContextData: { values: { 'amulet-rules': {}, 'open-round': {} } } },
    });
    expect(await user.expectOk(`/scan-proxy${path}`, { body })).toEqual(direct.json);
    const offer = { choiceArguments: { transfer: { sender: appUser, receiver: dso } } };
    expect(await user.expectOk(`/scan-proxy${path}`, { body: offer })).toMatchObject({
      transferKind: 'offer',
    });
    expect(await answered(user, `/scan-proxy${path}`, { body: { choiceArguments: {} } })).toEqual(
      refused(400),
    );
  });
});
