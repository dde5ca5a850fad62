import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wallet } from '../cli/wallet.ts';
import { openWallet } from '../cli/wallet.ts';
import { makeInstalls } from './create-license.ts';
import type { BenchWorld } from './world.ts';

/*
 * Leads licences through whole lives, over REST: they are installed, created, and renewed for a fee that the user
 * allocates.
 */

const INSTALLS = 4;
const LICENSES = 10;
const RENEWALS = 2;
const SEEN_MS = 30_000;
const LOOK_MS = 50;

interface Renewal {
  readonly contractId: string;
  readonly requestId: string;
  readonly allocationCid: string | null;
}

async function call<Body>(
  world: BenchWorld,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Body> {
  const query = method === 'POST' ? `?commandId=${randomUUID()}` : '';
  const answer = await fetch(`${world.state.apiUrl}${path}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${await world.token('provider')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Body;
}

async function renewalOf(world: BenchWorld, license: string, paid: boolean): Promise<Renewal> {
  const deadline = performance.now() + SEEN_MS;
  for (;;) {
    const path = `/licenses/${license}`;
    const { renewalRequests } = await call<{ renewalRequests: readonly Renewal[] }>(
      world,
      'GET',
      path,
    );
    const [renewal] = renewalRequests;
    if (renewal !== undefined && (!paid || renewal.allocationCid !== null)) return renewal;
    if (performance.now() > deadline) throw new Error(`no renewal of ${license} to be seen`);
    await sleep(LOOK_MS);
  }
}

async function renew(world: BenchWorld, license: string, wallet: Wallet): Promise<void> {
  await call(world, 'POST', `/licenses/${license}:renew`, {
    licenseFeeCc: 100,
    licenseExtensionDuration: 'P365D',
    prepareUntilDuration: 'PT10M',
    settleBeforeDuration: 'PT20M',
    description: 'one more year',
  });
  const { requestId } = await renewalOf(world, license, false);
  const allocationContractId = await wallet.accept(requestId);
  const { contractId } = await renewalOf(world, license, true);
  await call(world, 'POST', `/licenses/${license}:complete-renewal`, {
    renewalRequestContractId: contractId,
    allocationContractId,
  });
}

/** How many operations were requested, and what they created. */
export interface Lives {
  readonly operations: number;
  readonly licenses: number;
}

/** Leads licences through forty lives. Steps that use the same wallet run one after another. */
export async function leadLives(world: BenchWorld): Promise<Lives> {
  if (world.state.localnet === null) throw new Error('the bench needs LocalNet');
  const wallet = openWallet(world.state.localnet.userWalletUrl, await world.token('user'));
  await wallet.tap('100000.0');
  const installs = await makeInstalls(world, INSTALLS);
  for (const install of installs) {
    for (let n = 0; n < LICENSES; n += 1) {
      const path = `/app-installs/${install}:create-license`;
      const body = { params: { meta: { data: {} } } };
      const { licenseId } = await call<{ licenseId: string }>(world, 'POST', path, body);
      for (let time = 0; time < RENEWALS; time += 1) await renew(world, licenseId, wallet);
    }
  }
  const licenses = INSTALLS * LICENSES;
  return { operations: INSTALLS * 2 + licenses * (1 + RENEWALS * 2), licenses };
}
