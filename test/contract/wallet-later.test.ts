import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { Control } from './kit/faults.ts';
import { openNetwork } from './kit/network.ts';
import { ledgerUserWallet } from './kit/wallet.ts';

/* Answers of the wallet to calls that may succeed later: status 429, as from validators of the public network. */

const network = await forFile(openNetwork());
const wallet = ledgerUserWallet(network);

const TOO_EARLY = { status: 429, json: { error: expect.any(String) } };

test('a preapproval that the validator cannot pay for waits for its coins', async () => {
  const path = '/wallet/transfer-preapproval';
  expect(await wallet.ask(path, { method: 'POST' })).toMatchObject(TOO_EARLY);
  await wallet.tap('1000');
  const by = `/scan-proxy/transfer-preapprovals/by-party/${network.localnet.parties.appUser}`;
  const { transfer_preapproval: made } = await wallet.expectOk(by);
  expect(await wallet.ask(path, { method: 'POST' })).toMatchObject({
    status: 409,
    json: { transfer_preapproval_contract_id: made.contract.contract_id },
  });
});

test('a contract that is locked at this moment may be free again', async () => {
  const fault = { kind: 'reject', code: 'LOCAL_VERDICT_LOCKED_CONTRACTS', times: 1 };
  await new Control(network).fault(fault);
  const request = { body: { amount: '1', command_id: 'while-locked' } };
  expect(await wallet.ask('/wallet/tap', request)).toMatchObject(TOO_EARLY);
  await wallet.expectOk('/wallet/tap', request);
});
