import { describe, expect, test } from 'vitest';
import type { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { memoryJournal } from '../../../localnet/ledger/journal.ts';
import type { LedgerNetworkOptions } from '../../../localnet/ledger/ledger-network.ts';
import { create } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

const offerOf = (shop: ShopNetwork) =>
  create('Offer', { seller: shop.seller, readers: [], price: '1' });
const refusalOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => undefined,
    (error: unknown) => error as LedgerError,
  );
const PRICE = { baseCost: 100, costPerByte: 2 };
const BYTES = { bytes: 50 };
const COST = 200n;
const open = (more: LedgerNetworkOptions = {}) =>
  ShopNetwork.open({ trafficPrice: PRICE, ...more });

describe('traffic', () => {
  test('is charged by size, and only to whoever submits', async () => {
    await using shop = await open();
    await shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES);
    expect(shop.provider.state.completions.at(-1)!.paidTrafficCost).toBe(COST);
    expect(shop.network.trafficOf('app-provider')).toMatchObject({ balance: null, spent: COST });
    expect(shop.network.trafficOf('app-user')).toMatchObject({ spent: 0n });
  });

  test('that has run out is refused when it is sent, and costs nothing', async () => {
    await using shop = await open({ trafficBalance: 250 });
    await shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES);
    const { recordTime } = shop.provider.state;
    const refusal = await refusalOf(
      shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES),
    );
    expect(refusal).toMatchObject({
      code: 'SEQUENCER_REQUEST_FAILED',
      text: 'Failed to send command',
      definiteAnswer: true,
    });
    expect(refusal!.metadata['sendError']).toContain('SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT');
    expect(shop.provider.state.completions.at(-1)!.paidTrafficCost).toBe(0n);
    // The submission never reached the sequencer.
    expect(shop.provider.state.recordTime).toBe(recordTime);
    expect(shop.network.trafficOf('app-provider')).toMatchObject({ balance: 50n, spent: COST });
  });

  test('that runs out on the way is refused with its place in the order', async () => {
    await using shop = await open({ trafficBalance: 250, latencyMs: 20 });
    const refusals = await Promise.all(
      [1, 2].map(() => refusalOf(shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES))),
    );
    expect(refusals[0]).toBeUndefined();
    expect(refusals[1]).toMatchObject({
      code: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
      definiteAnswer: true,
    });
    const [first, second] = shop.provider.state.completions;
    expect(second!.recordTime).toBeGreaterThan(first!.recordTime);
    expect(second!.paidTrafficCost).toBe(0n);
  });

  test('goes on when there is some again', async () => {
    await using shop = await open();
    shop.network.setTraffic('app-provider', 0n, 'sequencing');
    const transact = () => shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES);
    expect(await refusalOf(transact())).toMatchObject({
      code: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
    });
    shop.network.topUp('app-provider', COST);
    expect(await refusalOf(transact())).toBeUndefined();
    expect(await refusalOf(transact())).toMatchObject({
      code: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
    });
    shop.network.setTraffic('app-provider', null);
    expect(await refusalOf(transact())).toBeUndefined();
  });

  test('is kept over a restart, spent as it was', async () => {
    const journal = memoryJournal();
    const first = await open({ journal, trafficBalance: 1000 });
    await first.transact(first.provider, first.seller, offerOf(first), BYTES);
    const told = first.network.trafficOf('app-provider');
    expect(told).toMatchObject({ balance: 800n, spent: COST });
    await first.network.close();
    await using second = await open({ journal, trafficBalance: 1000 });
    expect(second.network.trafficOf('app-provider')).toEqual(told);
    expect([...second.provider.state.completions]).toEqual([...first.provider.state.completions]);
  });

  test('is charged for what the network rejects', async () => {
    await using shop = await open({
      refuse: () => ({
        kind: 'rejected',
        isSequenced: true,
        rejection: {
          code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
          text: '',
          metadata: {},
          resources: [],
          definiteAnswer: false,
        },
      }),
    });
    await refusalOf(shop.transact(shop.provider, shop.seller, offerOf(shop), BYTES));
    expect(shop.provider.state.completions.at(-1)!.paidTrafficCost).toBe(COST);
  });
});
