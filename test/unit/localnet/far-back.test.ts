import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { between, tail } from '../../../localnet/grpc/tail.ts';
import type { LedgerNetworkOptions } from '../../../localnet/ledger/ledger-network.ts';
import type { ParticipantNode } from '../../../localnet/ledger/participant-node.ts';
import type { PlacedUpdate } from '../../../localnet/ledger/participant-state.ts';
import { changeKey } from '../../../localnet/ledger/update.ts';
import { exercise } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

/*
 * Entries that are no longer in memory are read from the journal. Two networks execute the same commands, but one of
 * them keeps almost nothing in memory. Their answers must not differ.
 */

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'localnet-far-'));
  folders.push(made);
  return made;
};

/** This limit is so small that only the latest entry stays in memory. */
const FORGETFUL = { nearBytes: 1 };
const OFFERS = 120;

const buyNow = (shop: ShopNetwork) => ({
  buyer: shop.buyer,
  dueAt: '9999-01-01T00:00:00Z',
  note: 'ünïcödé "quoted" \n',
});

/** Creates offers. Every third one is bought, and every fourth one is withdrawn. */
async function trade(shop: ShopNetwork): Promise<string[]> {
  const offers: string[] = [];
  for (let n = 0; n < OFFERS; n += 1) {
    const offer = await shop.offer({ commandId: `offer-${n}`, workflowId: `flow-${n}` });
    offers.push(offer);
    if (n % 3 === 0) {
      await shop.transact(shop.user, shop.buyer, exercise('Offer', offer, 'BuyNow', buyNow(shop)));
    } else if (n % 4 === 0) {
      await shop.transact(shop.provider, shop.seller, exercise('Offer', offer, 'Archive'));
    }
  }
  return offers;
}

const stripped = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (typeof item === 'bigint') return `${item}n`;
      if (item instanceof Map) return [...(item as Map<unknown, unknown>)];
      return key === 'template' ? (item as { name: unknown }).name : item;
    }),
  );

const seenBy = ({ state }: ParticipantNode) =>
  stripped({
    updates: [...state.updates],
    completions: [...state.completions],
    active: [...state.active.values()],
    reached: state.reached,
  });

async function read(node: ParticipantNode, isDescending: boolean): Promise<readonly bigint[]> {
  const { state } = node;
  const project = ({ offset }: PlacedUpdate) => offset;
  const range = { beginExclusive: 0n, endInclusive: state.ledgerEnd };
  const offsets: bigint[] = [];
  for await (const offset of between(
    { state, items: state.updates, project },
    range,
    isDescending,
  )) {
    offsets.push(offset);
  }
  return offsets;
}

describe.each<[string, () => LedgerNetworkOptions]>([
  ['a network with a data folder', () => ({ dataDir: folder() })],
  ['a network in memory', () => ({})],
])('%s', (_name, where) => {
  test('tells what is far back as it told it when it was new', async () => {
    await using shop = await ShopNetwork.open({ ...where(), ...FORGETFUL });
    const told: unknown[] = [];
    let known = shop.provider.state.updates.length;
    for (let n = 0; n < 10; n += 1) {
      const offer = await shop.offer();
      await shop.transact(shop.user, shop.buyer, exercise('Offer', offer, 'BuyNow', buyNow(shop)));
      const { updates } = shop.provider.state;
      for (; known < updates.length; known += 1) told.push(stripped(updates.at(known)));
    }
    await trade(shop);
    const { updates, reads } = shop.provider.state;
    const again = told.map((_, index) => stripped(updates.at(known - told.length + index)));
    expect(again).toEqual(told);
    expect(shop.provider.state.reads - reads).toBeGreaterThanOrEqual(told.length);
  });

  test('finds updates by ID, contracts with both events, and changes that were accepted', async () => {
    await using shop = await ShopNetwork.open({ ...where(), ...FORGETFUL });
    const offers = await trade(shop);
    const { state } = shop.provider;
    for (const { update, offset } of state.updates) {
      expect(shop.provider.updateById(update.updateId)?.offset).toBe(offset);
    }
    expect(shop.provider.updateById('1220')).toBeUndefined();
    offers.forEach((contractId, n) => {
      const known = state.contracts.get(contractId);
      expect(known?.contract.contractId).toBe(contractId);
      expect(known?.created.workflowId).toBe(`flow-${n}`);
      const isOver = n % 3 === 0 || n % 4 === 0;
      expect(known?.archived?.event.contract.contractId).toBe(isOver ? contractId : undefined);
      expect(state.active.has(contractId)).toBe(!isOver);
    });
    expect(state.contracts.get(offers[0]!.replace(/^00.{4}/u, '00abcd'))).toBeUndefined();
    for (const { submitter, offset } of state.completions) {
      const key = changeKey(submitter);
      expect(state.acceptedChange(key)?.offset).toBe(offset);
      expect(state.acceptedChange(`${key}x`)).toBeUndefined();
    }
    await expect(shop.offer({ commandId: 'offer-0' })).rejects.toMatchObject({
      code: 'DUPLICATE_COMMAND',
    });
    await expect(
      shop.transact(shop.provider, shop.seller, exercise('Offer', offers[0]!, 'Archive')),
    ).rejects.toMatchObject({ code: 'CONTRACT_NOT_FOUND' });
    const first = offers[1]!;
    await shop.transact(shop.provider, shop.seller, exercise('Offer', first, 'Archive'));
    expect(state.active.has(first)).toBe(false);
  });

  test('is read in both directions, and forgets what is pruned meanwhile', async () => {
    const options = { maxDeduplicationDurationMs: 1, staticTime: '2030-01-01T00:00:00Z' };
    await using shop = await ShopNetwork.open({ ...where(), ...FORGETFUL, ...options });
    await trade(shop);
    const { state } = shop.provider;
    const offsets = [...state.updates].map(({ offset }) => offset);
    expect(await read(shop.provider, false)).toEqual(offsets);
    expect(await read(shop.provider, true)).toEqual(offsets.toReversed());
    const stream = tail<PlacedUpdate, bigint>({
      state,
      range: { beginExclusive: 0n, endInclusive: undefined },
      items: state.updates,
      project: ({ offset }) => offset,
      checkpoint: ({ offset }) => offset,
      checkpointIntervalMs: 1000,
      stop: new AbortController().signal,
      endOfStream: () => new Error('over'),
    });
    expect((await stream.next()).value).toBe(offsets[0]);
    shop.network.setTime(shop.network.nowMicros() + 1_000_000n);
    shop.provider.prune(offsets[50]!);
    await expect(stream.next()).rejects.toMatchObject({ code: 'PARTICIPANT_PRUNED_DATA_ACCESSED' });
    expect([...state.updates].map(({ offset }) => offset)).toEqual(offsets.slice(51));
    expect(state.updates.indexAfter(offsets[60]!)).toBe(10);
  });

  test('lets others have their turn while much is read back that its reader does not see', async () => {
    await using shop = await ShopNetwork.open({ ...where(), ...FORGETFUL });
    await trade(shop);
    const { state } = shop.provider;
    const readsAtTurns: number[] = [];
    let isOver = false;
    const look = () => {
      readsAtTurns.push(state.reads);
      if (!isOver) setImmediate(look);
    };
    look();
    const range = { beginExclusive: 0n, endInclusive: state.ledgerEnd };
    const source = { state, items: state.updates, project: () => undefined };
    for await (const _none of between(source, range, false)) throw new Error('nothing is shown');
    isOver = true;
    const steps = readsAtTurns.map((reads, index) => reads - (readsAtTurns[index - 1] ?? reads));
    expect(Math.max(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThan(100);
  });
});

test('a network that starts again on the journal of another is the same, however much it remembers', async () => {
  const dataDir = folder();
  const first = await ShopNetwork.open({ dataDir });
  await trade(first);
  const before = [seenBy(first.provider), seenBy(first.user)];
  await first.network.close();
  await using second = await ShopNetwork.open({ dataDir, ...FORGETFUL });
  expect([seenBy(second.provider), seenBy(second.user)]).toEqual(before);
  await second.offer();
  expect(second.provider.state.updates.at(-1)?.offset).toBe(second.provider.ledgerEnd());
});
