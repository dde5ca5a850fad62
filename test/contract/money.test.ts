import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LICENSE } from './kit/licensing.ts';
import { DAY_MICROS, Market, resultOf } from './kit/market.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { activeContracts, createdOf } from './kit/steps.ts';
import { eventsOf } from './kit/formats.ts';
import type { LedgerClients } from './kit/clients.ts';
import { selfSignedToken } from './kit/tokens.ts';
import { readRecord, readValue } from './kit/values.ts';

/*
 * The money path, step by step: the provider offers to extend a licence, the user pays, the provider completes.
 */

const START = '2030-01-01T00:00:00Z';

let network: Network;
let market: Market;

beforeAll(async () => {
  network = await openNetwork({ staticTime: START });
});
afterAll(() => network?.[Symbol.asyncDispose]());
beforeEach(async () => {
  market = await Market.open(
    network,
    network.bearing('sv', () => selfSignedToken()),
  );
});

/** Entity names of what a party has active, sorted. */
async function held(clients: LedgerClients, party: string): Promise<string[]> {
  const active = await activeContracts(clients, eventsOf([party]));
  return active.map(({ createdEvent }) => createdEvent!.templateId!.entityName).toSorted();
}

describe('a renewal', () => {
  it('extends the licence once the fee is paid', async () => {
    const license = await market.newLicense();
    const terms = await market.terms();
    const renewal = await market.renew(license, terms);
    const allocation = await market.allocateFor(terms);
    const completed = await market.complete(renewal, allocation, license);

    const renewed = createdOf(completed, LICENSE);
    expect(readValue(resultOf(completed))).toBe(renewed.contractId);
    expect(readRecord(renewed.createArguments)).toEqual({
      ...(readRecord(license.createArguments) as object),
      expiresAt: (await market.now()) + 30n * DAY_MICROS,
    });
    expect(await held(market.providerSide, market.provider)).toEqual([
      'Amulet',
      'AppInstall',
      'License',
    ]);
    expect(await held(market.userSide, market.user)).toEqual(['AppInstall', 'License']);
  });
});
